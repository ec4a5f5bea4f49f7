//go:build metalsim && cgo

package sim

import (
	"sync"

	"assay/gpu/msl/clang"
)

// libraries keeps the most recent compiled libraries of the process: a compiler benchmark compiles thousands, each from a new
// source.
type libraries struct {
	most int

	mu    sync.Mutex
	byKey map[string]*clang.Library
	keys  []string // in the order in which they were kept
}

func newLibraries(most int) *libraries {
	return &libraries{most: most, byKey: map[string]*clang.Library{}}
}

func (l *libraries) get(key string) (*clang.Library, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lib, ok := l.byKey[key]
	return lib, ok
}

func (l *libraries) keep(key string, lib *clang.Library) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.byKey[key]; !known {
		l.keys = append(l.keys, key)
	}
	l.byKey[key] = lib
	if len(l.keys) > l.most {
		delete(l.byKey, l.keys[0])
		l.keys = append([]string(nil), l.keys[1:]...) // reslicing would keep the first one in the array
	}
}
