package msl

// Target is how text is emitted for one kind of machine. The text is compiled behind the headers of the target, which
// define the address spaces (MSL_DEVICE, MSL_CONSTANT, MSL_THREADGROUP), the library, and msl::tg, msl::constant_value and
// msl::constant_defined for threadgroup variables and function constants. Arguments of a kernel are given as types that say
// where each comes from: msl::buffer<N>, msl::threadgroup_arg<N>, msl::builtin<&msl_thread::NAME> or msl::absent.
type Target interface {
	// Names are all names that the headers mention: a function of such a name may be one of several.
	Names() map[string]bool
	// Call defines a function, so named, that fetches the arguments and calls the kernel.
	Call(function, kernel string, arguments []string) string
	// Fetch gives a name to how the arguments are fetched, for Probe; it comes first in the text.
	Fetch(name string, arguments []string) string
	// Probe is code that fails to compile where Call's would, and costs less. Kernels with the same arguments share a fetch.
	Probe(name, fetch, kernel string) string
	// Export makes a function that Call defined the one that the compiled text is entered by. It comes last.
	Export(function string) string
}
