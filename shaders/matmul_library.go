package shaders

import "maps"

// LibraryMatmul lists the matrix products of Metal Performance Shaders, in f32 and f16, beside which our own stand.
// What the library adds its products up in is its own affair: the tolerance is that of a float sum, and a library that
// misses it is shown as wrong.
func LibraryMatmul() []Kernel { return []Kernel{libraryMatmul(F32), libraryMatmul(F16)} }

// libraryMatmul is matmul without what the library does not offer: a bias and an activation.
func libraryMatmul(t Type) Kernel {
	k := matmulKernel(t)
	k.Name, k.File, k.Library = "mps_"+k.Name, "", MPS
	k.About = "out[m,n] = a[m,k] · b by Metal Performance Shaders, row-major; b is [k,n], or [n,k] with transpose_b"
	a, b, out := k.Args[0], k.Args[1], k.Args[3]
	k.Args = []Arg{a, b, out}
	k.Constants = k.Constants[:1] // transpose_b
	k.Cases = plainProducts(k.Cases)
	return k
}

// plainProducts are the cases that only multiply, one of each.
func plainProducts(cases []Case) []Case {
	var out []Case
	for _, c := range cases {
		if c.Constants[HasBias] != 0 || c.Constants[Activation] != 0 {
			continue
		}
		c.Constants = maps.Clone(c.Constants)
		maps.DeleteFunc(c.Constants, func(name string, _ int32) bool { return name != TransposeB })
		if !repeats(out, c) {
			out = append(out, c)
		}
	}
	return out
}

func repeats(cases []Case, c Case) bool {
	for _, o := range cases {
		if o.Params == c.Params && maps.Equal(o.Constants, c.Constants) {
			return true
		}
	}
	return false
}
