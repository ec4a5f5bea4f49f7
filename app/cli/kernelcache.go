package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"assay/app"
	"assay/internal/si"
)

func (c *command) kernelCache() *cobra.Command {
	var engine string
	var asJSON, verify bool
	cmd := &cobra.Command{
		Use: "cache", Short: "List the compiled kernels that an engine keeps on disk, verify or remove them", Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withKernels(func(k *app.Kernels) error { return c.listCache(cmd.Context(), k, engine, asJSON, verify) })
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&verify, "verify", false, "compare the content of each entry with its checksum; exit status 1 if any will not be loaded")
	cmd.PersistentFlags().StringVar(&engine, "engine", "auto", "engine whose cache it is: "+c.engineNames())
	c.deviceFlag(cmd)
	cmd.AddCommand(c.kernelCacheClear(&engine))
	return cmd
}

func (c *command) kernelCacheClear(engine *string) *cobra.Command {
	var all, faulty bool
	cmd := &cobra.Command{
		Use: "clear [KERNEL…]", Short: "Remove compiled kernels from the disk; they are compiled again when they are next needed",
		Long: "Removes compiled kernels from the disk; they are compiled again when they are next needed. KERNEL is an entry point\n" +
			"(matmul_tiled_f16), the same with its constants as the list shows it, or an entry’s ID.",
		Args: func(_ *cobra.Command, args []string) error {
			if given := len(args) > 0; given == (all || faulty) || all && faulty {
				return usagef("kernel cache clear: want kernels, --all, or --faulty")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.withKernels(func(k *app.Kernels) error {
				ids, err := pickCached(cmd.Context(), k, *engine, args, faulty)
				if err != nil {
					return err
				}
				freed, err := k.ClearCache(*engine, ids)
				if err != nil && freed.Kernels == 0 {
					return err
				}
				fmt.Fprintf(c.out, "%s removed, %s\n", compiledKernels(freed.Kernels), si.Bytes(float64(freed.Bytes)))
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "remove all entries")
	cmd.Flags().BoolVar(&faulty, "faulty", false, "remove the entries that will not be loaded, as assay kernel cache --verify finds them")
	return cmd
}

// withKernels calls f with the kernels of a new session.
func (c *command) withKernels(f func(*app.Kernels) error) error {
	s, err := c.session()
	if err != nil {
		return err
	}
	defer s.Close()
	return f(s.Kernels())
}

// listCache prints the cache; with verify, entries that will not be loaded are an error.
func (c *command) listCache(ctx context.Context, k *app.Kernels, engine string, asJSON, verify bool) error {
	list := k.Cache
	if verify {
		list = func(engine string) (app.KernelCache, error) { return k.VerifyCache(ctx, engine) }
	}
	cache, err := list(engine)
	if err != nil {
		return err
	}
	if asJSON {
		err = writeJSON(c.out, cache)
	} else {
		c.printCache(&cache, verify)
	}
	if n := len(cache.Faulty()); err == nil && verify && n > 0 {
		err = fmt.Errorf("%s will not be loaded: remove with assay kernel cache clear --faulty", compiledKernels(n))
	}
	return err
}

func compiledKernels(n int) string { return si.Counted(n, "compiled kernel") }

// pickCached returns the IDs of the entries to remove: the named ones, the faulty ones after verification, or all.
func pickCached(ctx context.Context, k *app.Kernels, engine string, names []string, faulty bool) ([]string, error) {
	if faulty {
		cache, err := k.VerifyCache(ctx, engine)
		return cache.Faulty(), err
	}
	cache, err := k.Cache(engine)
	if err != nil || len(names) == 0 || cache.Missing != "" {
		return cache.IDs(), err // with no cache, ClearCache says why
	}
	ids, err := cache.Find(names)
	if err != nil {
		err = usagef("%w; see assay kernel cache", err)
	}
	return ids, err
}

// printCache prints the cache as a table.
func (c *command) printCache(k *app.KernelCache, verified bool) {
	if k.Missing != "" {
		fmt.Fprintf(c.out, "Cache of %s: not available: %s\n", k.Title, k.Missing)
		return
	}
	fmt.Fprintf(c.out, "%s: %s, %s\n%s\n%s\n", bold(c.out, "Cache of "+k.Title), compiledKernels(len(k.Entries)), si.Bytes(float64(k.Bytes)),
		k.Folder, k.Kept)
	if len(k.Entries) > 0 {
		fmt.Fprintln(c.out)
		c.cacheTable(k.Entries, verified)
	}
	fmt.Fprintf(c.out, "\nCold and warm times of all kernels: assay run compile --preset all-kernels\n")
}

func (c *command) cacheTable(list []app.CachedKernel, verified bool) {
	g := &grid{header: []string{"Kernel", "Device", "System", "Age", "Size", "Compiled in", "State"}, flex: 0}
	for i := range list {
		k := &list[i]
		cold := "not known"
		if k.Cold > 0 {
			cold = si.Time(k.Cold)
		}
		state := "not verified"
		switch {
		case k.Fault != "":
			state = k.Fault
		case verified:
			state = "verified"
		}
		g.rows = append(g.rows, []string{k.Name(), k.Device, k.System, k.Age(time.Now()), si.Bytes(float64(k.Bytes)), cold, state})
	}
	g.render(c.out)
}
