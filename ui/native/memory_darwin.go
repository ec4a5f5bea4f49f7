package native

import "github.com/ebitengine/purego"

// trimC makes every malloc zone release its unused pages.
func trimC() {
	if f, err := purego.Dlsym(purego.RTLD_DEFAULT, "malloc_zone_pressure_relief"); err == nil {
		purego.SyscallN(f, 0, 0)
	}
}

// dropCode does nothing: code does not count as this process's memory here.
func dropCode() {}

// TuneMalloc does nothing: there is no glibc malloc.
func TuneMalloc() {}
