package weightfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"assay/workloads/quant"
)

// maxHeader is the maximum header size of a .safetensors file, in bytes, as in the format's reference reader.
const maxHeader = 100_000_000

// lengthBytes is the size of the length field before the header.
const lengthBytes = 8

// parseSafetensors reads and checks the header of a .safetensors file of size bytes.
func parseSafetensors(r io.ReaderAt, size int64) (*contents, error) {
	header, err := readHeader(r, size)
	if err != nil {
		return nil, err
	}
	c := &contents{data: lengthBytes + int64(len(header))}
	if c.tensors, c.metadata, err = parseHeader(header, maxEntries); err != nil {
		return nil, err
	}
	return c, checkLayout(c.tensors, c.data, size-c.data)
}

// dtypes are the types of the format by name. It is read-only.
var dtypes = map[string]stored{
	"F64": float64s(), "F32": of(quant.F32), "F16": of(quant.F16), "BF16": of(quant.BF16),
	"F8_E5M2": unread(1, 8, noScales), "F8_E4M3": unread(1, 8, noScales), "F8_E8M0": unread(1, 8, noScales),
	"F6_E2M3": unread(1, 6, noScales), "F6_E3M2": unread(1, 6, noScales), "F4": unread(1, 4, noScales),
	"BOOL": unread(1, 8, integers), "U8": unread(1, 8, integers), "I8": unread(1, 8, integers),
	"U16": unread(1, 16, integers), "I16": unread(1, 16, integers), "U32": unread(1, 32, integers),
	"I32": unread(1, 32, integers), "U64": unread(1, 64, integers), "I64": unread(1, 64, integers),
	"C64": unread(1, 64, "its values are complex"),
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
		return nil, fmt.Errorf("byte 0: a header of %d B, the limit is %d B", n, maxHeader)
	}
	if int64(n) > size-8 {
		return nil, fmt.Errorf("byte 0: a header of %d B, but only %d B follow its length: the file is truncated", n, size-8)
	}
	header := make([]byte, n)
	if _, err := r.ReadAt(header, 8); err != nil && n > 0 && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read header: %w", err)
	}
	return header, nil
}

// isPointer reports whether a file is the placeholder that Git stores instead of a large file.
func isPointer(r io.ReaderAt) bool {
	const start = "version https://git-lfs.github.com/spec/"
	var text [len(start)]byte
	n, _ := r.ReadAt(text[:], 0)
	return string(text[:n]) == start
}
