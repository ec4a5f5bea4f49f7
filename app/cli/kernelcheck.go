package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/internal/meant"
)

func (c *command) kernelCheck() *cobra.Command {
	k := kernelCheck{command: c}
	var target string
	var defines []string
	cmd := &cobra.Command{
		Use:   "check FILE.metal…",
		Short: "Compile .metal files for the CPU or NVIDIA GPUs and list their entry points, or report errors by line",
		Args:  func(_ *cobra.Command, args []string) error { return filesGiven(args) },
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if k.targets, err = parseTargets(target); err != nil {
				return err
			}
			if k.macros, err = parseDefines(defines); err != nil {
				return err
			}
			return k.files(cmd.Context(), args)
		},
	}
	cmd.Flags().StringVar(&target, "target", clang.Targets()[0].Name, "compile for "+targetChoices())
	cmd.Flags().StringArrayVarP(&k.include, "include", "I", nil, "folder that #include searches (repeatable)")
	cmd.Flags().StringArrayVarP(&defines, "define", "D", nil, "macro: NAME or NAME=VALUE (repeatable)")
	return cmd
}

func filesGiven(args []string) error {
	if len(args) == 0 {
		return usagef("kernel check: want one or more .metal files")
	}
	return nil
}

// parseDefines reads NAME=VALUE; a NAME alone means 1, as in compilers.
func parseDefines(defines []string) (map[string]string, error) {
	macros := map[string]string{}
	for _, d := range defines {
		name, value, given := strings.Cut(d, "=")
		if !given {
			value = "1"
		}
		if name == "" || strings.ContainsAny(name, " \t-") {
			return nil, usagef("-D %s: want NAME or NAME=VALUE", d)
		}
		macros[name] = value
	}
	return macros, nil
}

// allTargets is the choice of every target.
const allTargets = "all"

func targetNames() []string {
	var names []string
	for _, t := range clang.Targets() {
		names = append(names, t.Name)
	}
	return append(names, allTargets)
}

// targetChoices lists the targets and what they are.
func targetChoices() string {
	var b strings.Builder
	for _, t := range clang.Targets() {
		fmt.Fprintf(&b, "%s (%s), ", t.Name, t.Full)
	}
	return strings.TrimSuffix(b.String(), ", ") + " or " + allTargets
}

func parseTargets(name string) ([]clang.NamedTarget, error) {
	all := clang.Targets()
	if name == allTargets {
		return all, nil
	}
	i := slices.IndexFunc(all, func(t clang.NamedTarget) bool { return t.Name == name })
	if i < 0 {
		return nil, usagef("--target %q: want %s%s", name, targetChoices(), meant.Hint(name, targetNames()))
	}
	return all[i : i+1], nil
}

// kernelCheck compiles .metal files for the chosen targets.
type kernelCheck struct {
	*command
	compiler *clang.Compiler
	targets  []clang.NamedTarget
	include  []string
	macros   map[string]string
}

// files checks every file and fails if one of them does not compile.
func (k *kernelCheck) files(ctx context.Context, files []string) (err error) {
	if k.compiler, err = clang.Find(); err != nil {
		return fmt.Errorf("kernel check is not available: %w", err)
	}
	failed := false
	for i, name := range files {
		if i > 0 {
			fmt.Fprintln(k.out)
		}
		err := k.file(ctx, name)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = true
			if !errors.Is(err, errFailed) {
				return err
			}
		}
	}
	if failed {
		return errFailed
	}
	return nil
}

// file checks one file. It prints its entry points if a target accepts it, and the errors of the targets that do not.
func (k *kernelCheck) file(ctx context.Context, name string) error {
	text, err := msl.ReadFile(name)
	if err != nil {
		fmt.Fprintln(k.errOut, "assay:", err) // the error names the file
		return errFailed
	}
	s := msl.Source{Name: name, Text: text, Include: k.include, Macros: k.macros}
	var lib *clang.Library
	var accepted []string
	var refused []refusal
	for _, t := range k.targets {
		l, err := k.compile(ctx, s, t.Target)
		if ctx.Err() != nil {
			return errFailed
		}
		if err != nil {
			refused = addRefusal(refused, t.Full, err)
			continue
		}
		lib, accepted = l, append(accepted, t.Full)
	}
	for _, r := range refused {
		k.compileErrors(&s, r.err, k.about(" for ", r.targets))
	}
	if lib != nil {
		err = k.listEntries(name, lib, k.about(", compiled for ", accepted))
	}
	if len(refused) > 0 {
		return errFailed
	}
	return err
}

// compile checks a source and, if that can fail, whether code can be generated for all of it.
func (k *kernelCheck) compile(ctx context.Context, s msl.Source, t clang.Target) (*clang.Library, error) {
	l, err := k.compiler.Compile(ctx, s, clang.Options{Target: t})
	if err != nil {
		return nil, err
	}
	return l, l.CheckCode(ctx)
}

// refusal is an error that some targets have in common.
type refusal struct {
	err     error
	targets []string
}

func addRefusal(list []refusal, target string, err error) []refusal {
	for i := range list {
		if list[i].err.Error() == err.Error() {
			list[i].targets = append(list[i].targets, target)
			return list
		}
	}
	return append(list, refusal{err, []string{target}})
}

// about says which targets something applies to; nothing if only the default was requested.
func (k *kernelCheck) about(words string, targets []string) string {
	if len(k.targets) == 1 && k.targets[0].Name == clang.Targets()[0].Name {
		return ""
	}
	return words + strings.Join(targets, " and ")
}
