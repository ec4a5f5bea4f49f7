package own

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"assay/internal/meant"
)

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

// end rejects keys that were never read.
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

// number returns a finite number, or otherwise if the key is missing.
func (t *table) number(name string, otherwise float64) float64 {
	v, ok := t.get(name)
	if !ok {
		return otherwise
	}
	x, ok := numberOf(v)
	if !ok {
		if _, isFloat := v.(float64); isFloat {
			t.problem(name, "want a finite number")
		} else {
			t.problem(name, "want a number")
		}
		return otherwise
	}
	return x
}

// count returns a whole number of at least `least`, or otherwise if the key is missing.
func (t *table) count(name string, least, otherwise int64) int64 {
	x := t.number(name, float64(otherwise))
	if x != math.Trunc(x) || x < float64(least) || x > maxCount {
		t.problem(name, "is %g, want a whole number from %d to 2^53", x, least)
		return otherwise
	}
	return int64(x)
}

// maxCount is the largest number up to which floats represent every whole number.
const maxCount = 1 << 53

// tolerance returns a finite number of at least 0, or −1 if the key is missing.
func (t *table) tolerance(name string) float64 {
	if _, ok := t.m[name]; !ok {
		t.used = append(t.used, name)
		return -1
	}
	x := t.number(name, 0)
	if x < 0 {
		t.problem(name, "is %g, want 0 or more", x)
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

// exprs returns one to three expressions: a list, or a single one.
func (t *table) exprs(name string) []Expr { return t.exprsUpTo(name, 3) }

func (t *table) exprsUpTo(name string, most int) []Expr {
	v, ok := t.get(name)
	if !ok {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	if len(list) < 1 || len(list) > most {
		t.problem(name, "has %d numbers, want 1 to %d", len(list), most)
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

// sub returns a table in this one.
func (t *table) sub(name string) *table {
	m := valueOf[map[string]any](t, name, "a table")
	return &table{t.p, t.key(name), m, nil}
}

// names returns the keys of a table in the order of the file, and marks all as used.
func (t *table) names() []string {
	all := slices.Collect(maps.Keys(t.m))
	at := func(name string) int { return slices.Index(t.p.order, t.key(name)) }
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(at(a), at(b)), strings.Compare(a, b)) })
	t.used = all
	return all
}
