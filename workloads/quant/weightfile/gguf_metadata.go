package weightfile

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
)

// ggufValue is a type of metadata values: its size, and how to format it as text.
type ggufValue struct {
	name string
	size int // 0: variable
	text func(raw []byte) string
}

// Types of metadata values with a variable length.
const (
	ggufText  = 8
	ggufArray = 9
)

// ggufValues are the types of metadata values by number. It is read-only.
var ggufValues = [...]ggufValue{
	{"uint8", 1, func(b []byte) string { return strconv.Itoa(int(b[0])) }},
	{"int8", 1, func(b []byte) string { return strconv.Itoa(int(int8(b[0]))) }},
	{"uint16", 2, func(b []byte) string { return strconv.Itoa(int(binary.LittleEndian.Uint16(b))) }},
	{"int16", 2, func(b []byte) string { return strconv.Itoa(int(int16(binary.LittleEndian.Uint16(b)))) }},
	{"uint32", 4, func(b []byte) string { return strconv.FormatUint(uint64(binary.LittleEndian.Uint32(b)), 10) }},
	{"int32", 4, func(b []byte) string { return strconv.Itoa(int(int32(binary.LittleEndian.Uint32(b)))) }},
	{"float32", 4, func(b []byte) string {
		return strconv.FormatFloat(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), 'g', -1, 32)
	}},
	{"bool", 1, func(b []byte) string { return strconv.FormatBool(b[0] != 0) }},
	{"text", 0, nil},
	{"array", 0, nil},
	{"uint64", 8, func(b []byte) string { return strconv.FormatUint(binary.LittleEndian.Uint64(b), 10) }},
	{"int64", 8, func(b []byte) string { return strconv.FormatInt(int64(binary.LittleEndian.Uint64(b)), 10) }},
	{"float64", 8, func(b []byte) string {
		return strconv.FormatFloat(math.Float64frombits(binary.LittleEndian.Uint64(b)), 'g', -1, 64)
	}},
}

// pair reads an entry of the metadata.
func (g *ggufReader) pair(into map[string]string) {
	at := g.at
	key := g.text("key of metadata", maxGGUFKey)
	what := "metadata " + quoted(key)
	if _, twice := into[key]; twice {
		g.fail(at, "%s: given twice", what)
	}
	kind, valueAt := g.kind(what), g.at
	v := g.value(what, kind, 0)
	if key == alignmentKey && g.err == nil {
		g.align(valueAt, what, v)
	}
	if g.err == nil {
		into[key] = v
	}
}

// alignmentKey names the metadata that sets the alignment of all data.
const alignmentKey = "general.alignment"

// align parses the alignment from the text of its value.
func (g *ggufReader) align(at int64, what, text string) {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 || n&(n-1) != 0 {
		g.fail(at, "%s is %s, want a power of two", what, quoted(text))
		return
	}
	g.alignment = n
}

// kind reads the type of a value.
func (g *ggufReader) kind(what string) int {
	at := g.at
	k := g.u32(what)
	if k >= uint32(len(ggufValues)) {
		g.fail(at, "%s: value of type %d, want 0 to %d", what, k, len(ggufValues)-1)
		return 0
	}
	return int(k)
}

// value reads a value as text. For an array, or long text, it keeps only the length.
func (g *ggufReader) value(what string, kind, depth int) string {
	switch kind {
	case ggufText:
		n := g.u64(what)
		if n <= maxGGUFText {
			return g.raw(what, n)
		}
		g.skip(what, n)
		return fmt.Sprintf("text of %d B", n)
	case ggufArray:
		return g.array(what, depth)
	}
	v := ggufValues[kind]
	return v.text(g.bytes(what, v.size))
}

// array skips an array, and describes how many elements of which type it has.
func (g *ggufReader) array(what string, depth int) string {
	at := g.at
	kind := g.kind(what)
	n := g.u64(what)
	if depth == maxGGUFDepth {
		g.fail(at, "%s: arrays of arrays more than %d deep", what, maxGGUFDepth)
	}
	size := uint64(ggufValues[kind].size)
	least := max(size, 8) // text and arrays have at least a length field
	if size > 0 {
		least = size
	}
	if g.err == nil && n > uint64(g.size-g.at)/least {
		g.fail(at, "%s: an array of %d values, but only %d B follow: the file is truncated", what, n, g.size-g.at)
	}
	if size > 0 && g.err == nil {
		g.skip(what, n*size)
	}
	for i := uint64(0); size == 0 && i < n && g.err == nil; i++ {
		if kind == ggufArray {
			g.array(what, depth+1)
		} else {
			g.skip(what, g.u64(what))
		}
	}
	return fmt.Sprintf("%d × %s", n, ggufValues[kind].name)
}
