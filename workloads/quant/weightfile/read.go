package weightfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"assay/workloads/quant"
)

func (f *File) readable(t *Tensor) error {
	if err := t.Readable(); err != nil {
		return fmt.Errorf("%s: tensor %q: %w", f.parts[t.part].name, t.Name, err)
	}
	return nil
}

// readChunk is the size of a read, in bytes.
const readChunk = 1 << 16

// ReadFloat32At reads len(dst) elements of t from element first on, in pieces of at most 64 KiB.
func (f *File) ReadFloat32At(t *Tensor, dst []float32, first int64) error {
	if err := f.readable(t); err != nil {
		return err
	}
	p := &f.parts[t.part]
	if n := t.Elements(); first < 0 || first > n-int64(len(dst)) {
		return fmt.Errorf("%s: tensor %q: elements %d…%d of %d", p.name, t.Name, first, first+int64(len(dst)), n)
	}
	s := &t.stored
	weights, size := s.weights, s.bits/8
	spare := int(first % int64(weights)) // elements of the first block before the first requested one
	most := max(readChunk/size, 1)
	buf := make([]byte, min(most, (spare+len(dst)+weights-1)/weights)*size)
	var cut []float32 // a piece that is only partly wanted
	at := p.data + t.Begin + first/int64(weights)*int64(size)
	for len(dst) > 0 {
		blocks := min(len(buf)/size, (spare+len(dst)+weights-1)/weights)
		raw := buf[:blocks*size]
		if got, err := p.r.ReadAt(raw, at); got < len(raw) {
			return fmt.Errorf("%s: tensor %q: read at byte %d: %w", p.name, t.Name, at+int64(got), noEOF(err))
		}
		n := blocks * weights
		if spare == 0 && n <= len(dst) {
			s.decode(dst[:n], raw)
		} else {
			cut = slices.Grow(cut[:0], n)[:n]
			s.decode(cut, raw)
			n = copy(dst, cut[spare:])
			spare = 0
		}
		dst, at = dst[n:], at+int64(len(raw))
	}
	return nil
}

// noEOF turns io.EOF into io.ErrUnexpectedEOF: the file should have been longer.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// of returns how a kind stores weights; the kind has no scales beside them.
func of(k quant.Kind) stored {
	weights, size := k.Unit()
	return stored{weights: weights, bits: 8 * size, decode: func(dst []float32, src []byte) { k.Unpack(dst, src) }}
}

// unread is a type of known size that is listed but not read.
func unread(weights, bits int, why string) stored {
	return stored{weights: weights, bits: bits, why: why}
}

// Reasons why weights are not read.
const (
	integers = "its values are whole numbers, not weights"
	noScales = "its scales are in another tensor, which the file’s header does not name"
	noCodec  = "Assay has no decoder for it"
)

func float64s() stored {
	return stored{weights: 1, bits: 64, decode: func(dst []float32, src []byte) {
		for i := range dst {
			dst[i] = float32(math.Float64frombits(binary.LittleEndian.Uint64(src[8*i:])))
		}
	}}
}

// size returns the bytes that a shape takes in a type of known size.
func (s *stored) size(shape []int64) (int64, error) {
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	n := int64(1)
	for _, d := range shape {
		if n > math.MaxInt64/d {
			return 0, fmt.Errorf("shape %v overflows", shape)
		}
		n *= d
	}
	if w := int64(s.weights); w > 1 && (len(shape) == 0 || shape[len(shape)-1]%w != 0) {
		return 0, fmt.Errorf("shape %v: rows are not a multiple of the block of %d", shape, w)
	}
	n /= int64(s.weights)
	if n > math.MaxInt64/int64(s.bits) {
		return 0, fmt.Errorf("shape %v overflows", shape)
	}
	if n *= int64(s.bits); n%8 != 0 {
		return 0, fmt.Errorf("shape %v is not a whole number of bytes", shape)
	}
	return n / 8, nil
}

// ReadBytesAt reads len(dst) raw bytes of t, starting at byte first.
func (f *File) ReadBytesAt(t *Tensor, dst []byte, first int64) error {
	p := &f.parts[t.part]
	if n := t.Bytes(); first < 0 || first > n-int64(len(dst)) {
		return fmt.Errorf("%s: tensor %q: bytes %d…%d of %d", p.name, t.Name, first, first+int64(len(dst)), n)
	}
	at := p.data + t.Begin + first
	if got, err := p.r.ReadAt(dst, at); got < len(dst) {
		return fmt.Errorf("%s: tensor %q: read at byte %d: %w", p.name, t.Name, at+int64(got), noEOF(err))
	}
	return nil
}
