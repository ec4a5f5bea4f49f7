package own

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"assay/internal/regular"
	"assay/internal/si"
	"assay/workloads/quant/weightfile"
)

// maxBuffer is the largest buffer.
const maxBuffer = 4 << 30

// poisoned is the byte that fills outputs before the kernel runs: as floats, NaNs.
const poisoned = 0xFF

// memory returns n bytes at an address suitably aligned for vector loads.
func memory(n int) []byte {
	const align = 256
	b := make([]byte, n+align)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (align - 1))
	return b[skip : skip+n : skip+n]
}

// fill sets a buffer's contents before the kernel runs.
func (a *Argument) fill(v View, folder string) error {
	r := rand.New(rand.NewPCG(a.Seed, 0x5eed))
	switch a.Fill {
	case Written:
		for i := range v.Data {
			v.Data[i] = poisoned
		}
	case Random:
		for i := range v.Len() {
			x := a.Low + (a.High-a.Low)*r.Float64()
			if !v.scalar.float && a.High-a.Low > 1 {
				x = float64(int64(x))
			} else if !v.scalar.float {
				x = a.fromLow(r)
			}
			v.Set(i, x)
		}
	case Ramp:
		for i := range v.Len() {
			v.Set(i, a.Low+a.Step*float64(i))
		}
	case Ones:
		for i := range v.Len() {
			v.Set(i, 1)
		}
	case FromFile:
		return a.read(v, folder)
	}
	return nil
}

// fromLow returns a random integer from Low to High, which differ by at most 1.
func (a *Argument) fromLow(r *rand.Rand) float64 {
	low := math.Ceil(a.Low)
	if low+1 <= a.High {
		return low + float64(r.IntN(2))
	}
	return low
}

// beside returns the path of a file that the description names, relative to its folder.
func beside(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}

// read fills a buffer from a file of numbers.
func (a *Argument) read(v View, folder string) error {
	name := beside(folder, a.File)
	var numbers []float64
	var err error
	if strings.EqualFold(filepath.Ext(name), ".npy") {
		numbers, err = readNPY(name, v.Len())
	} else {
		numbers, err = readTensor(name, a.Tensor, v.Len())
	}
	if err != nil {
		return err
	}
	if len(numbers) < v.Len() {
		return fmt.Errorf("%s has %d numbers, want %d", name, len(numbers), v.Len())
	}
	for i := range v.Len() {
		v.Set(i, numbers[i])
	}
	return nil
}

// readTensor reads the first n weights of a tensor.
func readTensor(name, tensor string, n int) ([]float64, error) {
	f, err := weightfile.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if all := f.Tensors(); tensor == "" && len(all) == 1 {
		tensor = all[0].Name
	}
	t, err := f.Tensor(tensor)
	if err != nil {
		return nil, err
	}
	values := make([]float32, min(int64(n), t.Elements()))
	if err := f.ReadFloat32At(t, values, 0); err != nil {
		return nil, err
	}
	wide := make([]float64, len(values))
	for i, x := range values {
		wide[i] = float64(x)
	}
	return wide, nil
}

// lengthOfFile returns how many numbers a file has.
func lengthOfFile(name, tensor string) (int, error) {
	if strings.EqualFold(filepath.Ext(name), ".npy") {
		f, h, err := openNPY(name)
		if err != nil {
			return 0, err
		}
		return h.count, f.Close()
	}
	f, err := weightfile.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if all := f.Tensors(); tensor == "" && len(all) == 1 {
		tensor = all[0].Name
	}
	t, err := f.Tensor(tensor)
	if err != nil {
		return 0, err
	}
	return int(t.Elements()), nil
}

// npy is the header of an array saved by NumPy.
type npy struct {
	element scalarCode
	count   int
	data    int // offset
}

// scalarCode is a type by its names in NumPy and in the language.
type scalarCode struct{ code, name string }

func npyTypes() []scalarCode {
	return []scalarCode{
		{"<f4", "float"},
		{"<f2", "half"},
		{"|i1", "char"},
		{"|u1", "uchar"},
		{"|b1", "bool"},
		{"<i2", "short"},
		{"<u2", "ushort"},
		{"<i4", "int"},
		{"<u4", "uint"},
		{"<i8", "long"},
		{"<u8", "ulong"},
	}
}

var (
	npyDescr = regexp.MustCompile(`'descr':\s*'([^']{1,8})'`)
	npyShape = regexp.MustCompile(`'shape':\s*\(([0-9, ]*)\)`)
	npyOrder = regexp.MustCompile(`'fortran_order':\s*True`)
)

// maxNPYHeader is the maximum header size of a single-array file, including what precedes it.
const maxNPYHeader = 64 << 10

// openNPY opens a single-array file and reads its header.
func openNPY(name string) (*os.File, npy, error) {
	f, info, err := regular.Open(name, "an array")
	if err != nil {
		return nil, npy{}, err
	}
	var h npy
	b, err := io.ReadAll(io.LimitReader(f, maxNPYHeader))
	if err == nil {
		h, err = parseNPY(b, info.Size())
	}
	if err != nil {
		return nil, npy{}, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return f, h, nil
}

// parseNPY reads the header at the beginning of a file of the given size.
func parseNPY(b []byte, fileSize int64) (npy, error) {
	if len(b) < 12 || !bytes.HasPrefix(b, []byte("\x93NUMPY")) {
		return npy{}, fmt.Errorf("not a .npy file")
	}
	start, size := 10, int(binary.LittleEndian.Uint16(b[8:]))
	if b[6] > 1 {
		start, size = 12, int(binary.LittleEndian.Uint32(b[8:]))
	}
	if size > len(b)-start {
		return npy{}, fmt.Errorf("its header ends behind the file, or is larger than %s", si.Bytes(maxNPYHeader))
	}
	header := b[start : start+size]
	descr, shape := npyDescr.FindSubmatch(header), npyShape.FindSubmatch(header)
	if descr == nil || shape == nil {
		return npy{}, fmt.Errorf("its header has no type or shape")
	}
	if npyOrder.Match(header) {
		return npy{}, fmt.Errorf("its rows are columns (fortran_order): save it with numpy.ascontiguousarray")
	}
	h := npy{count: 1, data: start + size}
	i := slices.IndexFunc(npyTypes(), func(c scalarCode) bool { return c.code == string(descr[1]) })
	if i < 0 {
		return npy{}, fmt.Errorf("type %s is not supported: save it as float32", descr[1])
	}
	h.element = npyTypes()[i]
	for part := range strings.SplitSeq(string(shape[1]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > maxBuffer || n != 0 && h.count > maxBuffer/n {
			return npy{}, fmt.Errorf("shape (%s) has more than %s elements", shape[1], si.Count(maxBuffer))
		}
		h.count *= n
	}
	e, _ := elementOf(h.element.name)
	if int64(h.count)*int64(e.Bytes()) > fileSize-int64(h.data) {
		return npy{}, fmt.Errorf("it ends before its %d elements do", h.count)
	}
	return h, nil
}

// readNPY reads the first n numbers of an array.
func readNPY(name string, n int) ([]float64, error) {
	f, h, err := openNPY(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	e, err := elementOf(h.element.name)
	if err != nil {
		return nil, err
	}
	values := make([]float64, min(n, h.count))
	b := make([]byte, len(values)*e.Bytes())
	if _, err := f.ReadAt(b, int64(h.data)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	v := View{e, b}
	for i := range values {
		values[i] = v.At(i)
	}
	return values, nil
}
