package cpu

import (
	"unsafe"

	"assay/shaders"
)

// kernel is a shaders.Kernel with the C code that runs it.
type kernel struct {
	spec      shaders.Kernel
	constants []uint32 // by index
	code      code
	engine    *engine
}

// Spec is the kernel's description.
func (k *kernel) Spec() *shaders.Kernel { return &k.spec }

// findCode finds the C code for k. It returns false if there is none, or if it is for another kernel of the same name.
func findCode(k *shaders.Kernel) (code, bool) {
	if k.Impl.Source.User() && !k.Impl.Source.Generated() {
		return code{}, false
	}
	found, ok := lookUp(k.Impl.Op.Name, k.Impl.Name, k.Type)
	if !ok || found.paramBytes() != len(shaders.EncodeParams(k.Impl.Op.Params)) || found.args() != len(k.Args) {
		return code{}, false
	}
	return found, true
}

// constantsOf returns the values of k's function constants, by index.
func constantsOf(k *shaders.Kernel) []uint32 {
	var all []uint32
	for _, v := range k.Values() {
		for len(all) <= v.Index {
			all = append(all, 0)
		}
		all[v.Index] = uint32(v.Value)
	}
	return all
}

// command is one dispatch, with the same inputs as on Metal.
type command struct {
	kernel *kernel
	params []byte
	arg    []unsafe.Pointer // nil: the argument is absent
}

// command returns a command of the kernel with nil arguments.
func (k *kernel) command(params any) command {
	return command{kernel: k, params: shaders.EncodeParams(params), arg: make([]unsafe.Pointer, len(k.spec.Args))}
}
