package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/app"
)

// listedKernel is an implementation in `kernel list --json` and `kernel show --json`.
type listedKernel struct {
	app.KernelInfo
	Engine  string            `json:"engine"`  // the engine queried
	Refused map[string]string `json:"refused"` // why it does not run some kernels, by ID
}

func (c *command) kernelList() *cobra.Command {
	var engine string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the kernels, and which of them an engine runs", Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			list, support, err := c.kernels(engine)
			if err != nil {
				return err
			}
			if asJSON {
				all := make([]listedKernel, len(list))
				for i := range list {
					all[i] = listedKernelOf(&list[i], &support)
				}
				return writeJSON(c.out, all)
			}
			return c.printKernels(list, &support)
		},
	}
	c.kernelFlags(cmd, &engine, &asJSON)
	return cmd
}

func (c *command) kernelShow() *cobra.Command {
	var engine string
	var asJSON bool
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Print a kernel's description and source",
		Long: "Prints a kernel's description and source. NAME is an operation and an implementation (matmul/tiled),\n" +
			"an operation that has only one (dequantize), a kernel (matmul/tiled/f16) or its entry point (matmul_tiled_f16);\n" +
			"or the description of a kernel of your own, or its folder.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("kernel show: want the name of one kernel; see assay kernel list")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := os.Stat(args[0]); err == nil {
				return c.showOwn(cmd.Context(), args[0], asJSON)
			}
			list, support, err := c.kernels(engine)
			if err != nil {
				return err
			}
			k, err := app.FindKernel(list, args[0])
			if err != nil {
				return usagef("%w; see assay kernel list", err)
			}
			if asJSON {
				return writeJSON(c.out, listedKernelOf(k, &support))
			}
			c.printKernel(k, &support)
			return nil
		},
	}
	c.kernelFlags(cmd, &engine, &asJSON)
	return cmd
}

func (c *command) kernelFlags(cmd *cobra.Command, engine *string, asJSON *bool) {
	cmd.Flags().StringVar(engine, "engine", "auto", "engine to ask which kernels it runs: "+c.engineNames())
	c.deviceFlag(cmd)
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// kernels lists all kernels, and whether an engine runs them.
func (c *command) kernels(engine string) ([]app.KernelInfo, app.KernelSupport, error) {
	s, err := c.session()
	if err != nil {
		return nil, app.KernelSupport{}, err
	}
	defer s.Close()
	support, err := s.Kernels().Support(engine)
	return s.Kernels().List(), support, err
}

func listedKernelOf(k *app.KernelInfo, s *app.KernelSupport) listedKernel {
	refused := map[string]string{}
	for _, t := range k.Kernels {
		if why := s.Refused[t.ID]; why != "" {
			refused[t.ID] = why
		}
	}
	return listedKernel{*k, s.Engine, refused}
}

func (c *command) printKernels(list []app.KernelInfo, s *app.KernelSupport) error {
	g := &grid{header: []string{"Kernel", "Types", "Source", s.Title, "About"}, flex: 4}
	for i := range list {
		k := &list[i]
		g.rows = append(g.rows, []string{k.ID, typesOf(k), sourceOf(k), runsOn(k, s), k.About})
	}
	g.render(c.out)
	_, err := fmt.Fprintln(c.out, "\nDetails and source: assay kernel show KERNEL")
	return err
}

func typesOf(k *app.KernelInfo) string {
	types := make([]string, len(k.Kernels))
	for i, t := range k.Kernels {
		types[i] = t.Type
	}
	return strings.Join(types, " ")
}

// sourceOf names a kernel's source file, or says that it has none.
func sourceOf(k *app.KernelInfo) string {
	if k.Library != "" {
		return "library"
	}
	return k.Files[0].Name
}

// runsOn says in a word whether an engine runs a kernel: yes, no, or in which types.
func runsOn(k *app.KernelInfo, s *app.KernelSupport) string {
	switch types := s.Runs(k); len(types) {
	case len(k.Kernels):
		return "yes"
	case 0:
		return "no"
	default:
		return strings.Join(types, " ")
	}
}

func (c *command) printKernel(k *app.KernelInfo, s *app.KernelSupport) {
	fmt.Fprintf(c.out, "%s: %s\n%s\n", bold(c.out, k.ID), k.Family, k.About)
	section(c.out, "types", k.Kernels, func(t app.KernelType) []string {
		runs := s.Title + " runs it"
		if why := s.Refused[t.ID]; why != "" {
			runs = "not on " + s.Title + ": " + why
		}
		if t.Needs != "" && !strings.Contains(runs, "needs "+t.Needs) {
			runs += "; on a GPU it needs " + t.Needs
		}
		return []string{t.Type, t.ID, t.Entry, runs}
	})
	section(c.out, "arguments", k.Args, func(a app.KernelArg) []string {
		return []string{a.Access, a.Type, a.Name, when(a.If)}
	})
	section(c.out, "parameters", k.Params, func(p app.KernelParam) []string { return []string{p.Type, p.Name} })
	section(c.out, "constants", k.Constants, func(x app.KernelConstant) []string {
		return []string{x.Name, fmt.Sprintf("0 to %d", x.Max), x.About}
	})
	section(c.out, "tunables", k.Tunables, func(t app.KernelTunable) []string {
		values := make([]string, len(t.Values))
		for i, v := range t.Values {
			values[i] = strconv.Itoa(int(v))
		}
		return []string{t.Name, strings.Join(values, " "), fmt.Sprintf("default %d", t.Default), t.About}
	})
	if k.Launch != nil {
		fmt.Fprintf(c.out, "\n  up to %d threads per threadgroup, %d B of threadgroup memory set at launch\n", k.Launch.Threads,
			k.Launch.Shared)
	}
	printSource(c.out, k)
}

// section prints rows under a name, if there are any.
func section[T any](w io.Writer, name string, list []T, row func(T) []string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n  %s\n", name)
	rows := make([][]string, len(list))
	for i, x := range list {
		rows[i] = row(x)
	}
	alignRows(w, rows)
}

// when names the constant that an argument depends on.
func when(constant string) string {
	if constant == "" {
		return ""
	}
	return "if " + constant
}

func printSource(w io.Writer, k *app.KernelInfo) {
	if k.Library != "" {
		fmt.Fprintf(w, "\nno source: %s\n", k.Library)
		return
	}
	fmt.Fprintf(w, "\nsource, SHA-256 %s\n", k.Hash)
	for _, f := range k.Files {
		fmt.Fprintf(w, "\n// %s\n%s", f.Name, f.Text)
	}
}
