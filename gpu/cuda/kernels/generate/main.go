// Command generate writes the PTX that package kernels embeds. It runs in that package's folder.
package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"assay/gpu/cuda/kernels"
	"assay/shaders"
)

func main() {
	if err := generate(context.Background(), "ptx"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// file is the variants of one kernel.
type file struct {
	stamp    string
	variants map[string][]byte
}

func generate(ctx context.Context, dir string) error {
	wanted, err := kernels.Wanted()
	if err != nil {
		return err
	}
	made, err := compileAll(ctx, wanted)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(dir, "*.gz"))
	for _, path := range old {
		if err == nil {
			err = os.Remove(path)
		}
	}
	for name, f := range made {
		if err != nil {
			break
		}
		var packed []byte
		if packed, err = kernels.Pack(f.stamp, f.variants); err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".gz"), packed, 0o644)
		}
	}
	return err
}

// compileAll compiles as many at a time as there are processors, and ends with the first error.
func compileAll(ctx context.Context, wanted map[string]shaders.Kernel) (map[string]file, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var group sync.WaitGroup
	made, slots := map[string]file{}, make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, k := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			ptx, err := kernels.Generate(ctx, k)
			if err != nil {
				stop(fmt.Errorf("%s: %w", k.ID(), err))
				return
			}
			mu.Lock()
			defer mu.Unlock()
			f, ok := made[k.Name]
			if !ok {
				f = file{kernels.Stamp(&k), map[string][]byte{}}
				made[k.Name] = f
			}
			f.variants[k.Key()] = ptx
		})
	}
	group.Wait()
	return made, context.Cause(ctx)
}
