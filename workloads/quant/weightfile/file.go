// Package weightfile reads weight files, .safetensors and .gguf, through one type: a table of tensors, checked before
// anything is read, and their weights as float32, streamed with bounded memory.
package weightfile

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/plain"
	"assay/internal/regular"
)

// Tensor is one tensor of a file.
type Tensor struct {
	Name  string
	Type  string  // as the file names it: "BF16", "q4_K"
	Shape []int64 // for a matrix: rows, columns; neighbors in a row are contiguous
	// Begin and End are byte offsets from the start of the data. If the size of a type is not known, End is the start of the next
	// tensor.
	Begin, End int64

	stored stored
	part   int // index of the file
}

// Bytes is the tensor's size in the file.
func (t *Tensor) Bytes() int64 { return t.End - t.Begin }

// Elements returns the product of the shape: 1 for rank 0.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d // the header check ruled out overflow
	}
	return n
}

// Readable returns why the weights cannot be read; nil if they can.
func (t *Tensor) Readable() error {
	if t.stored.decode == nil {
		return fmt.Errorf("type %s is not available: %s", t.Type, t.stored.why)
	}
	return nil
}

// stored is how a type stores weights, in blocks: a single element is a block of one weight.
type stored struct {
	weights int                             // per block
	bits    int                             // per block; 0: not known
	decode  func(dst []float32, src []byte) // whole blocks
	why     string                          // why it has no decode
}

// File is one or several open files whose headers were checked. It reads with pread and keeps no tensor data; reads may run
// concurrently.
type File struct {
	name     string
	parts    []part
	tensors  []Tensor
	metadata map[string]string
}

// part is one file on disk.
type part struct {
	name  string
	r     io.ReaderAt
	close func() error
	data  int64 // offset of the data in the file
}

// container is a file format.
type container struct {
	extension string
	magic     string // the first bytes of such a file; empty if it has none
	parse     func(r io.ReaderAt, size int64) (*contents, error)
}

// contents is the information in a file's header.
type contents struct {
	data     int64 // where the tensors' data begins
	tensors  []Tensor
	metadata map[string]string
}

// containers lists the formats. The one without a magic comes last.
func containers() []container {
	return []container{{".gguf", ggufMagic, parseGGUF}, {".safetensors", "", parseSafetensors}}
}

// Extensions lists the file name extensions that can be read, including the period.
func Extensions() []string {
	var all []string
	for _, c := range containers() {
		all = append(all, c.extension)
	}
	return all
}

// Open reads and checks the header of the file, or of all files that an index lists. Errors name the file, the tensor, and the byte or
// the limit.
func Open(path string) (*File, error) {
	if strings.HasSuffix(path, indexEnding) {
		return openIndex(path)
	}
	return openOne(path)
}

func openOne(path string) (*File, error) {
	f, info, err := regular.Open(path, "a .safetensors or .gguf file")
	if err != nil {
		return nil, err
	}
	file, err := newFile(path, f, info.Size())
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	file.parts[0].close = f.Close
	return file, nil
}

// newFile reads and checks the header of a file of size bytes. name identifies it in errors.
func newFile(name string, r io.ReaderAt, size int64) (*File, error) {
	c, told := containerOf(name, r)
	got, err := c.parse(r, size)
	switch {
	case err != nil && !told:
		return nil, fmt.Errorf("%s: not a %s file: neither its name nor its first bytes say so, and read as %s: %w",
			name, strings.Join(Extensions(), " or "), c.extension, err)
	case err != nil:
		return nil, fmt.Errorf("%s: not a valid %s file: %w", name, c.extension, err)
	}
	return &File{
		name: name, tensors: got.tensors, metadata: got.metadata,
		parts: []part{{name, r, func() error { return nil }, got.data}},
	}, nil
}

// containerOf finds a file's format by its first bytes, or else by its name. If neither identifies it, it is the format without a
// magic.
func containerOf(name string, r io.ReaderAt) (c container, told bool) {
	all := containers()
	var start [8]byte
	n, _ := r.ReadAt(start[:], 0)
	for _, c := range all {
		if c.magic != "" && strings.HasPrefix(string(start[:n]), c.magic) {
			return c, true
		}
	}
	for _, c := range all {
		if strings.EqualFold(filepath.Ext(name), c.extension) {
			return c, true
		}
	}
	return all[len(all)-1], false
}

// Name returns the file's path.
func (f *File) Name() string { return f.name }

// Tensors lists the tensors in the order of their data.
func (f *File) Tensors() []Tensor { return slices.Clone(f.tensors) }

// Metadata returns the file's free-form text by key; empty if it has none. For arrays the text is their length.
func (f *File) Metadata() map[string]string { return f.metadata }

// Close closes the file.
func (f *File) Close() error {
	var all []error
	for _, p := range f.parts {
		all = append(all, p.close())
	}
	return errors.Join(all...)
}

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
		out += plain.Text(t.Name)
	}
	return out
}
