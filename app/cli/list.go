package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/plain"
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
	Names   []string       `json:"names,omitempty"` // what a text gives values to, as NAME=NUMBER
	Default any            `json:"default"`
	About   string         `json:"about"`
	// Unavailable are the choices that the engine cannot measure, and why.
	Unavailable map[string]string `json:"unavailable,omitempty"`
}

type listedWorkload struct {
	Name     string        `json:"name"`
	Title    string        `json:"title"`
	Group    string        `json:"group"`
	About    string        `json:"about"`
	Question string        `json:"question"` // the question it answers
	Params   []listedParam `json:"params"`
	// Presets give values to some parameters; the others keep their defaults.
	Presets     []listedPreset `json:"presets"`
	Unavailable string         `json:"unavailable,omitempty"` // why the engine cannot measure any of it
}

type listedPreset struct {
	Name   string         `json:"name"`
	Title  string         `json:"title"`
	About  string         `json:"about"`
	Values map[string]any `json:"values"`
}

func (c *command) list() *cobra.Command {
	var asJSON bool
	var engine string
	cmd := &cobra.Command{
		Use: "list [NAME…]", Short: "List the workloads and their parameters, and what an engine cannot measure",
		Long: "Lists the workloads and their parameters; for named workloads, with all the values of each choice.", Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, names []string) error {
			picked, err := c.named(names)
			if err != nil {
				return err
			}
			on, err := c.lacks(engine)
			switch {
			case err != nil:
				return err
			case asJSON:
				return writeJSON(c.out, listed(picked, on.of))
			}
			return c.listText(picked, &on, len(names) > 0)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().StringVar(&engine, "engine", "auto", "engine that would measure them: "+c.engineNames())
	return cmd
}

// lacking is what an engine cannot measure, by workload.
type lacking struct {
	engine string // its title
	of     map[string]workloads.Lacks
}

// lacks returns what an engine cannot measure. If none opens by itself, nothing is known about that.
func (c *command) lacks(engine string) (lacking, error) {
	s, err := c.session()
	if err != nil {
		return lacking{}, err
	}
	defer s.Close()
	of, title, err := s.Engines().Lacks(engine)
	if err != nil && engine != "auto" {
		return lacking{}, usageError{err}
	}
	return lacking{title, of}, nil
}

// named returns the workloads with these names; all of them without any.
func (c *command) named(names []string) (picked []workloads.Workload, err error) {
	if len(names) == 0 {
		return c.config.Workloads, nil
	}
	for _, name := range names {
		w, err := workloads.Find(c.config.Workloads, name)
		if err != nil {
			return nil, usageError{err}
		}
		picked = append(picked, *w)
	}
	return picked, nil
}

func listed(all []workloads.Workload, lacks map[string]workloads.Lacks) []listedWorkload {
	out := make([]listedWorkload, 0, len(all))
	for _, w := range all {
		l := listedWorkload{
			Name: w.Name, Title: w.Title, Group: w.Group, About: w.About, Question: w.Question, Params: []listedParam{},
			Presets: []listedPreset{}, Unavailable: lacks[w.Name].Whole(),
		}
		for _, p := range w.Presets {
			l.Presets = append(l.Presets, listedPreset{p.Name, p.Title, p.About, p.Values})
		}
		for _, p := range w.Params {
			lp := listedParam{
				Name: p.Name, Title: p.Title, Type: p.Type, Unit: p.Unit, Choices: p.ChoiceValues(), Names: p.Names,
				Default: p.Default, About: p.About,
			}
			for _, choice := range lp.Choices {
				if why := lacks[w.Name].Of(p.Name, choice); why != "" {
					if lp.Unavailable == nil {
						lp.Unavailable = map[string]string{}
					}
					lp.Unavailable[choice] = why
				}
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

// listText prints workloads; with whole every choice of their parameters, without it after the questions that they answer.
func (c *command) listText(picked []workloads.Workload, on *lacking, whole bool) error {
	if !whole {
		c.listQuestions()
	}
	for _, w := range picked {
		fmt.Fprintf(c.out, "%s: %s\n", bold(c.out, w.Name), w.About)
		g := &grid{header: []string{"Parameter", "Default", "Takes", "About"}, flex: 3, wrap: []int{2}}
		for _, p := range w.Params {
			g.rows = append(g.rows, []string{p.Name, p.Format(p.Default), takes(&p, whole), p.About})
		}
		g.render(c.out)
		c.listLacks(&w, on)
		fmt.Fprintln(c.out)
		c.listPresets(&w)
	}
	if !whole {
		fmt.Fprintln(c.out, "All choices of a workload: assay list NAME")
	}
	_, err := fmt.Fprintln(c.out, "Run one with: assay run NAME [--preset PRESET] [--set PARAMETER=VALUE] [--quick]")
	return err
}

// listLacks says what the engine cannot measure of a workload.
func (c *command) listLacks(w *workloads.Workload, on *lacking) {
	for _, m := range on.of[w.Name] {
		what := "Not"
		if m.Param != "" {
			what = m.Param + "=" + m.Value + " is not"
		}
		fmt.Fprintf(c.out, "%s available on %s: %s\n", what, on.engine, plain.Text(m.Why))
	}
}

// listQuestions says which workload answers which question.
func (c *command) listQuestions() {
	g := &grid{header: []string{"Question", "Run"}, flex: 1}
	for _, w := range c.config.Workloads {
		g.rows = append(g.rows, []string{w.Question, "assay run " + w.Name})
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
}

func (c *command) listPresets(w *workloads.Workload) {
	if len(w.Presets) == 0 {
		return
	}
	g := &grid{header: []string{"Preset", "Sets", "About"}, flex: 2, wrap: []int{1}}
	for _, p := range w.Presets {
		g.rows = append(g.rows, []string{p.Name, sets(w, &p), p.About})
	}
	g.render(c.out)
	fmt.Fprintln(c.out)
}

// sets writes a preset's values as --set takes them, in the order of the parameters.
func sets(w *workloads.Workload, p *workloads.Preset) string {
	var out []string
	for _, param := range w.Params {
		if v, ok := p.Values[param.Name]; ok {
			out = append(out, param.Name+"="+param.Format(v))
		}
	}
	return strings.Join(out, " ")
}

// takes says what values a parameter accepts, briefly unless whole is set.
func takes(p *workloads.Param, whole bool) string {
	switch p.Type {
	case workloads.Int, workloads.Float:
		return strings.TrimSpace(fmt.Sprintf("%s to %s %s", plainNumber(p.Min), plainNumber(p.Max), p.Unit))
	case workloads.Choice:
		if len(p.Choices) > 4 && !whole {
			return fmt.Sprintf("%s, … (%d choices)", listing(p.ChoiceValues()[:2]), len(p.Choices))
		}
		return listing(p.ChoiceValues())
	case workloads.Text:
		if len(p.Names) > 0 && !whole {
			return "NAME=NUMBER, …"
		}
	}
	return p.Range()
}

// plainNumber formats a number as --set takes it, without an exponent.
func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
