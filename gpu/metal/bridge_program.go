//go:build (darwin || metalsim) && cgo

package metal

// #include "bridge.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// program is encoded commands.
type program struct{ c *C.metal_program }

// newProgram copies b to the memory from which commands are encoded; false if there is no memory.
func newProgram(b *batch) (program, bool) {
	segments, labels := b.cSegments()
	commands, bindings := b.cCommands(), b.cBindings()
	c := C.metal_program_new(unsafe.SliceData(segments), C.int(len(segments)), unsafe.SliceData(commands),
		C.int(len(commands)), unsafe.SliceData(bindings), C.int(len(bindings)),
		(*C.uchar)(unsafe.SliceData(b.params)), C.int(len(b.params)),
		(*C.char)(unsafe.Pointer(unsafe.SliceData(labels))), C.int(len(labels)))
	runtime.KeepAlive(b)
	return program{c}, c != nil
}

func (p program) release() { C.metal_program_release(p.c) }

func (b *batch) cSegments() (segments []C.metal_segment, labels []byte) {
	labels = append([]byte(b.label), 0)
	for _, s := range b.segments {
		segments = append(segments, C.metal_segment{
			first: C.uint32_t(s.first), count: C.uint32_t(s.count), kind: C.uint32_t(s.kind), label: C.uint32_t(len(labels)),
		})
		labels = append(append(labels, s.label...), 0)
	}
	return segments, labels
}

func (b *batch) cCommands() []C.metal_command {
	list := make([]C.metal_command, len(b.commands))
	for i := range b.commands {
		c := &b.commands[i]
		list[i] = C.metal_command{
			pipeline: c.pipeline.c, first: C.uint32_t(c.first), count: C.uint32_t(c.count),
			params: C.uint32_t(c.params), param_bytes: C.uint32_t(c.paramBytes),
			groups: triple(c.groups), threads: triple(c.threads), grid: triple(c.grid), shared: c.cShared(), barrier: C.uint32_t(flag(c.barrier)),
			library: c.library.c,
			blit: C.metal_blit{
				from: c.blit.from.memory.c, to: c.blit.to.memory.c,
				from_offset: C.uint64_t(c.blit.from.offset), to_offset: C.uint64_t(c.blit.to.offset),
				bytes: C.uint64_t(c.blit.bytes), value: C.uint32_t(c.blit.value),
			},
			event: c.event.c,
		}
	}
	return list
}

// maxShared is the maximum number of threadgroup arguments a kernel can have; bridge.h says the same.
const maxShared = 4

func (c *command) cShared() (lengths [maxShared]C.uint32_t) {
	for i, n := range c.shared {
		lengths[i] = C.uint32_t(n)
	}
	return lengths
}

func triple(v [3]uint32) [3]C.uint32_t {
	return [3]C.uint32_t{C.uint32_t(v[0]), C.uint32_t(v[1]), C.uint32_t(v[2])}
}

func (b *batch) cBindings() []C.metal_binding {
	list := make([]C.metal_binding, len(b.bindings))
	for i, bound := range b.bindings {
		list[i] = C.metal_binding{bound.memory.c, C.uint64_t(bound.offset)}
	}
	return list
}
