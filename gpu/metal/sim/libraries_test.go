//go:build metalsim && cgo

package sim

import (
	"testing"

	"assay/gpu/msl/clang"
)

func TestLibrariesKeepsTheNewest(t *testing.T) {
	l := newLibraries(2)
	for _, key := range []string{"a", "b", "b", "c"} {
		l.keep(key, &clang.Library{})
	}
	for key, want := range map[string]bool{"a": false, "b": true, "c": true} {
		if _, ok := l.get(key); ok != want {
			t.Errorf("%s is kept: %v", key, ok)
		}
	}
}
