// Command generate writes the PTX that package kernels embeds. It runs in that package's folder and compiles what has changed, or
// everything with -all, for example after an update of clang. With -cases it also writes the PTX of the catalog's cases, for
// tests on a machine that has a GPU but no clang.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"assay/gpu/cuda/kernels"
	"assay/shaders"
)

func main() {
	cases := flag.Bool("cases", false, "also the catalog’s cases")
	afresh := flag.Bool("all", false, "compile what has not changed, too")
	flag.Parse()
	if err := generate(context.Background(), "ptx", *cases, *afresh); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// file holds variants of one kernel.
type file struct {
	stamp    string
	variants map[string][]byte
}

func generate(ctx context.Context, dir string, cases, afresh bool) error {
	wanted, err := kernels.Wanted()
	if err != nil {
		return err
	}
	made, err := compileAll(ctx, wanted, afresh)
	if err != nil {
		return err
	}
	others := map[string]file{}
	if cases {
		rest := kernels.Cases()
		maps.DeleteFunc(rest, func(_ string, k shaders.Kernel) bool { return made[k.Name].variants[kernels.Key(&k)] != nil })
		if others, err = compileAll(ctx, rest, afresh); err != nil {
			return err
		}
	}
	if err := removeAll(filepath.Join(dir, "*.gz")); err != nil {
		return err
	}
	if err := write(dir, ".gz", made); err != nil {
		return err
	}
	return write(dir, kernels.CasesSuffix, others)
}

func removeAll(pattern string) error {
	old, err := filepath.Glob(pattern)
	for _, path := range old {
		if err == nil {
			err = os.Remove(path)
		}
	}
	return err
}

func write(dir, suffix string, made map[string]file) error {
	for name, f := range made {
		packed, err := kernels.Pack(f.stamp, f.variants)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+suffix), packed, 0o644)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compileAll runs as many compilations at a time as there are processors, and ends with the first error.
func compileAll(ctx context.Context, wanted map[string]shaders.Kernel, afresh bool) (map[string]file, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var mu sync.Mutex
	var group sync.WaitGroup
	made, slots := map[string]file{}, make(chan struct{}, runtime.GOMAXPROCS(0))
	for _, k := range wanted {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			ptx, err := kernels.Generate(ctx, k, afresh)
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
			f.variants[kernels.Key(&k)] = ptx
		})
	}
	group.Wait()
	return made, context.Cause(ctx)
}
