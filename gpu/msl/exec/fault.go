package exec

import (
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Fault is a kernel that was stopped: an access out of range, a barrier that not all threads reach, a race.
type Fault struct {
	Kernel, File string
	Line, Column int // 0 if the place is not known
	Message      string
	// Other is the other access of a race; nil: unknown, or at the same place.
	Other *Access

	race *raced // nil: no race
}

// Access is a place where a kernel reads or writes, with a description.
type Access struct {
	File         string
	Line, Column int
	Message      string
}

// Error names the kernel and the place, if it is known.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return fmt.Sprintf("kernel %s: %s", f.Kernel, f.Message)
	}
	return fmt.Sprintf("%s:%d:%d: kernel %s: %s", f.File, f.Line, f.Column, f.Kernel, f.Message)
}

// fault finds the place of a trap in the source.
func (k *Kernel) fault(err error) error {
	var t *trap
	if !errors.As(err, &t) {
		if err != nil {
			return fmt.Errorf("kernel %s: %w", k.Name(), err)
		}
		return nil
	}
	line, col := int(t.Site>>12), int(t.Site&4095)
	if t.Site == 0 && t.PC != 0 {
		at := addressLine(k.object.Path, uint64(t.PC)-1) // the address follows the instruction
		line, col = at.line, at.col
	}
	p := k.object.Place(line, col)
	return &Fault{Kernel: k.Name(), File: p.File, Line: p.Line, Column: p.Column, Message: t.Message}
}

// codeLine is a line and column of the translated text, 0 if not known, and the file of the innermost code there.
type codeLine struct {
	line, col int
	file      string
}

// addressLine finds the line of the translated text that an address of a shared object comes from. Code of the language's headers
// counts as the place it was called from.
func addressLine(object string, pc uint64) codeLine {
	f, err := elf.Open(object)
	if err != nil {
		return codeLine{}
	}
	defer f.Close()
	d, err := f.DWARF()
	if err != nil {
		return codeLine{}
	}
	unit, err := d.Reader().SeekPC(pc)
	if err != nil {
		return codeLine{}
	}
	lr, err := d.LineReader(unit)
	if err != nil || lr == nil {
		return codeLine{}
	}
	var e dwarf.LineEntry
	var at codeLine
	if err := lr.SeekPC(pc, &e); err == nil && e.File != nil {
		at.file = e.File.Name
		if ours(e.File) {
			at.line, at.col = e.Line, e.Column
			return at
		}
	}
	at.line, at.col = callLine(d, unit, lr.Files(), pc)
	return at
}

// ours reports whether a file is the translated text.
func ours(f *dwarf.LineFile) bool {
	return f != nil && (strings.HasSuffix(f.Name, "<stdin>") || strings.HasSuffix(f.Name, "/-") || f.Name == "-")
}

// callLine is the innermost place in the translated text that the code at pc was inlined into.
func callLine(d *dwarf.Data, unit *dwarf.Entry, files []*dwarf.LineFile, pc uint64) (line, col int) {
	r := d.Reader()
	r.Seek(unit.Offset)
	if _, err := r.Next(); err != nil {
		return 0, 0
	}
	for {
		e, err := r.Next()
		if err != nil || e == nil || e.Tag == dwarf.TagCompileUnit || errors.Is(err, io.EOF) {
			return line, col
		}
		if e.Tag != dwarf.TagInlinedSubroutine || !within(d, e, pc) {
			continue
		}
		file, _ := e.Val(dwarf.AttrCallFile).(int64)
		l, _ := e.Val(dwarf.AttrCallLine).(int64)
		c, _ := e.Val(dwarf.AttrCallColumn).(int64)
		if file >= 0 && int(file) < len(files) && ours(files[file]) {
			line, col = int(l), int(c) // inner places come later
		}
	}
}

func within(d *dwarf.Data, e *dwarf.Entry, pc uint64) bool {
	ranges, err := d.Ranges(e)
	if err != nil {
		return false
	}
	for _, r := range ranges {
		if r[0] <= pc && pc < r[1] {
			return true
		}
	}
	return false
}
