package kernelspage

import (
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app"
	"assay/ui/kit"
)

// form shows the description as fields. Each edits one key of its text.
type form struct {
	set    func(text string) // the description's text
	text   string            // as shown
	shape  string            // of the rows, to detect a change
	keys   map[string]entry  // by field
	fields *kit.Form
	object *fyne.Container
	quiet  bool // while values are written
}

// entry is a field of the form: a key of the description, its value, and how the value is written.
type entry struct {
	title, about string
	path         []string
	value        string
	options      []kit.Choice // nil: text
	wide         bool         // text that is often long
	write        func(string) string
	apply        func(text, value string) string // nil: sets the key of path
}

// key returns an entry for a key of the description.
func key(title, about, value string, write func(string) string, path ...string) entry {
	return entry{title: title, about: about, path: path, value: value, write: write}
}

// widened gives an entry the whole width.
func (e entry) widened() entry {
	e.wide = true
	return e
}

// of gives an entry options.
func (e entry) of(options []kit.Choice) entry {
	e.options = options
	return e
}

func newForm(set func(string)) *form { return &form{set: set, object: container.NewStack()} }

// minOwnForm is the minimum width of the form, at 100 %.
const minOwnForm = 230

// show shows a description; entries are those of the source, as far as known.
func (f *form) show(text string, d *app.OwnDescription, entries []string) {
	f.text = text
	list := entriesOf(text, d, entries)
	shape := ""
	f.keys = map[string]entry{}
	values := map[string]any{}
	for _, e := range list {
		name := strings.Join(e.path, ".")
		f.keys[name] = e
		values[name] = e.value
		shape += fmt.Sprintln(name, e.title, e.about, e.options)
	}
	if shape != f.shape || f.fields == nil {
		f.shape = shape
		f.build(list)
	}
	f.quiet = true
	defer func() { f.quiet = false }()
	now := f.fields.Values()
	for name, v := range values {
		if now[name] == v {
			delete(values, name) // the user may be typing there
		}
	}
	f.fields.Set(values)
}

// build makes the fields.
func (f *form) build(list []entry) {
	var rows []kit.FieldRow
	for _, e := range list {
		field := kit.Field{Name: strings.Join(e.path, "."), Title: e.title, About: e.about, Wide: e.wide}
		if e.options != nil {
			field.Kind, field.Options, field.Open = kit.ChoiceField, e.options, true
		}
		rows = append(rows, kit.FieldRow{Fields: []kit.Field{field}})
	}
	f.fields = kit.NewForm(rows, minOwnForm, f.changed)
	f.object.Objects = []fyne.CanvasObject{f.fields.Object}
	f.object.Refresh()
}

// changed writes what the user set into the description.
func (f *form) changed(in *kit.Input, _ bool) {
	if f.quiet {
		return
	}
	e, value := f.keys[in.Name], fmt.Sprint(in.Value)
	if value == e.value {
		return
	}
	if e.apply != nil {
		f.set(e.apply(f.text, value))
		return
	}
	f.set(setTOML(f.text, e.path, e.write(value)))
}

// entriesOf returns the fields of a description.
func entriesOf(text string, d *app.OwnDescription, entries []string) []entry {
	list := []entry{
		key("About", "One sentence, for people.", d.About, optional(quotedTOML), "about").widened(),
		key("Entry point", "The kernel function of the source.", d.Entry, optional(quotedTOML), "entry").of(entryChoices(entries)),
	}
	list = append(list, sizeEntries(text, d)...)
	for i := range d.Args {
		list = append(list, argEntries(&d.Args[i])...)
	}
	for _, c := range d.Constants {
		list = append(list, key("Constant "+c.Name, "Value of the function constant.", c.Value.Text, exprTOML, "constants", c.Name))
	}
	list = append(list, launchEntries(d)...)
	return append(list, truthEntries(d, entries)...)
}

// optional omits a key while its value is empty.
func optional(write func(string) string) func(string) string {
	return func(s string) string {
		if s == "" {
			return ""
		}
		return write(s)
	}
}

func entryChoices(names []string) []kit.Choice {
	return append([]kit.Choice{{Value: "", Title: "The only one"}}, kit.ChoicesOf(names)...)
}

func sizeEntries(text string, d *app.OwnDescription) []entry {
	var list []entry
	for _, s := range d.Sizes {
		path := []string{"sizes", s.Name}
		whole := isTable(text, path)
		if whole {
			path = append(path, "value")
		}
		list = append(list, key("Size "+s.Name, "Other fields use it by its name.", plainNumber(s.Value), exprTOML, path...))
		if whole {
			list = append(list, key("Values of "+s.Name, "What a sweep goes through.", numbers(s.Sweep), exprsTOML, "sizes", s.Name, "sweep").widened())
		}
	}
	return list
}

func plainNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func numbers(list []float64) string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = plainNumber(v)
	}
	return strings.Join(words, ", ")
}

// isTable reports whether the key of a path is a table in the text.
func isTable(text string, path []string) bool {
	s := scanTOML(text)
	for i := range s.tables {
		if equal(s.tables[i].table, path) {
			return true
		}
	}
	for i := range s.keys {
		k := &s.keys[i]
		if equal(append(append([]string{}, k.table...), k.key...), path) {
			return strings.HasPrefix(s.lines[k.from][k.value:], "{")
		}
	}
	return false
}

// argEntries returns the fields of an argument, depending on its kind.
func argEntries(a *app.OwnArgument) []entry {
	at := func(title, about, value string, write func(string) string, k string) entry {
		return key(title, about, value, write, "args", a.Name, k)
	}
	switch {
	case a.Bytes.Text != "":
		return []entry{at(a.Name+", bytes", "Of threadgroup memory.", a.Bytes.Text, exprTOML, "bytes")}
	case a.Value.Text != "":
		return []entry{at(a.Name, "A number, or an expression of the sizes.", a.Value.Text, exprTOML, "value")}
	case len(a.Fields) > 0:
		return nil // in the text
	}
	list := []entry{at(a.Name+" holds", "Before the kernel runs.", string(a.Fill), quotedTOML, "fill").of(fillChoices())}
	if a.File != "" || a.Fill == "file" {
		list = append(list,
			at(a.Name+", file", "A .npy or .safetensors file beside the description.", a.File, optional(quotedTOML), "file"),
			at(a.Name+", tensor", "Of the .safetensors file.", a.Tensor, optional(quotedTOML), "tensor"))
	}
	if len(a.Extents) > 0 {
		return append(list,
			at(a.Name+", extents", "Of the tensor, from the dimension whose elements lie together.", exprs(a.Extents), exprsTOML, "extents").widened(),
			at(a.Name+", strides", "In elements, from 1; empty: no gaps.", exprs(a.Strides), optional(exprsTOML), "strides").widened())
	}
	return append(list, at(a.Name+", length", "In elements: a number, or an expression of the sizes.", a.Length.Text, exprTOML, "length"))
}

// fillChoices are the possible contents of a buffer.
func fillChoices() []kit.Choice {
	var list []kit.Choice
	for _, f := range app.OwnFills() {
		list = append(list, kit.Choice{Value: string(f), Title: fillTitles()[string(f)]})
	}
	return list
}

func fillTitles() map[string]string {
	return map[string]string{
		"random": "Random numbers", "ramp": "A ramp", "zeros": "Zeros", "ones": "Ones", "file": "A file", "output": "Output",
	}
}

func launchEntries(d *app.OwnDescription) []entry {
	l := &d.Launch
	all := key("Threads", "In all, up to three dimensions, such as n, 16.", exprs(l.Grid), exprsTOML, "launch", "grid")
	if len(l.Groups) > 0 {
		all = key("Threadgroups", "Up to three dimensions.", exprs(l.Groups), exprsTOML, "launch", "groups")
	}
	return []entry{all, key("Threadgroup", "Its threads, up to three dimensions.", exprs(l.Threadgroup), exprsTOML, "launch", "threadgroup")}
}

// The kinds of reference.
const (
	byNothing  = ""
	byStarlark = "starlark"
	byKernel   = "kernel"
)

// truthEntries are the fields for what results are compared with, and how far off they may be.
func truthEntries(d *app.OwnDescription, entries []string) []entry {
	r := d.Reference
	kind := entry{title: "Reference", about: "What results are compared with. Without one, figures say: not verified.", path: []string{"reference"}}
	kind.options = []kit.Choice{{Value: byNothing, Title: "None"}, {Value: byStarlark, Title: "Starlark"}, {Value: byKernel, Title: "A kernel"}}
	kind.apply = func(text, value string) string { return setReference(text, d, value) }
	if r == nil {
		return []entry{kind}
	}
	kind.value = byStarlark
	list := []entry{}
	if r.Starlark == "" {
		kind.value = byKernel
		list = append(list,
			key("Its file", "A .metal file; empty: this source.", r.Kernel, optional(quotedTOML), "reference", "kernel"),
			key("Its entry point", "A kernel with the same arguments.", r.Entry, optional(quotedTOML), "reference", "entry").of(entryChoices(entries)))
	} else {
		kind.about = "A function for each output, in the description’s text. Figures are then verified."
	}
	tolerance := func(title, k string, v float64) entry {
		value := ""
		if v >= 0 {
			value = plainNumber(v)
		}
		return key(title, "Largest allowed; empty: what suits the type.", value, optional(strings.TrimSpace), "reference", k)
	}
	return append(append([]entry{kind}, list...), tolerance("Absolute error", "abs", r.Abs), tolerance("Relative error", "rel", r.Rel))
}

// setReference replaces the reference with an empty one of a kind.
func setReference(text string, d *app.OwnDescription, kind string) string {
	text = dropTable(text, "reference")
	switch kind {
	case byStarlark:
		var code strings.Builder
		for _, a := range d.Args {
			if a.Fill == "output" {
				code.WriteString("def " + a.Name + "(i):\n    return 0.0\n")
			}
		}
		return setTOML(text, []string{"reference", "starlark"}, "'''\n"+code.String()+"'''")
	case byKernel:
		return setTOML(text, []string{"reference", "entry"}, quotedTOML("name"))
	}
	return text
}

// dropTable removes a table with its header and keys.
func dropTable(text string, path ...string) string {
	s := scanTOML(text)
	for i := range s.tables {
		t := &s.tables[i]
		if !equal(t.table, path) {
			continue
		}
		lines := append(append([]string{}, s.lines[:t.line]...), s.lines[t.nextKey:]...)
		return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
	}
	return text
}

// exprs joins expressions with commas.
func exprs(list []app.OwnExpr) string {
	words := make([]string, len(list))
	for i := range list {
		words[i] = list[i].Text
	}
	return strings.Join(words, ", ")
}
