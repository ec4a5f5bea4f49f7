package weightfile

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"assay/workloads/quant"
)

const ggufMagic = "GGUF"

// Limits of the header of a .gguf file.
const (
	maxGGUFRank  = 4
	maxGGUFPairs = 10_000 // metadata pairs, with up to maxGGUFText of text each
	maxGGUFKey   = 1<<16 - 1
	maxGGUFText  = 4096 // of a value that is kept
	maxGGUFDepth = 8    // nesting of arrays
)

// ggufReader reads a header once from start to end, using little memory. It keeps the first error and the byte where it occurred.
type ggufReader struct {
	in   *bufio.Reader
	at   int64 // of the next byte
	size int64
	err  error

	alignment int64 // of data
}

const usualAlignment = 32 // for files that do not specify it

// parseGGUF reads the header of a .gguf file, versions 2 and 3, little-endian.
func parseGGUF(r io.ReaderAt, size int64) (*contents, error) {
	g := &ggufReader{in: bufio.NewReaderSize(io.NewSectionReader(r, 0, size), 1<<16), size: size, alignment: usualAlignment}
	if magic := string(g.bytes("magic", 4)); g.err == nil && magic != ggufMagic {
		return nil, fmt.Errorf("it begins with %q, want %q", magic, ggufMagic)
	}
	g.version()
	tensors := g.count("number of tensors", maxEntries)
	pairs := g.count("number of metadata entries", maxGGUFPairs)
	c := &contents{metadata: map[string]string{}}
	for i := 0; i < pairs && g.err == nil; i++ {
		g.pair(c.metadata)
	}
	seen := map[string]bool{}
	for i := 0; i < tensors && g.err == nil; i++ {
		c.tensors = append(c.tensors, g.tensor(i, seen))
	}
	if g.err != nil {
		return nil, g.err
	}
	c.data = up(g.at, g.alignment)
	return c, checkGGUF(c.tensors, g.alignment, c.data, max(size-c.data, 0))
}

// up returns the first multiple of align that is at least n.
func up(n, align int64) int64 { return (n + align - 1) / align * align }

// fail keeps the first error; at is the byte where it occurred.
func (g *ggufReader) fail(at int64, format string, args ...any) {
	if g.err == nil {
		g.err = fmt.Errorf("byte %d: %w", at, fmt.Errorf(format, args...))
	}
}

// bytes reads n bytes of what, at most eight; it returns zeros after an error.
func (g *ggufReader) bytes(what string, n int) []byte {
	var buf [8]byte
	if g.err == nil {
		if got, err := io.ReadFull(g.in, buf[:n]); err != nil {
			clear(buf[:])
			g.fail(g.at+int64(got), "%s: %w: the file is truncated", what, io.ErrUnexpectedEOF)
		}
		g.at += int64(n)
	}
	return buf[:n]
}

func (g *ggufReader) u32(what string) uint32 { return binary.LittleEndian.Uint32(g.bytes(what, 4)) }
func (g *ggufReader) u64(what string) uint64 { return binary.LittleEndian.Uint64(g.bytes(what, 8)) }

func (g *ggufReader) version() {
	at := g.at
	v := g.u32("version")
	switch {
	case g.err != nil || v == 2 || v == 3:
	case v&0xffff == 0:
		g.fail(at, "version %d: the file is big-endian, want little-endian", v)
	default:
		g.fail(at, "version %d, want 2 or 3", v)
	}
}

// count reads a number of things, from 0 to most.
func (g *ggufReader) count(what string, most int) int {
	at := g.at
	n := g.u64(what)
	if n > uint64(most) {
		g.fail(at, "%s: %d, the limit is %d", what, n, most)
		return 0
	}
	return int(n)
}

// text reads a string of at most `most` bytes.
func (g *ggufReader) text(what string, most int) string {
	at := g.at
	n := g.u64(what)
	if g.err == nil && n > uint64(most) {
		g.fail(at, "%s: %d B long, the limit is %d B", what, n, most)
	}
	return g.raw(what, n)
}

// raw reads n bytes as text. It checks that they exist before it allocates memory for them.
func (g *ggufReader) raw(what string, n uint64) string {
	if !g.follow(what, n) {
		return ""
	}
	out := make([]byte, n)
	if _, err := io.ReadFull(g.in, out); err != nil {
		g.fail(g.at, "%s: %w", what, noEOF(err))
	}
	g.at += int64(n)
	return string(out)
}

// follow reports whether the file has n more bytes.
func (g *ggufReader) follow(what string, n uint64) bool {
	if left := g.size - g.at; g.err == nil && n > uint64(left) {
		g.fail(g.at, "%s: %d B, but only %d B follow: the file is truncated", what, n, left)
	}
	return g.err == nil
}

// skip passes over n bytes.
func (g *ggufReader) skip(what string, n uint64) {
	for g.follow(what, n) && n > 0 {
		step := int(min(n, 1<<30))
		if _, err := g.in.Discard(step); err != nil {
			g.fail(g.at, "%s: %w", what, noEOF(err))
		}
		g.at, n = g.at+int64(step), n-uint64(step)
	}
}

// tensor reads the entry of tensor i.
func (g *ggufReader) tensor(i int, seen map[string]bool) Tensor {
	at := g.at
	t := Tensor{Name: g.text(fmt.Sprintf("name of tensor %d", i), maxName)}
	what := "tensor " + quoted(t.Name)
	if seen[t.Name] {
		g.fail(at, "%s: given twice", what)
	}
	seen[t.Name] = true
	at = g.at
	rank := g.u32(what)
	if rank > maxGGUFRank {
		g.fail(at, "%s: %d dimensions, the limit is %d", what, rank, maxGGUFRank)
		return t
	}
	t.Shape = make([]int64, rank)
	for d := range t.Shape {
		at := g.at
		n := g.u64(what)
		if n > math.MaxInt64 {
			g.fail(at, "%s: dimension of %d", what, n)
		}
		t.Shape[len(t.Shape)-1-d] = int64(n) // the file lists columns first
	}
	t.Type, t.stored = ggufType(g.u32(what))
	at = g.at
	begin := g.u64(what)
	if begin > math.MaxInt64/2 {
		g.fail(at, "%s: its data begins at byte %d of the data", what, begin)
	}
	t.Begin = int64(begin)
	if t.stored.bits == 0 || g.err != nil {
		return t
	}
	size, err := t.stored.size(t.Shape)
	if err != nil {
		g.fail(at, "%s: type %s: %w", what, t.Type, err)
	}
	t.End = t.Begin + size
	return t
}

// checkGGUF sorts the tensors by their data, and checks that the data are contiguous within size bytes, starting at byte data of the
// file, with no more than padding between them.
func checkGGUF(tensors []Tensor, align, data, size int64) error {
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End))
	})
	var at int64
	var before string
	for i := range tensors {
		t := &tensors[i]
		if t.stored.bits == 0 { // up to the next tensor
			if t.End = size; i+1 < len(tensors) {
				t.End = tensors[i+1].Begin
			}
		}
		if err := checkPlace(t, before, at, size); err != nil {
			return t.misplaced(data, err)
		}
		at, before = up(t.End, align), t.Name
	}
	return nil
}

// checkPlace checks that a tensor begins at byte `at` of size, where the data of the previous tensor end.
func checkPlace(t *Tensor, before string, at, size int64) error {
	switch {
	case t.Begin < at:
		return fmt.Errorf("data begins at byte %d of the data and overlaps tensor %s, which lasts to %d", t.Begin, quoted(before), at)
	case t.Begin > at:
		return fmt.Errorf("data begins at byte %d of the data and leaves a gap from %d", t.Begin, at)
	case t.End > size:
		return fmt.Errorf("data ends at byte %d of the data, which has %d B: the file is truncated", t.End, size)
	}
	return nil
}

// ggufType is a tensor type, with ggml's names for it.
func ggufType(id uint32) (string, stored) {
	if t, known := ggufTypes[id]; known {
		return t.name, t.stored
	}
	return strconv.FormatUint(uint64(id), 10), unread(1, 0, "Assay knows no type of that number")
}

type ggufNamed struct {
	name string
	stored
}

// ggufTypes are the types of tensors by number. It is read-only.
var ggufTypes = describeGGUF()

// describeGGUF lists ggml's types. Those that quant has a kind for can be read.
func describeGGUF() map[uint32]ggufNamed {
	all := map[uint32]ggufNamed{28: {"f64", float64s()}}
	for id, k := range map[uint32]quant.Kind{
		0: quant.F32, 1: quant.F16, 30: quant.BF16, 2: "q4_0", 3: "q4_1", 8: "q8_0", 12: "q4_K", 14: "q6_K",
	} {
		all[id] = ggufNamed{string(k), of(k)}
	}
	for id, name := range map[uint32]string{24: "i8", 25: "i16", 26: "i32", 27: "i64"} {
		all[id] = ggufNamed{name, unread(1, 8<<(id-24), integers)}
	}
	for _, t := range []struct {
		id             uint32
		name           string
		weights, bytes int
	}{
		{6, "q5_0", 32, 22},
		{7, "q5_1", 32, 24},
		{9, "q8_1", 32, 36},
		{10, "q2_K", 256, 84},
		{11, "q3_K", 256, 110},
		{13, "q5_K", 256, 176},
		{15, "q8_K", 256, 292},
		{16, "iq2_xxs", 256, 66},
		{17, "iq2_xs", 256, 74},
		{18, "iq3_xxs", 256, 98},
		{19, "iq1_s", 256, 50},
		{20, "iq4_nl", 32, 18},
		{21, "iq3_s", 256, 110},
		{22, "iq2_s", 256, 82},
		{23, "iq4_xs", 256, 136},
		{29, "iq1_m", 256, 56},
		{34, "tq1_0", 256, 54},
		{35, "tq2_0", 256, 66},
		{39, "mxfp4", 32, 17},
		{40, "nvfp4", 64, 36},
		{41, "q1_0", 128, 18},
		{42, "q2_0", 64, 18},
	} {
		all[t.id] = ggufNamed{t.name, unread(t.weights, 8*t.bytes, noCodec)}
	}
	return all
}
