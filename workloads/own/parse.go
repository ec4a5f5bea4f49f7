package own

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"assay/internal/meant"
	"assay/internal/regular"
	"assay/internal/si"
)

// Names of description files: one that is the kernel of its folder, and what others end in.
const (
	single = "kernel.toml"
	ending = ".kernel.toml"
)

// IsDescription reports whether a file is a description by its name.
func IsDescription(name string) bool {
	base := filepath.Base(name)
	return base == single || strings.HasSuffix(base, ending)
}

// Find lists the descriptions in a folder and below it, or the one that is named, itself or by its source.
func Find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return describing(path)
	}
	var all []string
	err = filepath.WalkDir(path, func(name string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != path && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case d.Type().IsRegular() && IsDescription(name):
			all = append(all, name)
		}
		return nil
	})
	return all, err
}

// Load reads and parses a description.
func Load(path string) (*Description, []Problem) {
	text, err := regular.Read(path, "a description", maxDescription)
	if err != nil {
		return &Description{Path: path}, []Problem{{Kind: Invalid, File: path, Message: err.Error()}}
	}
	return Parse(path, string(text))
}

// describing is a description that is named, or that of a source that is.
func describing(path string) ([]string, error) {
	name, isSource := strings.CutSuffix(path, ".metal")
	if !isSource {
		return []string{path}, nil
	}
	for _, d := range []string{name + ending, filepath.Join(filepath.Dir(path), single)} {
		if _, err := os.Stat(d); err == nil {
			return []string{d}, nil
		}
	}
	return nil, fmt.Errorf("%s has no description: want %s beside it", path, filepath.Base(name)+ending)
}

// Parse reads a description. Path names it in problems, and says where the files are that it names. The description is
// whole only if there are no problems.
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

// lineOf is where a key of a description is written, or else the table that it belongs in; 0 if neither is there.
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

// table is one table of the description.
type table struct {
	p    *parser
	path string
	m    map[string]any
	used []string
}

func (t *table) key(name string) string {
	if t.path == "" {
		return name
	}
	return t.path + "." + name
}

func (t *table) problem(name, format string, args ...any) { t.p.problem(t.key(name), format, args...) }

func (t *table) get(name string) (any, bool) {
	t.used = append(t.used, name)
	v, ok := t.m[name]
	return v, ok
}

// end refuses the keys that nothing asked for.
func (t *table) end() {
	for _, name := range slices.Sorted(maps.Keys(t.m)) {
		if !slices.Contains(t.used, name) {
			t.problem(name, "there is no such key%s; want %s", meant.Hint(name, t.used), strings.Join(t.used, ", "))
		}
	}
}

func valueOf[T any](t *table, name, want string) T {
	v, ok := t.get(name)
	if !ok {
		return *new(T)
	}
	x, ok := v.(T)
	if !ok {
		t.problem(name, "want %s", want)
	}
	return x
}

func (t *table) str(name string) string { return valueOf[string](t, name, "text in quotes") }

func (t *table) flag(name string) bool { return valueOf[bool](t, name, "true or false") }

// number is a finite number; otherwise where the key is not given.
func (t *table) number(name string, otherwise float64) float64 {
	v, ok := t.get(name)
	if !ok {
		return otherwise
	}
	x, ok := numberOf(v)
	if !ok {
		t.problem(name, "want a number")
	}
	return x
}

func numberOf(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	case bool:
		return float64(one(x)), true
	}
	return 0, false
}

// expr is an expression: text, a number or a flag.
func (t *table) expr(name string) Expr {
	v, ok := t.get(name)
	if !ok {
		return Expr{}
	}
	return t.exprOf(name, v)
}

func (t *table) exprOf(name string, v any) Expr {
	text, ok := v.(string)
	if !ok {
		x, isNumber := numberOf(v)
		if !isNumber {
			t.problem(name, "want a number or an expression in quotes")
			return Expr{}
		}
		text = fmt.Sprint(x)
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			text = fmt.Sprint(int64(x))
		}
	}
	e, err := ParseExpr(text)
	if err == nil {
		_, err = e.Value(t.p.d.Values(false))
	}
	if err != nil {
		t.problem(name, "%v", err)
	}
	return e
}

// exprs are one to three expressions: a list, or one alone.
func (t *table) exprs(name string) []Expr {
	v, ok := t.get(name)
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if len(list) < 1 || len(list) > 3 {
		t.problem(name, "has %d numbers, want 1 to 3", len(list))
		return nil
	}
	all := make([]Expr, len(list))
	for i, x := range list {
		all[i] = t.exprOf(name, x)
	}
	return all
}

func (t *table) texts(name string) []string {
	var all []string
	for _, v := range valueOf[[]any](t, name, "a list of texts") {
		text, ok := v.(string)
		if !ok {
			t.problem(name, "want a list of texts")
		}
		all = append(all, text)
	}
	return all
}

// sub is a table in this one.
func (t *table) sub(name string) *table {
	m := valueOf[map[string]any](t, name, "a table")
	return &table{t.p, t.key(name), m, nil}
}

// names are the keys of a table in the order of the file, and all are used.
func (t *table) names() []string {
	all := slices.Collect(maps.Keys(t.m))
	at := func(name string) int { return slices.Index(t.p.order, t.key(name)) }
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a, b)) })
	t.used = all
	return all
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

// defaultSource is the .metal file of the description's own name; that of a kernel.toml is kernel.metal.
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
		if s.Value < 0 || s.Value > math.MaxInt32 || s.Check < 0 || s.Check > math.MaxInt32 {
			t.problem(name, "want 0 to %d", math.MaxInt32)
		}
		p.d.Sizes = append(p.d.Sizes, s)
	}
	if len(p.d.Sizes) > maxSizes {
		t.p.problem(t.path, "has %d sizes, want at most %d", len(p.d.Sizes), maxSizes)
	}
}

// sweep are the values that are listed.
func (t *table) sweep() []float64 {
	var all []float64
	for _, v := range valueOf[[]any](t, "sweep", "a list of numbers") {
		x, ok := numberOf(v)
		if !ok || x < 0 || x > math.MaxInt32 {
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

func isName(s string) bool {
	for i := range len(s) {
		if !isLetter(s[i]) && (i == 0 || s[i] < '0' || s[i] > '9') {
			return false
		}
	}
	return s != ""
}

func (p *parser) argument(name string, t *table) Argument {
	a := Argument{
		Name: name, Type: t.str("type"), Length: t.expr("length"), Fill: Fill(t.str("fill")), Seed: uint64(t.number("seed", 1)),
		Low: t.number("low", 0), High: t.number("high", 1), Step: t.number("step", 1), File: t.str("file"), Tensor: t.str("tensor"),
		Value: t.expr("value"), Bytes: t.expr("bytes"),
	}
	for i, v := range valueOf[[]any](t, "fields", "a list of tables") {
		m, _ := v.(map[string]any)
		sub := &table{p, t.key("fields"), m, nil}
		f := Field{sub.str("name"), sub.str("type"), sub.expr("value")}
		if f.Type == "" || f.Value.Text == "" {
			t.problem("fields", "field %d: want type and value", i+1)
		} else if _, err := elementOf(f.Type); err != nil {
			t.problem("fields", "field %d: %v", i+1, err)
		}
		a.Fields = append(a.Fields, f)
		sub.end()
	}
	t.end()
	p.argumentKind(&a, t)
	return a
}

// argumentKind refuses an argument that is none or several of buffer, scalar, struct and threadgroup memory.
func (p *parser) argumentKind(a *Argument, t *table) {
	kinds := 0
	for _, is := range []bool{a.Length.Text != "" || a.File != "", a.Value.Text != "", len(a.Fields) > 0, a.Bytes.Text != ""} {
		kinds += int(one(is))
	}
	if kinds != 1 {
		p.problem(t.path, "want one of length or file (a buffer), value (a scalar), fields (a struct), bytes (threadgroup memory)")
		return
	}
	if a.Length.Text == "" && a.File == "" {
		return
	}
	if a.Fill == "" && a.File != "" {
		a.Fill = FromFile
	}
	if !slices.Contains(Fills(), a.Fill) {
		t.problem("fill", "is %q, want one of %s", a.Fill, fillNames())
	}
	if (a.Fill == FromFile) != (a.File != "") {
		t.problem("fill", "file needs the key file, and no other fill has it")
	}
	if a.Type != "" {
		if _, err := elementOf(a.Type); err != nil {
			t.problem("type", "%v", err)
		}
	}
	if a.Fill == Random && a.High < a.Low {
		t.problem("high", "is %g, below low, which is %g", a.High, a.Low)
	}
}

func fillNames() string {
	var names []string
	for _, f := range Fills() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

func (p *parser) truth(t *table) *Truth {
	r := &Truth{
		Starlark: t.str("starlark"), Kernel: t.str("kernel"), Entry: t.str("entry"), Abs: t.number("abs", -1), Rel: t.number("rel", -1),
		Limit: int(t.number("limit", defaultCompared)),
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
	if r.Limit < 1 {
		t.problem("limit", "want 1 or more")
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
