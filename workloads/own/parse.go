package own

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"assay/internal/regular"
	"assay/internal/si"
)

// Load reads and parses a description.
func Load(path string) (*Description, []Problem) {
	text, err := regular.Read(path, "a description", maxDescription)
	if err != nil {
		return &Description{Path: path}, []Problem{{Kind: Invalid, File: path, Message: err.Error()}}
	}
	return Parse(path, string(text))
}

// Parse reads a description. Path names it in problems, and locates the files that it names. The description is complete only if there
// are no problems.
func Parse(path, text string) (*Description, []Problem) {
	d := &Description{Path: path}
	p := &parser{d: d, text: text}
	if len(text) > maxDescription {
		p.problem("", "it has %s, want at most %s", si.Bytes(float64(len(text))), si.Bytes(maxDescription))
		return d, p.problems
	}
	var root map[string]any
	md, err := toml.Decode(text, &root)
	if err != nil {
		p.syntax(err)
		return d, p.problems
	}
	for _, k := range md.Keys() {
		p.order = append(p.order, strings.Join(k, "."))
	}
	p.root(&table{p, "", root, nil})
	return d, p.problems
}

type parser struct {
	d        *Description
	text     string
	order    []string // of all keys
	problems []Problem
}

func (p *parser) syntax(err error) {
	var wrong toml.ParseError
	if errors.As(err, &wrong) {
		message := wrong.Message
		if message == "" {
			message = err.Error()
		}
		p.problems = append(p.problems, Problem{Kind: Invalid, File: p.d.Path, Line: wrong.Position.Line, Message: message})
		return
	}
	p.problem("", "%v", err)
}

func (p *parser) problem(key, format string, args ...any) {
	p.problems = append(p.problems, Problem{
		Kind: Invalid, File: p.d.Path, Line: lineOf(p.text, key), Key: key, Message: fmt.Sprintf(format, args...),
	})
}

// lineOf returns the line of a key of a description, or else of the table that it belongs in; 0 if neither is there.
func lineOf(text, key string) int {
	found, table := 0, ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if head, ok := strings.CutPrefix(line, "["); ok {
			table = strings.ReplaceAll(strings.Trim(strings.SplitN(head, "]", 2)[0], "[] \t"), `"`, "")
			if table == key || strings.HasPrefix(key, table+".") {
				found = i + 1
			}
			continue
		}
		name, _, ok := strings.Cut(line, "=")
		name = strings.ReplaceAll(strings.TrimSpace(name), `"`, "")
		if table != "" {
			name = table + "." + name
		}
		if ok && (name == key || strings.HasPrefix(key, name+".")) {
			return i + 1
		}
	}
	return found
}

func (p *parser) root(t *table) {
	d := p.d
	d.About, d.Source, d.Entry = t.str("about"), t.str("source"), t.str("entry")
	d.Include, d.FastMath, d.NoRace = t.texts("include"), t.flag("fast_math"), t.str("no_race")
	if d.Source == "" {
		d.Source = defaultSource(d.Path)
	}
	d.Define = map[string]string{}
	define := t.sub("define")
	for _, name := range define.names() {
		d.Define[name] = fmt.Sprint(define.m[name])
	}
	p.sizes(t.sub("sizes"))
	args := t.sub("args")
	for _, name := range args.names() {
		d.Args = append(d.Args, p.argument(name, args.sub(name)))
	}
	if len(d.Args) > maxArguments {
		p.problem("args", "has %d arguments, want at most %d", len(d.Args), maxArguments)
	}
	constants := t.sub("constants")
	for _, name := range constants.names() {
		d.Constants = append(d.Constants, Setting{name, constants.expr(name)})
	}
	launch := t.sub("launch")
	d.Launch = launch.geometry()
	if len(d.Launch.Threadgroup) == 0 {
		p.problem("launch", "want threadgroup, the threads in one threadgroup, and grid (threads in all) or groups (threadgroups)")
	}
	launch.end()
	if _, ok := t.m["reference"]; ok {
		d.Reference = p.truth(t.sub("reference"))
	}
	t.used = append(t.used, "reference")
	p.limits(t.sub("limits"))
	cost := t.sub("cost")
	d.Operations, d.Bytes = cost.expr("operations"), cost.expr("bytes")
	cost.end()
	t.end()
}

// defaultSource is the .metal file with the description's name; for a kernel.toml it is kernel.metal.
func defaultSource(path string) string {
	base := filepath.Base(path)
	if base == single {
		return "kernel.metal"
	}
	return strings.TrimSuffix(base, ending) + ".metal"
}

func (t *table) geometry() Geometry {
	g := Geometry{t.exprs("grid"), t.exprs("groups"), t.exprs("threadgroup")}
	if len(g.Threadgroup) > 0 && (len(g.Grid) == 0) == (len(g.Groups) == 0) {
		t.problem("threadgroup", "want either grid (threads in all) or groups (threadgroups) beside it")
	}
	return g
}

func (p *parser) sizes(t *table) {
	for _, name := range t.names() {
		if !isName(name) {
			t.problem(name, "want a name of letters, digits and _")
		}
		s := Size{Name: name}
		if m, ok := t.m[name].(map[string]any); ok {
			sub := &table{p, t.key(name), m, nil}
			s.Value = sub.number("value", math.NaN())
			s.Check = sub.number("check", s.Value)
			s.Sweep = sub.sweep()
			if math.IsNaN(s.Value) {
				sub.problem("value", "a size needs a value")
			}
			sub.end()
		} else {
			s.Value = t.number(name, 0)
			s.Check = s.Value
		}
		if !isSize(s.Value) || !isSize(s.Check) {
			t.problem(name, "want 0 to %d", math.MaxInt32)
		}
		p.d.Sizes = append(p.d.Sizes, s)
	}
	if len(p.d.Sizes) > maxSizes {
		t.p.problem(t.path, "has %d sizes, want at most %d", len(p.d.Sizes), maxSizes)
	}
}

// sweep returns the listed values.
func (t *table) sweep() []float64 {
	var all []float64
	for _, v := range valueOf[[]any](t, "sweep", "a list of numbers") {
		x, ok := numberOf(v)
		if !ok || !isSize(x) {
			t.problem("sweep", "want a list of numbers from 0 to %d", math.MaxInt32)
			return nil
		}
		all = append(all, x)
	}
	if len(all) > 100 {
		t.problem("sweep", "has %d values, want at most 100", len(all))
	}
	return all
}

// isSize reports whether a number can be a size.
func isSize(v float64) bool { return v >= 0 && v <= math.MaxInt32 }

func isName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) truth(t *table) *Truth {
	r := &Truth{
		Starlark: t.str("starlark"), Kernel: t.str("kernel"), Entry: t.str("entry"), Abs: t.tolerance("abs"), Rel: t.tolerance("rel"),
		Limit: int(t.count("limit", 1, defaultCompared)),
	}
	r.Launch = t.geometry()
	other := r.Kernel != "" || r.Entry != ""
	switch {
	case other == (r.Starlark != ""):
		p.problem(t.path, "want either starlark, or kernel or entry of a kernel that is known to be right")
	case r.Starlark != "":
		if err := checkStarlark(r.Starlark); err != nil {
			p.scriptProblem(err)
		}
	}
	t.end()
	return r
}

func (p *parser) limits(t *table) {
	seconds := t.number("seconds", defaultTime.Seconds())
	if seconds <= 0 || seconds > maxOfLimit.Seconds() {
		t.problem("seconds", "is %g, want up to %g", seconds, maxOfLimit.Seconds())
	}
	p.d.Time = time.Duration(seconds * float64(time.Second))
	p.d.Memory = defaultMemory
	if text := t.str("memory"); text != "" {
		n, err := si.ParseBytes(text)
		if err != nil || n < minMemory || n > maxMemory {
			t.problem("memory", "is %q, want 64 MiB to 64 GiB", text)
		}
		p.d.Memory = n
	}
	t.end()
}
