package clang

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// An msl_constant in the kernels' table of values: an index, the size of the value, and the value.
const (
	constantBytes    = 40
	constantSize     = 4 // offset of its size
	constantValue    = 8
	maxConstantBytes = constantBytes - constantValue
)

// tableSymbol is the name of the table.
const tableSymbol = "msl_constants"

// specialize links an entry point with values for its function constants. On Linux it is linked once, and the values are written
// into copies, since a linker takes far longer. On macOS a modified file is no longer signed, so it is linked for each set of
// values.
func (l *Library) specialize(ctx context.Context, o *Object, object string, values map[int][]byte) (string, error) {
	slots := l.slots()
	if runtime.GOOS != "linux" {
		return l.link(ctx, o, object, tableText(slots, values))
	}
	plain, err := l.link(ctx, o, object, tableText(slots, nil))
	text := tableText(slots, values)
	if err != nil || text == tableText(slots, nil) {
		return plain, err
	}
	return l.build.cache.get("kernel-"+key(filepath.Base(plain), text)+".so", func(path string) error {
		return writeValues(path, plain, slots, values)
	})
}

// slots are the indices of the function constants, in the order of the table.
func (l *Library) slots() []int {
	var all []int
	for _, c := range l.Constants() {
		all = append(all, c.Index)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// tableText is the C source of the table.
func tableText(slots []int, values map[int][]byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "#include \"abi.h\"\nconst uint32_t msl_constant_count = %d;\nconst msl_constant %s[] = {\n", len(slots), tableSymbol)
	for _, index := range slots {
		fmt.Fprintf(&b, "{%d, %d, {", index, len(values[index]))
		for _, v := range values[index] {
			fmt.Fprintf(&b, "%d,", v)
		}
		b.WriteString("}},\n")
	}
	b.WriteString("{0, 0, {0}}};\n")
	return b.String()
}

// writeValues copies a shared object whose table has no values, and adds the values.
func writeValues(path, from string, slots []int, values map[int][]byte) error {
	code, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	table, err := tableOf(code, len(slots))
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	for i, index := range slots {
		slot, v := table[i*constantBytes:], values[index]
		binary.NativeEndian.PutUint32(slot[constantSize:], uint32(len(v)))
		copy(slot[constantValue:constantBytes], v)
	}
	return os.WriteFile(path, code, 0o755)
}

// tableOf finds the table of n values in a shared object.
func tableOf(code []byte, n int) ([]byte, error) {
	f, err := elf.NewFile(bytes.NewReader(code))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.DynamicSymbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Name != tableSymbol || int(s.Section) >= len(f.Sections) {
			continue
		}
		in := f.Sections[s.Section]
		if at := in.Offset + s.Value - in.Addr; in.Type == elf.SHT_PROGBITS && at+uint64(n*constantBytes) <= uint64(len(code)) {
			return code[at:], nil
		}
	}
	return nil, fmt.Errorf("it has no table %s of %d values", tableSymbol, n)
}
