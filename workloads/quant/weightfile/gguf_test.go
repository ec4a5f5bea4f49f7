package weightfile

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

func tensorOf(name string, id uint32, shape []int64, data []byte) weighttest.Tensor {
	return weighttest.Tensor{Name: name, ID: id, Shape: shape, Data: data}
}

// manyTypes is a file with a tensor of each readable type, and of some that are not readable.
func manyTypes(t testing.TB) (*weighttest.GGUF, map[string][]float32) {
	f := &weighttest.GGUF{Version: 3, Align: 32, Metadata: [][2]any{
		{"general.architecture", "llama"},
		{"llama.block_count", uint32(2)},
		{"a.float32", float32(0.5)},
		{"a.bool", true},
		{"a.int8", int8(-3)},
		{"a.uint64", uint64(math.MaxUint64)},
		{"a.float64", 1e300},
		{"a.int16", int16(-300)},
		{"tokens", []string{"a", "", "ccc"}},
		{"numbers", []uint16{1, 2, 3}},
		{"long", strings.Repeat("x", maxGGUFText+1)},
	}}
	want := map[string][]float32{}
	w := make([]float32, 2*512)
	quant.NewGenerator(1, 512, quant.UsualOutliers()).Fill(w)
	for id, name := range map[uint32]quant.Kind{0: "f32", 1: "f16", 30: "bf16", 2: "q4_0", 3: "q4_1", 8: "q8_0", 12: "q4_K", 14: "q6_K"} {
		x := weighttest.Matrix(t, string(name), id, name, w, 2)
		f.Tensors = append(f.Tensors, x)
		got := make([]float32, len(w))
		name.Unpack(got, x.Data)
		want[string(name)] = got
	}
	f.Tensors = append(f.Tensors,
		tensorOf("double", 28, []int64{3}, bytesOf(t, []float64{0.1, 1e300, -5})),
		tensorOf("whole", 26, []int64{3}, make([]byte, 12)),
		tensorOf("none", 12, []int64{0, 256}, nil),
		tensorOf("five bits", 13, []int64{1, 1, 256}, make([]byte, 176)),
		tensorOf("future", 77, []int64{2, 5}, make([]byte, 64)),
		tensorOf("scalar", 0, nil, bytesOf(t, []float32{42})),
	)
	want["double"] = []float32{0.1, float32(math.Inf(1)), -5}
	want["scalar"], want["none"] = []float32{42}, []float32{}
	return f, want
}

func openGGUF(t *testing.T, f *weighttest.GGUF) *File {
	t.Helper()
	return openBytes(t, "x.gguf", f.Encode(t))
}

func TestGGUFReads(t *testing.T) {
	made, want := manyTypes(t)
	for _, version := range []uint32{2, 3} {
		made.Version = version
		f := openGGUF(t, made)
		for name, w := range want {
			got, err := f.ReadFloat32(name)
			if err != nil || !slices.Equal(got, w) {
				t.Errorf("%s: %d weights, %v; want %d", name, len(got), err, len(w))
			}
		}
		for key, text := range map[string]string{
			"general.architecture": "llama", "llama.block_count": "2", "a.float32": "0.5", "a.bool": "true", "a.int8": "-3",
			"a.uint64": "18446744073709551615", "a.float64": "1e+300", "a.int16": "-300", "tokens": "3 × text", "numbers": "3 × uint16",
			"long": "text of 4097 B",
		} {
			if got := f.Metadata()[key]; got != text {
				t.Errorf("metadata %s is %q, want %q", key, got, text)
			}
		}
		for name, why := range map[string]string{
			"five bits": "type q5_K is not available: Assay has no decoder for it",
			"whole":     "type i32 is not available: its values are whole numbers",
			"future":    "type 77 is not available: Assay knows no type of that number",
			"missing":   `no tensor "missing"; it has`,
		} {
			_, err := f.ReadFloat32(name)
			if err == nil || !strings.Contains(err.Error(), why) || !strings.Contains(err.Error(), f.Name()) {
				t.Errorf("%s: %v, want the file and %q", name, err, why)
			}
		}
		if x, err := f.Tensor("q4_K"); err != nil || x.Type != "q4_K" || x.Bytes() != 4*144 || x.Elements() != 1024 || !slices.Equal(x.Shape, []int64{2, 512}) {
			t.Errorf("q4_K is %+v, %v", x, err)
		}
		if x, err := f.Tensor("future"); err != nil || x.Bytes() != 64 {
			t.Errorf("future is %+v, %v", x, err)
		}
	}
}

// Any range of a tensor can be read, including one that begins and ends within blocks and is larger than a single read.
func TestGGUFReadsParts(t *testing.T) {
	const cols = 256 * 700
	w := make([]float32, cols)
	quant.NewGenerator(2, cols, quant.Outliers{}).Fill(w)
	matrix := weighttest.Matrix(t, "w", 14, "q6_K", w, 1)
	quant.Kind("q6_K").Unpack(w, matrix.Data)
	f := openGGUF(t, &weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{matrix}})
	x, err := f.Tensor("w")
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range [][2]int{{0, cols}, {1, 2}, {255, 257}, {256, 512}, {100, cols - 3}, {7, 7}, {cols - 1, cols}} {
		dst := make([]float32, span[1]-span[0])
		if err := f.ReadFloat32At(x, dst, int64(span[0])); err != nil || !slices.Equal(dst, w[span[0]:span[1]]) {
			t.Errorf("elements %v: wrong, or %v", span, err)
		}
	}
	if err := f.ReadFloat32At(x, make([]float32, 2), cols-1); err == nil {
		t.Error("elements beyond the end were read")
	}
}

func TestGGUFAlignment(t *testing.T) {
	data := bytesOf(t, []float32{1, 2, 3})
	for _, align := range []int{1, 8, 64, 4096} {
		f := openGGUF(t, &weighttest.GGUF{Align: align, Metadata: [][2]any{{"general.alignment", uint32(align)}}, Tensors: []weighttest.Tensor{
			tensorOf("a", 0, []int64{3}, data), tensorOf("b", 0, []int64{1, 3}, data),
		}})
		for _, name := range []string{"a", "b"} {
			if got, err := f.ReadFloat32(name); err != nil || !slices.Equal(got, []float32{1, 2, 3}) {
				t.Errorf("aligned to %d: %s is %v, %v", align, name, got, err)
			}
		}
	}
}

// ggufBad lists malformed files, each with part of its error.
func ggufBad(t testing.TB) map[string]struct {
	file []byte
	want string
} {
	type bad = struct {
		file []byte
		want string
	}
	eight := make([]byte, 32)
	one := func(x weighttest.Tensor) []byte {
		return (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{x}}).Encode(t)
	}
	with := func(kv ...[2]any) []byte { return (&weighttest.GGUF{Align: 32, Metadata: kv}).Encode(t) }
	good := one(tensorOf("w", 0, []int64{2, 4}, eight))
	patched := func(file []byte, at int, b ...byte) []byte {
		out := slices.Clone(file)
		copy(out[at:], b)
		return out
	}
	two := func(offset byte) []byte {
		f := (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{tensorOf("a", 0, []int64{8}, eight), tensorOf("b", 0, []int64{8}, eight)}}).Encode(t)
		at := bytes.Index(f, []byte{'b', 1, 0, 0, 0}) + 1 + 4 + 8 + 4
		return patched(f, at, offset)
	}
	huge := bytes.Repeat([]byte{0xff}, 8)
	return map[string]bad{
		"cut in the magic":     {good[:3], "byte 3: magic"},
		"only the magic":       {good[:4], "byte 4: version"},
		"cut in the counts":    {good[:20], "byte 20: number of metadata entries"},
		"cut in the name":      {good[:30], "name of tensor 0"},
		"cut in the entry":     {good[:45], `tensor "w"`},
		"no data":              {good[:96], `tensor "w", data from byte 96 of the file: data ends at byte 32 of the data, which has 0 B: the file is truncated`},
		"data cut short":       {good[:len(good)-1], `tensor "w", data from byte 96 of the file: data ends at byte 32 of the data, which has 31 B`},
		"version 1":            {patched(good, 4, 1), "byte 4: version 1, want 2 or 3"},
		"version 4":            {patched(good, 4, 4), "byte 4: version 4, want 2 or 3"},
		"big-endian":           {patched(good, 4, 0, 0, 0, 3), "byte 4: version 50331648: the file is big-endian"},
		"too many tensors":     {patched(good, 8, huge...), "byte 8: number of tensors: 18446744073709551615, the limit is 100000"},
		"too many entries":     {patched(good, 16, huge...), "byte 16: number of metadata entries: 18446744073709551615, the limit is 10000"},
		"long name":            {patched(good, 24, huge...), "byte 24: name of tensor 0: 18446744073709551615 B long, the limit is 1000 B"},
		"five dimensions":      {one(tensorOf("w", 0, []int64{1, 1, 1, 1, 8}, eight)), `tensor "w": 5 dimensions, the limit is 4`},
		"dimension over 2^63":  {one(tensorOf("w", 0, []int64{math.MinInt64}, eight)), `tensor "w": dimension of 9223372036854775808`},
		"overflow":             {one(tensorOf("w", 0, []int64{1 << 40, 1 << 40}, eight)), `tensor "w": type f32: shape [1099511627776 1099511627776] overflows`},
		"part of a block":      {one(tensorOf("w", 12, []int64{2, 128}, make([]byte, 144))), `tensor "w": type q4_K: shape [2 128]: rows are not a multiple of the block of 256`},
		"offset over 2^62":     {patched(good, 57, huge...), `byte 57: tensor "w": its data begins at byte 18446744073709551615`},
		"gap":                  {two(64), `tensor "b", data from byte 160 of the file: data begins at byte 64 of the data and leaves a gap from 32`},
		"overlap":              {two(16), `tensor "b", data from byte 112 of the file: data begins at byte 16 of the data and overlaps tensor "a"`},
		"same name twice":      {(&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{tensorOf("w", 0, []int64{8}, eight), tensorOf("w", 0, []int64{8}, eight)}}).Encode(t), `tensor "w": given twice`},
		"cut in a type":        {with([2]any{"k", "a"})[:35], `byte 35: metadata "k": unexpected EOF`},
		"same key twice":       {with([2]any{"k", "a"}, [2]any{"k", "b"}), `metadata "k": given twice`},
		"value of no type":     {patched(with([2]any{"k", "a"}), 33, 13), `byte 33: metadata "k": value of type 13, want 0 to 12`},
		"text past the end":    {patched(with([2]any{"k", "a"}), 37, huge...), `metadata "k": 18446744073709551615 B, but only`},
		"array past the end":   {patched(with([2]any{"k", []uint16{1, 2}}), 41, huge...), `metadata "k": an array of 18446744073709551615 values, but only`},
		"texts past the end":   {patched(with([2]any{"k", []string{"a"}}), 49, huge...), `metadata "k": 18446744073709551615 B, but only`},
		"array of no type":     {patched(with([2]any{"k", []string{"a"}}), 37, 99), `metadata "k": value of type 99`},
		"nested arrays":        {nested(maxGGUFDepth + 2), "arrays of arrays more than 8 deep"},
		"alignment of 12":      {with([2]any{"general.alignment", uint32(12)}), `byte 53: metadata "general.alignment" is "12", want a power of two`},
		"alignment in words":   {with([2]any{"general.alignment", "32x"}), `is "32x", want a power of two`},
		"alignment of nothing": {with([2]any{"general.alignment", uint32(0)}), `is "0", want a power of two`},
	}
}

// nested is a header with arrays nested to the given depth.
func nested(depth int) []byte {
	b := append([]byte(ggufMagic), 3, 0, 0, 0)
	b = binary.LittleEndian.AppendUint64(b, 0)
	b = binary.LittleEndian.AppendUint64(b, 1)
	b = binary.LittleEndian.AppendUint64(b, 1)
	b = append(b, 'k')
	b = binary.LittleEndian.AppendUint32(b, ggufArray)
	for range depth {
		b = binary.LittleEndian.AppendUint32(b, ggufArray)
		b = binary.LittleEndian.AppendUint64(b, 1)
	}
	return append(b, make([]byte, 64)...)
}

func TestGGUFRefuses(t *testing.T) {
	for name, bad := range ggufBad(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.gguf")
			if err := os.WriteFile(path, bad.file, 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := Open(path)
			if err == nil {
				f.Close()
				t.Fatal("the file was accepted")
			}
			if !strings.Contains(err.Error(), bad.want) || !strings.Contains(err.Error(), path+": not a valid .gguf file: ") {
				t.Errorf("error %q, want the path and %q", err, bad.want)
			}
		})
	}
	// Without the magic, the name decides the expected format.
	if _, err := newFile("x.gguf", strings.NewReader("no such thing"), 13); err == nil || !strings.Contains(err.Error(), `it begins with "no s", want "GGUF"`) {
		t.Errorf("a file of text: %v", err)
	}
}

// Lengths beyond the file must be rejected before memory is allocated.
func TestGGUFDoesNotAllocateForALie(t *testing.T) {
	var before, after runtime.MemStats
	bad := ggufBad(t)
	runtime.ReadMemStats(&before)
	for _, name := range []string{"too many tensors", "too many entries", "long name", "text past the end", "array past the end", "no data"} {
		if _, err := newFile("lie", bytes.NewReader(bad[name].file), int64(len(bad[name].file))); err == nil {
			t.Fatalf("%s: the file was accepted", name)
		}
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 2<<20 {
		t.Errorf("%d B were allocated for what is not there", got)
	}
}

func FuzzGGUF(f *testing.F) {
	made, _ := manyTypes(f)
	f.Add(made.Encode(f))
	f.Add(nested(3))
	for _, bad := range ggufBad(f) {
		f.Add(bad.file)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		x, err := newFile("fuzz.gguf", bytes.NewReader(file), int64(len(file)))
		if err != nil {
			return
		}
		at := int64(0)
		for _, tensor := range x.Tensors() {
			if tensor.Begin < at || tensor.End < tensor.Begin || x.parts[0].data+tensor.End > int64(len(file)) && tensor.Bytes() > 0 {
				t.Fatalf("tensor %q at [%d, %d) does not follow on %d in %d B", tensor.Name, tensor.Begin, tensor.End, at, len(file))
			}
			at = tensor.End
			got, err := x.ReadFloat32(tensor.Name)
			if err == nil && (int64(len(got)) != tensor.Elements() || len(got) > 2*len(file)) {
				t.Fatalf("tensor %q: %d elements of %d, from %d B", tensor.Name, len(got), tensor.Elements(), len(file))
			}
			if err != nil && tensor.Readable() == nil {
				t.Fatalf("tensor %q of an accepted file: %v", tensor.Name, err)
			}
		}
	})
}
