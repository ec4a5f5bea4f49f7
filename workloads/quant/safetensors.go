package quant

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/x448/float16"

	"assay/internal/regular"
)

// maxHeader is the maximum header size of a .safetensors file, in bytes, as in the format's reference reader.
const maxHeader = 100_000_000

// Tensor is one tensor of a .safetensors file.
type Tensor struct {
	Name  string
	DType string // as the file names it: "F32", "BF16"
	Shape []int64
	// Begin and End are byte offsets from the start of the data.
	Begin, End int64
}

// Bytes is the tensor's size in the file.
func (t *Tensor) Bytes() int64 { return t.End - t.Begin }

// Elements is the product of the shape: 1 for rank 0.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d // the header check ruled out overflow
	}
	return n
}

// File is an open .safetensors file whose header was checked. It reads with pread and keeps no tensor data; reads may
// run concurrently.
type File struct {
	name     string
	r        io.ReaderAt
	close    func() error
	data     int64 // offset of the data in the file
	tensors  []Tensor
	metadata map[string]string
}

// Open reads and checks the header of the file. Errors name the file, and the tensor and the limit concerned.
func Open(path string) (*File, error) {
	f, info, err := regular.Open(path, "a .safetensors file")
	if err != nil {
		return nil, err
	}
	file, err := newFile(path, f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file.close = f.Close
	return file, nil
}

// newFile reads and checks the header of a .safetensors file of size bytes. name stands for it in errors.
func newFile(name string, r io.ReaderAt, size int64) (*File, error) {
	header, err := readHeader(r, size)
	if err == nil {
		f := &File{name: name, r: r, close: func() error { return nil }, data: 8 + int64(len(header))}
		f.tensors, f.metadata, err = parseHeader(header, maxEntries)
		if err == nil {
			err = checkLayout(f.tensors, size-f.data)
		}
		if err == nil {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s: not a valid .safetensors file: %w", name, err)
}

// readHeader reads the header's text. Its length is checked before memory is allocated.
func readHeader(r io.ReaderAt, size int64) ([]byte, error) {
	if size < 8 {
		return nil, fmt.Errorf("%d B long, want at least the 8 B of the header’s length", size)
	}
	var raw [8]byte
	if _, err := r.ReadAt(raw[:], 0); err != nil {
		return nil, fmt.Errorf("read header length: %w", noEOF(err))
	}
	n := binary.LittleEndian.Uint64(raw[:])
	if n > maxHeader && isPointer(r) {
		return nil, errors.New("a Git LFS pointer instead of the weights: get them with git lfs pull")
	}
	if n > maxHeader {
		return nil, fmt.Errorf("header of %d B, the limit is %d B", n, maxHeader)
	}
	if int64(n) > size-8 {
		return nil, fmt.Errorf("header of %d B, but only %d B follow its length: the file is truncated", n, size-8)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil && n > 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read header: %w", err)
	}
	return header, nil
}

// isPointer reports whether a file is what Git has in place of a large file.
func isPointer(r io.ReaderAt) bool {
	const start = "version https://git-lfs.github.com/spec/"
	var text [len(start)]byte
	n, _ := r.ReadAt(text[:], 0)
	return string(text[:n]) == start
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF: the file should be longer.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Name is the file's path.
func (f *File) Name() string { return f.name }

// Tensors lists the tensors in the order of their data.
func (f *File) Tensors() []Tensor { return slices.Clone(f.tensors) }

// Metadata is the file's free-form text by key; empty if it has none.
func (f *File) Metadata() map[string]string { return f.metadata }

// Close closes the file.
func (f *File) Close() error { return f.close() }

// Tensor finds a tensor by name.
func (f *File) Tensor(name string) (*Tensor, error) {
	for i := range f.tensors {
		if f.tensors[i].Name == name {
			return &f.tensors[i], nil
		}
	}
	return nil, fmt.Errorf("%s: no tensor %q; it has %s", f.name, name, f.names())
}

// names lists the names of the first tensors.
func (f *File) names() string {
	const most = 20
	if len(f.tensors) == 0 {
		return "none"
	}
	var out string
	for i, t := range f.tensors {
		if i == most {
			return fmt.Sprintf("%s and %d more", out, len(f.tensors)-most)
		}
		if i > 0 {
			out += ", "
		}
		out += t.Name
	}
	return out
}

// ReadFloat32 reads a whole tensor of dtype F32, F16, BF16 or F64, row by row; F64 is rounded to float32.
func (f *File) ReadFloat32(name string) ([]float32, error) {
	t, err := f.Tensor(name)
	if err != nil {
		return nil, err
	}
	if err := f.readable(t); err != nil {
		return nil, err
	}
	dst := make([]float32, t.Elements()) // the file is at least half as long
	return dst, f.ReadFloat32At(t, dst, 0)
}

// readChunk is the size of a read, in bytes.
const readChunk = 1 << 16

// ReadFloat32At reads len(dst) elements of t from element first on, in pieces of 64 KiB.
func (f *File) ReadFloat32At(t *Tensor, dst []float32, first int64) error {
	if err := f.readable(t); err != nil {
		return err
	}
	if n := t.Elements(); first < 0 || first > n-int64(len(dst)) {
		return fmt.Errorf("%s: tensor %q: elements %d…%d of %d", f.name, t.Name, first, first+int64(len(dst)), n)
	}
	size := bitsOf(t.DType) / 8
	decode := decoder(t.DType)
	buf := make([]byte, min(readChunk, len(dst)*size))
	at := f.data + t.Begin + first*int64(size)
	for len(dst) > 0 {
		n := min(len(buf)/size, len(dst))
		if got, err := f.r.ReadAt(buf[:n*size], at); got < n*size {
			return fmt.Errorf("%s: tensor %q: read at %d: %w", f.name, t.Name, at, noEOF(err))
		}
		decode(dst[:n], buf)
		dst, at = dst[n:], at+int64(n*size)
	}
	return nil
}

func (f *File) readable(t *Tensor) error {
	if decoder(t.DType) == nil {
		return fmt.Errorf("%s: tensor %q: dtype %s is not supported: want F32, F16, BF16 or F64", f.name, t.Name, t.DType)
	}
	return nil
}

// decoder turns little-endian elements of a dtype into float32; nil if the dtype is not supported.
func decoder(dtype string) func(dst []float32, src []byte) {
	le := binary.LittleEndian
	switch dtype {
	case "F32":
		return func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
			}
		}
	case "F16":
		return func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float16.Frombits(le.Uint16(src[2*i:])).Float32()
			}
		}
	case "BF16":
		return func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = math.Float32frombits(uint32(le.Uint16(src[2*i:])) << 16)
			}
		}
	case "F64":
		return func(dst []float32, src []byte) {
			for i := range dst {
				dst[i] = float32(math.Float64frombits(le.Uint64(src[8*i:])))
			}
		}
	}
	return nil
}
