package msl

// Target is how text is emitted for one kind of machine. The text is compiled after the headers of the target, which
// define the address spaces (MSL_DEVICE, MSL_CONSTANT, MSL_THREADGROUP), the library, MSL_VARIABLE(name, type) for threadgroup
// variables, and msl::constant_value and msl::constant_defined for function constants. Arguments of a kernel are described by types that say
// where each comes from: msl::buffer<N>, msl::threadgroup_arg<N>, msl::builtin<&msl_thread::NAME> or msl::absent.
type Target interface {
	// Names are all names in the headers: a function of such a name may be an overload.
	Names() map[string]bool
	// Call defines a function of that name that fetches the arguments and calls the kernel.
	Call(function, kernel string, arguments []string) string
	// Fetch defines a name for fetching the arguments, for Probe; it comes first in the text.
	Fetch(name string, arguments []string) string
	// Probe is code that fails to compile whenever Call's would, and compiles faster. Kernels with the same arguments share a
	// fetch.
	Probe(name, fetch, kernel string) string
	// Export makes a function that Call defined an entry of the compiled text, under a symbol. It comes last.
	Export(symbol, function string) string
}
