package metal

import (
	"fmt"
	"strings"

	"assay/shaders"
)

// simdWidth is what the kernels are written for.
const simdWidth = 32

// Kinds of segment, as bridge.h numbers them.
const (
	serialSegment = iota
	concurrentSegment
	productSegment
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

// segments divides steps into encoders: one for all neighbours, or with each one for every step.
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

// mostNames is how many kernels a label names.
const mostNames = 4

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
		if i == mostNames {
			parts = append(parts, fmt.Sprintf("and %d others", len(names)-mostNames))
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

// fit is the threads of a threadgroup on a pipeline that allows at most that many.
func fit(l shaders.Launch, most int) ([3]uint32, error) {
	t := l.Threads
	if uint64(t[0])*uint64(t[1])*uint64(t[2]) <= uint64(most) {
		return t, nil
	}
	rows := max(1, uint64(t[1])*uint64(t[2]))
	fewer := uint64(most) / rows / simdWidth * simdWidth
	if !l.Fewer || fewer == 0 {
		return t, fmt.Errorf("%d × %d × %d threads in a threadgroup, the pipeline allows %d", t[0], t[1], t[2], most)
	}
	t[0] = uint32(fewer)
	return t, nil
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

// values are those of all function constants in k's source, 0 for those of its other kernels: a compiler may ask for
// every one, even where the entry point does not use it.
func values(k *shaders.Kernel, c shaders.Constants) []constant {
	var list []constant
	seen := map[int]bool{}
	add := func(known []shaders.Constant, given shaders.Constants) {
		for _, d := range known {
			if !seen[d.Index] {
				seen[d.Index] = true
				list = append(list, constant{d.Index, d.Bool(), given[d.Name]})
			}
		}
	}
	add(k.Constants, c)
	for _, other := range shaders.All() {
		if other.File == k.File {
			add(other.Constants, nil)
		}
	}
	return list
}

// product is a matrix product of the library: out[m,n] = a[m,k] · b.
type product struct {
	m, n, k          uint32
	half, transposeB bool
}

// productOf is what the library must do for k; false if it is nothing the library does. constants may be nil.
func productOf(k *shaders.Kernel, params any, constants shaders.Constants) (product, bool) {
	p, ok := params.(shaders.MatmulParams)
	if !ok || k.Library != shaders.MPS || len(k.Args) != 3 {
		return product{}, false
	}
	t := k.Args[0].Type
	for _, a := range k.Args {
		if a.Type != t || a.If != "" {
			return product{}, false
		}
	}
	if t != shaders.F32 && t != shaders.F16 {
		return product{}, false
	}
	return product{p.M, p.N, p.K, t == shaders.F16, constants[shaders.TransposeB] != 0}, true
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
