package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"assay/workloads"
)

// listedParam is a parameter in `list --json`. Min and max are null for types without a range.
type listedParam struct {
	Name    string         `json:"name"`
	Title   string         `json:"title"`
	Type    workloads.Type `json:"type"`
	Unit    string         `json:"unit"`
	Min     *float64       `json:"min"`
	Max     *float64       `json:"max"`
	Choices []string       `json:"choices,omitempty"`
	Default any            `json:"default"`
	About   string         `json:"about"`
}

type listedWorkload struct {
	Name   string        `json:"name"`
	Title  string        `json:"title"`
	Group  string        `json:"group"`
	About  string        `json:"about"`
	Params []listedParam `json:"params"`
}

func (c *command) list() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the workloads and their parameters",
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return writeJSON(c.out, listed(c.config.Workloads))
			}
			c.listText()
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func listed(all []workloads.Workload) []listedWorkload {
	out := make([]listedWorkload, 0, len(all))
	for _, w := range all {
		l := listedWorkload{Name: w.Name, Title: w.Title, Group: w.Group, About: w.About, Params: []listedParam{}}
		for _, p := range w.Params {
			lp := listedParam{
				Name: p.Name, Title: p.Title, Type: p.Type, Unit: p.Unit, Choices: p.Choices, Default: p.Default, About: p.About,
			}
			if p.Type == workloads.Int || p.Type == workloads.Float {
				lp.Min, lp.Max = &p.Min, &p.Max
			}
			l.Params = append(l.Params, lp)
		}
		out = append(out, l)
	}
	return out
}

func (c *command) listText() {
	for _, w := range c.config.Workloads {
		fmt.Fprintf(c.out, "%s: %s\n", c.bold(w.Name), w.About)
		t := newTable(c.out, "Parameter", "Default", "Takes", "About")
		t.SetColumnConfigs([]table.ColumnConfig{wrapped(3, 34), wrapped(4, 60)})
		for _, p := range w.Params {
			t.AppendRow(table.Row{p.Name, p.Format(p.Default), p.Range(), p.About})
		}
		t.Render()
		fmt.Fprintln(c.out)
	}
	fmt.Fprintln(c.out, "Run one with: assay run NAME [--set PARAMETER=VALUE] [--quick]")
}

// newTable is a table in Assay's terminal style.
func newTable(w io.Writer, header ...string) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	row := make(table.Row, len(header))
	for i, h := range header {
		row[i] = h
	}
	t.AppendHeader(row)
	return t
}

// wrapped is a column that breaks its text between words.
func wrapped(number, width int) table.ColumnConfig {
	return table.ColumnConfig{Number: number, WidthMax: width, WidthMaxEnforcer: text.WrapSoft}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// buildInfo names the toolchain, the platform and the commit, as far as they are known.
func buildInfo() string {
	s := fmt.Sprintf("(%s, %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, kv := range info.Settings {
			if kv.Key == "vcs.revision" && len(kv.Value) >= 12 {
				s += ", commit " + kv.Value[:12]
			}
		}
	}
	return s + ")"
}
