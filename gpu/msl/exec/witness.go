//go:build linux || darwin

package exec

/*
#include <stdlib.h>
#include "exec.h"
*/
import "C"

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// conflict is two accesses to the same byte without any ordering, as found by the executor.
type conflict struct {
	pc            [2]uint64
	write         [2]bool
	group, thread [2]uint32
	memory        string
	offset        uint64
	focus         bool // it is the byte that race mode found
}

// turned returns the conflict with the accesses in the other order.
func (c *conflict) turned() *conflict {
	t := *c
	for _, pair := range []*[2]uint32{&t.group, &t.thread} {
		pair[0], pair[1] = pair[1], pair[0]
	}
	t.pc[0], t.pc[1], t.write[0], t.write[1] = c.pc[1], c.pc[0], c.write[1], c.write[0]
	return &t
}

// conflicts runs a dispatch in checking mode, one thread at a time, and lists its conflicts.
func (m *module) conflicts(ctx context.Context, l Launch, at raced) ([]conflict, error) {
	found := (*C.exec_conflicts)(C.calloc(1, C.sizeof_exec_conflicts))
	defer C.free(unsafe.Pointer(found))
	found.focus, found.focus_buffer = C.uint64_t(at.at), C.int(at.buffer)
	l.Workers = 1
	if err := m.runWith(ctx, l, 0, found); err != nil {
		return nil, err
	}
	var all []conflict
	for i := range int(found.count) {
		x := &found.list[i]
		c := conflict{memory: C.GoString(&x.memory[0]), offset: uint64(x.offset), focus: x.focus != 0}
		for k := range 2 {
			c.pc[k], c.write[k], c.group[k], c.thread[k] = uint64(x.pc[k]), x.write[k] != 0, uint32(x.group[k]), uint32(x.thread[k])
		}
		all = append(all, c)
	}
	return all, nil
}

// Witness locates a race that Race found: it runs the dispatch again, in checking mode, from the memory that Race began with, and
// searches for two accesses to the same byte without any ordering. The fault is returned with their places, or unchanged.
func (k *Kernel) Witness(ctx context.Context, l Launch, f *Fault) (*Fault, error) {
	if f.race == nil {
		return f, nil
	}
	all, places, err := k.conflicts(ctx, l, *f.race)
	if i := guilty(all, places); err == nil && i >= 0 {
		return k.between(f, &all[i], places), nil
	}
	return f, err
}

// Unordered finds a race that the orders of Race do not expose, since the executor runs one thread at a time: an access to what
// another thread writes, without any ordering of the two. Nil: there is none.
func (k *Kernel) Unordered(ctx context.Context, l Launch) (*Fault, error) {
	all, places, err := k.conflicts(ctx, l, raced{})
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(c conflict) bool { return c.write[0] == c.write[1] })
	for i := range all {
		all[i].focus = false
	}
	if i := guilty(all, places); i >= 0 {
		return k.between(&Fault{Kernel: k.Name(), Message: "on a GPU the result depends on which is first"}, &all[i], places), nil
	}
	return nil, nil
}

// conflicts lists the conflicts of a dispatch, with the places of their accesses.
func (k *Kernel) conflicts(ctx context.Context, l Launch, at raced) ([]conflict, map[uint64]accessPlace, error) {
	if k.module == nil {
		return nil, nil, fmt.Errorf("kernel %s is closed", k.Name())
	}
	if err := k.bound(&l); err != nil {
		return nil, nil, err
	}
	all, err := k.module.conflicts(ctx, l, at)
	if err != nil {
		return nil, nil, k.fault(err)
	}
	places := map[uint64]accessPlace{}
	for _, c := range all {
		for _, pc := range c.pc {
			if _, ok := places[pc]; !ok {
				places[pc] = k.accessPlace(pc)
			}
		}
	}
	return all, places, nil
}

// accessPlace is the place of an access, and whether it is an atomic operation.
type accessPlace struct {
	Access
	atomic bool
}

// accessPlace finds the place of the instruction before pc.
func (k *Kernel) accessPlace(pc uint64) accessPlace {
	at := addressLine(k.object.Path, pc-1)
	p := k.object.Place(at.line, at.col)
	return accessPlace{Access{File: p.File, Line: p.Line, Column: p.Column}, strings.HasSuffix(at.file, "machine/atomic.h")}
}

// guilty chooses the conflict that explains a race: on the byte that depends on the order, otherwise the first; a read and a
// write are preferred to two writes, which may write the same value. −1: there is none. Atomic operations do not conflict with
// each other. If atomics of several threadgroups meet in a kernel, it may order its groups by them, so their other accesses to
// the same memory explain nothing.
func guilty(all []conflict, places map[uint64]accessPlace) int {
	atomic := func(c *conflict) bool { return places[c.pc[0]].atomic && places[c.pc[1]].atomic }
	meet := slices.ContainsFunc(all, func(c conflict) bool { return atomic(&c) && c.group[0] != c.group[1] })
	best, rank := -1, 0
	for i := range all {
		c := &all[i]
		known := min(places[c.pc[0]].Line, 1) + min(places[c.pc[1]].Line, 1) // the compiler may have merged several accesses
		if atomic(c) || meet && c.group[0] != c.group[1] || known == 0 {
			continue
		}
		r := 4 * known
		if c.focus {
			r += 2
		}
		if c.write[0] != c.write[1] {
			r++
		}
		if r > rank {
			best, rank = i, r
		}
	}
	return best
}

// between returns the fault at the second of two accesses, with the first.
func (k *Kernel) between(f *Fault, c *conflict, places map[uint64]accessPlace) *Fault {
	if a, b := places[c.pc[0]], places[c.pc[1]]; b.Line == 0 || a.File == b.File && a.Line > b.Line {
		c = c.turned() // reported at the later line, which lacks an ordering before it
	}
	verbs := map[bool]string{true: "writes", false: "reads"}
	what := fmt.Sprintf("byte %d of %s", c.offset, k.memoryName(c.memory))
	who := func(i int) string { return fmt.Sprintf("thread %d", c.thread[i]) }
	unordered := "with no barrier between"
	if c.group[0] != c.group[1] {
		who = func(i int) string { return fmt.Sprintf("thread %d of threadgroup %d", c.thread[i], c.group[i]) }
		unordered = "and nothing orders threadgroups"
	}
	first, second := places[c.pc[0]].Access, places[c.pc[1]].Access
	with := *f
	with.File, with.Line, with.Column = second.File, second.Line, second.Column
	where := " here too"
	switch {
	case first.Line == 0:
		where = ""
	case first.File != second.File || first.Line != second.Line:
		where = fmt.Sprintf(" in line %d", first.Line)
		first.Message = fmt.Sprintf("%s %s %s here: the other access of the race in line %d", who(0), verbs[c.write[0]], what, second.Line)
		with.Other = &first
	}
	with.Message = fmt.Sprintf("data race: %s %s %s, which %s %s%s, %s; %s", who(1), verbs[c.write[1]], what, who(0), verbs[c.write[0]], where,
		unordered, strings.TrimPrefix(f.Message, "data race: "))
	return &with
}

// memoryName returns the executor's name of memory, "buffer(1)", with its argument's name.
func (k *Kernel) memoryName(name string) string {
	index, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(name, "buffer("), ")"))
	if err != nil {
		return name
	}
	return fmt.Sprintf("buffer %d%s", index, k.bufferName(index))
}
