package shaders

import "embed"

//go:embed *.metal
var sources embed.FS

// All lists every kernel.
func All() []Kernel {
	var all []Kernel
	for _, family := range [][]Kernel{Elementwise(), Matmul(), LibraryMatmul(), Quantise(), QuantMatmul(), Stream()} {
		all = append(all, family...)
	}
	return all
}

// Find returns the kernel of that name.
func Find(name string) (Kernel, bool) {
	for _, k := range All() {
		if k.Name == name {
			return k, true
		}
	}
	return Kernel{}, false
}

// MustFind is Find for names that are written in the program.
func MustFind(name string) Kernel {
	k, ok := Find(name)
	if !ok {
		panic("shaders: no kernel " + name)
	}
	return k
}

// Source is an own kernel's MSL with the common header before it, ready for a compiler without an include path. It must
// be compiled with fast math off. Line numbers in compiler messages are the file's own.
func (k *Kernel) Source() string {
	return read("common.metal") + "#line 1 \"" + k.File + "\"\n" + read(k.File)
}

func read(name string) string {
	b, err := sources.ReadFile(name)
	if err != nil { // a description that names no embedded file: a test of All rules it out
		panic(err)
	}
	return string(b)
}
