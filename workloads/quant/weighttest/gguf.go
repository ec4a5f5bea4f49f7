// Package weighttest writes weight files for tests.
package weighttest

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/workloads/quant"
)

// Tensor is a tensor to write. ID is ggml's number for its type.
type Tensor struct {
	Name  string
	ID    uint32
	Shape []int64 // rows first
	Data  []byte
}

// GGUF is a .gguf file to write. Metadata values are text, numbers, bool, []string or []uint16.
type GGUF struct {
	Version  uint32 // 0: 2
	Metadata [][2]any
	Tensors  []Tensor
	Align    int // 0: no alignment
}

// The format's numbers for metadata types.
const (
	textID  = 8
	arrayID = 9
	wordID  = 2
)

// scalars lists the other metadata types, indexed by number.
func scalars() []string {
	return []string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "", "", "uint64", "int64", "float64"}
}

// writer appends to a buffer.
type writer struct {
	testing.TB
	bytes.Buffer
}

func (w *writer) put(values ...any) {
	w.Helper()
	for _, v := range values {
		if s, ok := v.(string); ok {
			w.put(uint64(len(s)), []byte(s))
			continue
		}
		if err := binary.Write(&w.Buffer, binary.LittleEndian, v); err != nil {
			w.Fatal(err)
		}
	}
}

// value writes a value of metadata.
func (w *writer) value(v any) {
	w.Helper()
	switch v := v.(type) {
	case string:
		w.put(uint32(textID), v)
	case []string:
		w.put(uint32(arrayID), uint32(textID), uint64(len(v)))
		for _, s := range v {
			w.put(s)
		}
	case []uint16:
		w.put(uint32(arrayID), uint32(wordID), uint64(len(v)), v)
	default:
		id := slices.Index(scalars(), fmt.Sprintf("%T", v))
		if id < 0 {
			w.Fatalf("metadata of type %T", v)
		}
		w.put(uint32(id), v)
	}
}

// padding fills up to the alignment.
const padding = 0xee

// Encode returns the file's bytes.
func (f *GGUF) Encode(t testing.TB) []byte {
	t.Helper()
	w := &writer{TB: t}
	w.put([]byte("GGUF"), max(f.Version, 2), uint64(len(f.Tensors)), uint64(len(f.Metadata)))
	for _, kv := range f.Metadata {
		w.put(kv[0])
		w.value(kv[1])
	}
	align := max(f.Align, 1)
	var data []byte
	for _, x := range f.Tensors {
		for len(data)%align != 0 {
			data = append(data, padding)
		}
		w.put(x.Name, uint32(len(x.Shape)))
		for i := range x.Shape {
			w.put(x.Shape[len(x.Shape)-1-i])
		}
		w.put(x.ID, uint64(len(data)))
		data = append(data, x.Data...)
	}
	for w.Len()%align != 0 {
		w.put(byte(padding))
	}
	return append(w.Bytes(), data...)
}

// Save writes the file to a test folder, and returns its path.
func (f *GGUF) Save(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.gguf")
	if err := os.WriteFile(path, f.Encode(t), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Matrix returns a tensor of weights w in a kind with the given ggml number.
func Matrix(t testing.TB, name string, id uint32, k quant.Kind, w []float32, rows int) Tensor {
	t.Helper()
	p, _, err := quant.Format{Kind: k}.Encode(w, rows, len(w)/rows)
	if err != nil {
		t.Fatal(err)
	}
	return Tensor{name, id, []int64{int64(rows), int64(len(w) / rows)}, p.Planes[0]}
}
