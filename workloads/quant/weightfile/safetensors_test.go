package weightfile

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
)

// raw joins the header length, the header and the data.
func raw(header string, data []byte) []byte {
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return slices.Concat(out, []byte(header), data)
}

// content is a tensor to write.
type content struct {
	name, dtype string
	shape       []int64
	data        []byte
}

// encode encodes tensors as a .safetensors file.
func encode(t testing.TB, metadata map[string]string, tensors ...content) []byte {
	t.Helper()
	header, data := map[string]any{}, []byte{}
	if metadata != nil {
		header["__metadata__"] = metadata
	}
	for _, c := range tensors {
		at := len(data)
		data = append(data, c.data...)
		header[c.name] = map[string]any{"dtype": c.dtype, "shape": c.shape, "data_offsets": []int{at, len(data)}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	return raw(string(text), data)
}

// bytesOf encodes values little-endian.
func bytesOf(t testing.TB, v any) []byte {
	t.Helper()
	out, err := binary.Append(nil, binary.LittleEndian, v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func save(t *testing.T, b []byte) string { return saveAs(t, "x.safetensors", b) }

func saveAs(t *testing.T, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, b []byte) *File { return openBytes(t, "x.safetensors", b) }

func openBytes(t *testing.T, name string, b []byte) *File {
	t.Helper()
	f, err := Open(saveAs(t, name, b))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

func TestSafetensorsReads(t *testing.T) {
	nan := float32(math.NaN())
	half := func(v float32) uint16 { return uint16(float16.Fromfloat32(v)) }
	f := open(t, encode(t, map[string]string{"format": "pt"},
		content{"full", "F32", []int64{2, 3}, bytesOf(t, []float32{1, -2, 3e-40, float32(math.Inf(1)), nan, 6})},
		content{"half", "F16", []int64{4}, bytesOf(t, []uint16{half(0.1), half(-65504), 0x7c00, 1})},
		content{"brain", "BF16", []int64{2, 1}, bytesOf(t, []uint16{0x3f80, 0xc049})},
		content{"double", "F64", []int64{3}, bytesOf(t, []float64{0.1, 1e300, -5})},
		content{"scalar", "F32", []int64{}, bytesOf(t, []float32{42})},
		content{"empty", "F32", []int64{7, 0, 1 << 60}, nil},
		content{"ints", "I64", []int64{1}, bytesOf(t, []int64{9})},
	))
	for name, want := range map[string][]float32{
		"full":   {1, -2, 3e-40, float32(math.Inf(1)), nan, 6},
		"half":   {float16.Fromfloat32(0.1).Float32(), -65504, float32(math.Inf(1)), 0x1p-24},
		"brain":  {1, -3.140625},
		"double": {0.1, float32(math.Inf(1)), -5},
		"scalar": {42},
		"empty":  {},
	} {
		got, err := f.ReadFloat32(name)
		same := func(a, b float32) bool { return a == b || a != a && b != b }
		if err != nil || !slices.EqualFunc(got, want, same) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, want)
		}
	}
	if got := f.Metadata()["format"]; got != "pt" {
		t.Errorf("metadata format is %q", got)
	}
	var names []string
	for _, x := range f.Tensors() {
		names = append(names, x.Name)
	}
	slices.Sort(names)
	if want := []string{"brain", "double", "empty", "full", "half", "ints", "scalar"}; !slices.Equal(names, want) {
		t.Errorf("tensors %v, want %v", names, want)
	}
	if x, err := f.Tensor("full"); err != nil || x.Bytes() != 24 || x.Elements() != 6 || x.Type != "F32" ||
		!slices.Equal(x.Shape, []int64{2, 3}) {
		t.Errorf("full is %+v, %v", x, err)
	}
	for name, want := range map[string]string{"ints": "type I64 is not available: its values are whole numbers", "none": `no tensor "none"; it has `} {
		_, err := f.ReadFloat32(name)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), f.Name()) {
			t.Errorf("%s: %v, want the file and %q", name, err, want)
		}
	}
}

func TestSafetensorsReadsParts(t *testing.T) {
	values := make([]float32, readChunk) // four chunks
	for i := range values {
		values[i] = float32(i)
	}
	f := open(t, encode(t, nil, content{"w", "F32", []int64{int64(len(values))}, bytesOf(t, values)}))
	w, err := f.Tensor("w")
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range [][2]int{{0, len(values)}, {1, 2}, {readChunk/4 - 1, readChunk/4 + 1}, {100, 60000}, {5, 5}} {
		dst := make([]float32, span[1]-span[0])
		if err := f.ReadFloat32At(w, dst, int64(span[0])); err != nil || !slices.Equal(dst, values[span[0]:span[1]]) {
			t.Errorf("elements %v: wrong, or %v", span, err)
		}
	}
	for _, first := range []int64{-1, int64(len(values)) - 1, math.MaxInt64} {
		if err := f.ReadFloat32At(w, make([]float32, 2), first); err == nil {
			t.Errorf("2 elements from %d were read", first)
		}
	}
}

func TestSafetensorsReadsAFileThatShrank(t *testing.T) {
	path := save(t, encode(t, nil, content{"w", "F32", []int64{4}, bytesOf(t, []float32{1, 2, 3, 4})}))
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, f.parts[0].data+6); err != nil {
		t.Fatal(err)
	}
	if _, err := f.ReadFloat32("w"); err == nil || !strings.Contains(err.Error(), "unexpected EOF") {
		t.Errorf("read of a file cut short: %v", err)
	}
}

// malformed lists invalid files, each with part of its error.
func malformed() map[string]struct {
	file []byte
	want string
} {
	type bad = struct {
		file []byte
		want string
	}
	one := func(body string) []byte { return raw(`{"w":{`+body+`}}`, make([]byte, 8)) }
	length := func(n uint64) []byte { return append(binary.LittleEndian.AppendUint64(nil, n), "{}"...) }
	ok := `"dtype":"F32","shape":[2],"data_offsets":[0,8]`
	two := func(a, b string) []byte {
		const header = `{"a":{"dtype":"F32","shape":[1],"data_offsets":%s},"b":{"dtype":"F32","shape":[1],"data_offsets":%s}}`
		return raw(fmt.Sprintf(header, a, b), make([]byte, 8))
	}
	return map[string]bad{
		"empty file":          {nil, "0 B long"},
		"seven bytes":         {make([]byte, 7), "7 B long"},
		"no header":           {make([]byte, 8), "byte 8: the header does not start with '{'"},
		"header over limit":   {length(maxHeader + 1), "byte 0: a header of 100000001 B, the limit is 100000000 B"},
		"header of 2^64 - 1":  {length(math.MaxUint64), "the limit is 100000000 B"},
		"header past the end": {length(maxHeader), "only 2 B follow"},
		"Git LFS pointer":     {[]byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"), "a Git LFS pointer"},
		"name too long":       {raw(`{"`+strings.Repeat("w", maxName+1)+`":{`+ok+`}}`, make([]byte, 8)), "its name has 1001 B, the limit is 1000 B"},
		"header of one more":  {length(3), "only 2 B follow"},
		"space first":         {raw(` {}`, nil), "does not start with '{'"},
		"array":               {raw(`[]`, nil), "does not start with '{'"},
		"cut in the middle":   {raw(`{"w":{"dtype"`, nil), `byte 21: tensor "w": dtype: unexpected EOF, where the header of 13 B ends`},
		"not UTF-8":           {raw("{\"\xff\":1}", nil), "UTF-8"},
		"junk after":          {raw(`{}x`, nil), "byte 10: 1 B of text after the end"},
		"junk after spaces":   {raw("{} \n x y ", nil), "byte 13: 3 B of text after the end"},
		"two objects":         {raw(`{}{}`, nil), "after the end of the header"},
		"NUL padding":         {raw("{}\x00", nil), "after the end of the header"},
		"trailing comma":      {raw(`{"w":{`+ok+`},}`, make([]byte, 8)), "header: invalid character"},
		"tensor twice":        {raw(`{"w":{`+ok+`},"w":{`+ok+`}}`, make([]byte, 8)), `duplicate key "w"`},
		"same name escaped":   {raw(`{"w":{`+ok+`},"\u0077":{`+ok+`}}`, make([]byte, 8)), `duplicate key "w"`},
		"metadata twice":      {raw(`{"__metadata__":{},"__metadata__":{}}`, nil), "duplicate key"},
		"metadata key twice":  {raw(`{"__metadata__":{"a":"1","a":"2"}}`, nil), `__metadata__: duplicate key "a"`},
		"metadata of numbers": {raw(`{"__metadata__":{"a":1}}`, nil), "want text"},
		"metadata nested":     {raw(`{"__metadata__":{"a":{}}}`, nil), "want text"},
		"tensor is a number":  {raw(`{"w":1}`, nil), `tensor "w": 1, want '{'`},
		"tensor is null":      {raw(`{"w":null}`, nil), `tensor "w": null`},
		"nested junk":         {raw(`{"w":{"shape":`+strings.Repeat("[", 10000)+`}}`, nil), "want a whole number"},
		"unknown key":         {one(ok + `,"x":1`), `unknown key "x"`},
		"dtype twice":         {one(ok + `,"dtype":"F32"`), `tensor "w": duplicate key "dtype"`},
		"no dtype":            {one(`"shape":[2],"data_offsets":[0,8]`), "no dtype"},
		"no shape":            {one(`"dtype":"F32","data_offsets":[0,8]`), "no shape"},
		"no offsets":          {one(`"dtype":"F32","shape":[2]`), "no data_offsets"},
		"unknown dtype":       {one(`"dtype":"F7","shape":[2],"data_offsets":[0,8]`), `unknown dtype "F7"`},
		"dtype is a number":   {one(`"dtype":32,"shape":[2],"data_offsets":[0,8]`), "dtype: 32, want text"},
		"one offset":          {one(`"dtype":"F32","shape":[2],"data_offsets":[0]`), "1 data_offsets, want 2"},
		"three offsets":       {one(`"dtype":"F32","shape":[2],"data_offsets":[0,8,9]`), "more than 2"},
		"negative dimension":  {one(`"dtype":"F32","shape":[-2],"data_offsets":[0,8]`), "-2, want a whole number"},
		"fraction":            {one(`"dtype":"F32","shape":[2.0],"data_offsets":[0,8]`), "2.0, want a whole number"},
		"exponent":            {one(`"dtype":"F32","shape":[2e0],"data_offsets":[0,8]`), "2e0, want a whole number"},
		"2^63":                {one(`"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]`), "from 0 to 9223372036854775807"},
		"text dimension":      {one(`"dtype":"F32","shape":["2"],"data_offsets":[0,8]`), "want a whole number"},
		"product overflows":   {one(`"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,8]`), "overflows"},
		"wraps to the size":   {one(`"dtype":"F32","shape":[2305843009213693953,2],"data_offsets":[0,8]`), "overflows"},
		"rank over limit":     {one(`"dtype":"F32","shape":[` + strings.Repeat("1,", 64) + `1],"data_offsets":[0,4]`), "more than 64"},
		"shape too large":     {one(`"dtype":"F32","shape":[3],"data_offsets":[0,8]`), "need 12 B"},
		"shape too small":     {one(`"dtype":"F32","shape":[1],"data_offsets":[0,8]`), "need 4 B"},
		"empty with data":     {one(`"dtype":"F32","shape":[0],"data_offsets":[0,8]`), "need 0 B"},
		"part of a byte":      {one(`"dtype":"F4","shape":[15],"data_offsets":[0,8]`), "whole number of bytes"},
		"offsets reversed":    {one(`"dtype":"F32","shape":[2],"data_offsets":[8,0]`), "reversed"},
		"hole at the start":   {raw(`{"w":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}`, make([]byte, 8)), "gap from 0"},
		"hole between":        {two("[0,4]", "[6,8]"), `tensor "b", data from byte 121 of the file: data starts at byte 6 of the data and leaves a gap from 4`},
		"overlap":             {two("[0,4]", "[3,7]"), `tensor "b", data from byte 118 of the file: data starts at byte 3 of the data and overlaps tensor "a", which ends at 4`},
		"same bytes":          {two("[0,4]", "[0,4]"), `tensor "b", data from byte 115 of the file: data starts at byte 0 of the data and overlaps tensor "a"`},
		"bytes left over":     {raw(`{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, make([]byte, 8)), "which has 8 B"},
		"data without tensor": {raw(`{}`, make([]byte, 1)), "end at 0 B"},
		"data cut short":      {raw(`{"w":{`+ok+`}}`, make([]byte, 7)), "data from byte 62 of the file: data ends at byte 8 of the data, which has 7 B: the file is truncated"},
	}
}

func TestSafetensorsRefuses(t *testing.T) {
	for name, bad := range malformed() {
		t.Run(name, func(t *testing.T) {
			path := save(t, bad.file)
			f, err := Open(path)
			if err == nil {
				f.Close()
				t.Fatal("the file was accepted")
			}
			if !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %q, want the path and %q", err, bad.want)
			}
		})
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("missing file: %v", err)
	}
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{dir: "a folder", link: "a device"} {
		if _, err := Open(path); err == nil || err.Error() != path+" is "+kind+", want a .safetensors or .gguf file" {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestSafetensorsAccepts(t *testing.T) {
	for name, file := range map[string][]byte{
		"nothing":       raw(`{}`, nil),
		"padding":       raw("{}  \t\n", nil),
		"only metadata": raw(`{"__metadata__":{"a":"b"}}`, nil),
		"rank 0":        raw(`{"w":{"dtype":"F64","shape":[],"data_offsets":[0,8]}}`, make([]byte, 8)),
		"empty tensors": raw(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},
			"b":{"dtype":"F32","shape":[0,9223372036854775807],"data_offsets":[0,0]}}`, nil),
		"order": raw(`{"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]},
			"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, make([]byte, 2)),
	} {
		if _, err := newFile(name, bytes.NewReader(file), int64(len(file))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// list writes n entries of a JSON object.
func list(n int, entry func(i int) string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(entry(i))
	}
	return "{" + b.String() + "}"
}

// tensorList is the header of n one-byte tensors.
func tensorList(n int) string {
	return list(n, func(i int) string {
		return fmt.Sprintf(`"t%d":{"dtype":"U8","shape":[1],"data_offsets":[%d,%d]}`, i, i, i+1)
	})
}

// The number of tensors is bounded: each takes more memory than its text, so bounding the header is not enough.
func TestSafetensorsBoundsTensors(t *testing.T) {
	const most = 3
	metadata := func(n int) string {
		return `{"__metadata__":` + list(n, func(i int) string { return fmt.Sprintf(`"%d":""`, i) }) + `}`
	}
	for name, c := range map[string]struct{ header, want string }{
		"most tensors":      {tensorList(most), ""},
		"one tensor more":   {tensorList(most + 1), "header: more than 3 entries for tensors"},
		"far more tensors":  {tensorList(most + 999), "header: more than 3 entries for tensors"},
		"most metadata":     {metadata(most), ""},
		"one key more":      {metadata(most + 1), "__metadata__: more than 3 entries"},
		"cut in the excess": {tensorList(most + 3)[:len(tensorList(most+2))+9], "header: more than 3 entries for tensors"},
		"cut before":        {tensorList(most)[:len(tensorList(most))-9], "unexpected EOF"},
		"junk in a value":   {tensorList(most - 1)[:len(tensorList(most-1))-1] + `,"x":{]}}`, "invalid character"},
		"32 MB of text":     {`{"__metadata__":{"note":"` + strings.Repeat("x", 1<<25) + `"}}`, ""},
	} {
		_, _, err := parseHeader([]byte(c.header), most)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	file := raw(tensorList(maxEntries+1), make([]byte, maxEntries+1))
	_, err := newFile("many", bytes.NewReader(file), int64(len(file)))
	if err == nil || !strings.Contains(err.Error(), "header: more than 100000 entries for tensors") {
		t.Errorf("a file of 100001 tensors: %v", err)
	}
}

// A header length beyond the file must be rejected before memory is allocated.
func TestSafetensorsDoesNotAllocateForALie(t *testing.T) {
	file := append(binary.LittleEndian.AppendUint64(nil, maxHeader), "{}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := newFile("lie", bytes.NewReader(file), int64(len(file))); err == nil {
		t.Fatal("the file was accepted")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 1<<20 {
		t.Errorf("%d B were allocated for a header that is not there", got)
	}
}

func FuzzSafetensors(f *testing.F) {
	f.Add(encode(f, map[string]string{"k": "v"}, content{"w", "F32", []int64{2, 2}, make([]byte, 16)},
		content{"h", "BF16", []int64{3}, make([]byte, 6)}))
	for _, bad := range malformed() {
		f.Add(bad.file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := newFile("fuzz", bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		at := int64(0)
		for _, tensor := range x.Tensors() {
			if tensor.Begin != at || tensor.End < at {
				t.Fatalf("tensor %q at [%d, %d) does not follow on %d", tensor.Name, tensor.Begin, tensor.End, at)
			}
			at = tensor.End
			got, err := x.ReadFloat32(tensor.Name)
			if err == nil && (int64(len(got)) != tensor.Elements() || 4*len(got) > 2*len(file)) {
				t.Fatalf("tensor %q: %d elements of %d, from %d B", tensor.Name, len(got), tensor.Elements(), len(file))
			}
			if err != nil && tensor.Readable() == nil {
				t.Fatalf("tensor %q of an accepted file: %v", tensor.Name, err)
			}
		}
		if x.parts[0].data+at != int64(len(file)) {
			t.Fatalf("the tensors end at %d of %d B", x.parts[0].data+at, len(file))
		}
	})
}
