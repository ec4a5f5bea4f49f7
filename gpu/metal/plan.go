package metal

import (
	"fmt"
	"strings"

	"assay/shaders"
)

// Kinds of segment, as bridge.h numbers them.
const (
	serialSegment = iota
	concurrentSegment
	librarySegment
	blitSegment
	signalSegment
	awaitSegment
)

// segment is neighboring commands that share an encoder.
type segment struct {
	first, count int
	kind         int
	label        string
}

// step is what planning needs to know of a command.
type step struct {
	name string
	kind int // of its segment; serialSegment for every launch of a pipeline
	uses []use
}

// use is a buffer that a step reads or writes.
type use struct {
	buffer any // compared by identity
	write  bool
}

// segments divides steps into encoders: one for all neighbors, or with each one for every step.
func segments(steps []step, concurrent, each bool) []segment {
	var all []segment
	for i := range steps {
		kind := kindOf(&steps[i], concurrent)
		if n := len(all); n > 0 && !each && all[n-1].kind == kind && kind < signalSegment {
			all[n-1].count++
			continue
		}
		all = append(all, segment{first: i, count: 1, kind: kind})
	}
	for i := range all {
		s := &all[i]
		s.label = summary(steps[s.first : s.first+s.count])
	}
	return all
}

func kindOf(s *step, concurrent bool) int {
	if s.kind == serialSegment && concurrent {
		return concurrentSegment
	}
	return s.kind
}

// maxNames is the maximum number of kernels a label names.
const maxNames = 4

// summary names what runs: "add_f32 ×12, gelu_f32".
func summary(steps []step) string {
	if len(steps) == 0 {
		return "nothing"
	}
	var names []string
	counts := map[string]int{}
	for i := range steps {
		if counts[steps[i].name]++; counts[steps[i].name] == 1 {
			names = append(names, steps[i].name)
		}
	}
	var parts []string
	for i, n := range names {
		if i == maxNames {
			parts = append(parts, fmt.Sprintf("and %d others", len(names)-maxNames))
			break
		}
		if counts[n] > 1 {
			n = fmt.Sprintf("%s ×%d", n, counts[n])
		}
		parts = append(parts, n)
	}
	return strings.Join(parts, ", ")
}

// barriers says before which steps a concurrent encoder must wait for those before: where one uses what was written
// since the last barrier, or writes what was used.
func barriers(steps []step, all []segment) []bool {
	need := make([]bool, len(steps))
	for _, s := range all {
		if s.kind != concurrentSegment {
			continue
		}
		written := map[any]bool{} // buffers used since the last barrier, and whether they were written
		for i := s.first; i < s.first+s.count; i++ {
			if conflicts(steps[i].uses, written) {
				need[i] = true
				clear(written)
			}
			for _, u := range steps[i].uses {
				written[u.buffer] = written[u.buffer] || u.write
			}
		}
	}
	return need
}

func conflicts(uses []use, written map[any]bool) bool {
	for _, u := range uses {
		if w, used := written[u.buffer]; used && (w || u.write) {
			return true
		}
	}
	return false
}

// nothing reports whether a launch has no threads at all; Metal refuses to encode that.
func nothing(l shaders.Launch) bool {
	for i := range 3 {
		if l.Groups[i] == 0 || l.Threads[i] == 0 {
			return true
		}
	}
	return false
}

// constant is the value of a function constant.
type constant struct {
	index  int
	isBool bool
	value  int32
}

// constants are the values of all function constants in k's source.
func constants(k *shaders.Kernel) []constant {
	var list []constant
	for _, v := range k.Values() {
		list = append(list, constant{v.Index, v.Bool, v.Value})
	}
	return list
}

// librarySpec is what a library's operation is prepared for; see metal_library_spec.
type librarySpec struct {
	op        string
	dims      []uint32 // empty where only the kernel is asked about
	types     []uint32
	constants []int32
}

// specOf describes k to the library, without sizes.
func specOf(k *shaders.Kernel) librarySpec {
	s := librarySpec{op: k.Impl.Op.Name}
	for i, a := range k.Args {
		if k.Uses(i) {
			s.types = append(s.types, uint32(a.Type))
		}
	}
	for _, v := range k.Values() {
		s.constants = append(s.constants, v.Value)
	}
	return s
}

// sized is what k does with params.
func (s librarySpec) sized(k *shaders.Kernel, params any) librarySpec {
	s.dims = k.Impl.Dims(k.Call(params))
	return s
}

// key tells specs apart that need handles of their own.
func (s librarySpec) key() string { return fmt.Sprint(s.op, s.dims, s.types, s.constants) }

// writes reports whether a launch has anything to write.
func writes(k *shaders.Kernel, params any) bool {
	for _, i := range k.Outputs() {
		if k.Uses(i) && k.Len(i, params) > 0 {
			return true
		}
	}
	return false
}

// window is the least range of whole words around n bytes at off: a blit copies and fills multiples of four bytes only.
func window(off, n int) (from, bytes int) {
	from = off &^ 3
	return from, (off+n+3)&^3 - from
}

// shellQuote makes text one word of a shell command.
func shellQuote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
