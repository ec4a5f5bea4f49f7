package metal

import (
	"fmt"
	"strings"

	"assay/gpu/enginekit"
	"assay/shaders"
)

// Kinds of segments, numbered as in bridge.h.
const (
	serialSegment = iota
	concurrentSegment
	librarySegment
	blitSegment
	signalSegment
	awaitSegment
)

// segment is a sequence of commands that share an encoder.
type segment struct {
	first, count int
	kind         int
	label        string
}

// step is what planning needs to know about a command.
type step struct {
	name string
	kind int // of its segment; serialSegment for every launch of a pipeline
	uses []use
}

// use is a buffer that a step reads or writes.
type use = enginekit.Use

// segments divides steps into encoders: one for each sequence of the same kind or, if each is set, one for every step.
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

// summary names the kernels that run.
func summary(steps []step) string {
	names := make([]string, len(steps))
	for i := range steps {
		names[i] = steps[i].name
	}
	return enginekit.Summary(names)
}

// barriers reports before which steps a concurrent encoder needs a barrier.
func barriers(steps []step, all []segment) []bool {
	need := make([]bool, len(steps))
	for _, s := range all {
		if s.kind != concurrentSegment {
			continue
		}
		var hazards enginekit.Hazards
		for i := s.first; i < s.first+s.count; i++ {
			need[i] = hazards.Wait(steps[i].uses)
		}
	}
	return need
}

// nothing reports whether a launch has no threads; Metal does not allow encoding that.
func nothing(l shaders.Launch) bool {
	for i := range 3 {
		if l.Groups[i] == 0 || l.Threads[i] == 0 {
			return true
		}
	}
	return false
}

// librarySpec describes a library operation to prepare; see metal_library_spec.
type librarySpec struct {
	op        string
	dims      []uint32 // empty if the question is only whether the kernel is supported
	types     []uint32
	constants []int32
}

// specOf is the description of k for the library, without sizes.
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

// sized is the description of k with params.
func (s librarySpec) sized(k *shaders.Kernel, params any) librarySpec {
	s.dims = k.Impl.Dims(k.Call(params))
	return s
}

// key identifies specs that can share a handle.
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

// window is the smallest range of whole words around n bytes at off: blits copy and fill only multiples of four bytes.
func window(off, n int) (from, bytes int) {
	from = off &^ 3
	return from, (off+n+3)&^3 - from
}

// shellQuote quotes text as one word of a shell command.
func shellQuote(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
