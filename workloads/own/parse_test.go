package own

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpressions(t *testing.T) {
	vars := map[string]float64{"n": 1000, "k": 3}
	for text, want := range map[string]float64{
		"n": 1000, "1 + 2 * 3": 7, "(1 + 2) * 3": 9, "n / 8": 125, "ceil(n / 256)": 4, "floor(n / k)": 333, "-k + 1": -2,
		"min(n, 7, k)": 3, "max(n,1)*2": 2000, "2e3": 2000, "1.5": 1.5, "10 - 3 - 2": 5, "64 / 4 / 2": 8,
	} {
		e, err := ParseExpr(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got, err := e.Value(vars); err != nil || got != want {
			t.Errorf("%s = %g, %v; want %g", text, got, err, want)
		}
	}
}

func TestExpressionErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "ends too early", "1 +": "ends too early", "(1": "ends too early", "1 1": `unexpected '1' at column 3`, "m": `no size "m"`,
		"sqrt(4)": `no function "sqrt"`, "1/0": "division by zero", "ceil(1, 2)": "takes one argument", "3n": `"3n" is not a number`,
		strings.Repeat("(", 50) + "1": "more than 40 levels", strings.Repeat("1+", 300) + "1": "want at most 500", "1e999": "not a number",
	} {
		e, err := ParseExpr(text)
		if err == nil {
			_, err = e.Value(map[string]float64{"n": 1})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	e, _ := ParseExpr("n / 3")
	if _, err := e.Whole(map[string]float64{"n": 10}, 0, 10); err == nil || !strings.Contains(err.Error(), "want a whole number") {
		t.Error(err)
	}
}

const good = `
[sizes]
n = { value = 8, check = 4, sweep = [1, 2] }
m = 3
[args]
x = { fill = "ramp", length = "n" }
[launch]
grid = "n"
threadgroup = 4
`

func TestDescription(t *testing.T) {
	d, problems := Parse("dir/add.kernel.toml", good)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	if d.Name() != "add" || d.SourcePath() != "dir/add.metal" || d.Values(true)["n"] != 4 || d.Values(false)["n"] != 8 || d.Memory != defaultMemory {
		t.Errorf("%+v", d)
	}
	if d, _ := Parse("dir/kernel.toml", good); d.Name() != "dir" || d.SourcePath() != "dir/kernel.metal" {
		t.Errorf("%s, %s", d.Name(), d.SourcePath())
	}
}

// Each mistake is reported with its line and key.
func TestDescriptionErrors(t *testing.T) {
	for _, c := range []struct {
		text, from, to string
		line           int
		want           string
	}{
		{good, "m = 3", "m = ", 4, "expected"},
		{good, "m = 3", "m = -1", 4, "sizes.m: want 0 to"},
		{good, "m = 3", "m = \"3\"", 4, "sizes.m: want a number"},
		{good, `"ramp"`, `"wave"`, 6, `args.x.fill: is "wave", want one of random, ramp`},
		{good, `length = "n"`, `length = "q"`, 6, `args.x.length: "q": there is no size "q"`},
		{good, `length = "n"`, `length = "n", lenght = 3`, 6, `args.x.lenght: there is no such key`},
		{good, `length = "n"`, `value = 3, length = 1`, 6, "args.x: want one of length"},
		{good, `grid = "n"`, `grid = [1, 2, 3, 4]`, 8, "has 4 numbers, want 1 to 3"},
		{good, `length = "n"`, `length = "n", strides = [1]`, 6, "args.x.strides: has 1 numbers, want one for each of the 0 extents"},
		{good, `length = "n"`, `extents = [2, "q"]`, 6, `args.x.extents: "q": there is no size "q"`},
		{good, `length = "n"`, `extents = []`, 6, `args.x.extents: has 0 numbers, want 1 to 16`},
		{good, `grid = "n"`, "", 9, "either grid"},
		{good, "threadgroup = 4", "threadgroup = 4\n[limits]\nseconds = 9000", 11, "limits.seconds: is 9000, want up to 600"},
		{good, "threadgroup = 4", "threadgroup = 4\n[limits]\nmemory = \"9 PB\"", 11, "limits.memory"},
		{good, "threadgroup = 4", "threadgroup = 4\n[reference]\nstarlark = \"def x(i:\"", 11, "reference.starlark"},
		{good, "threadgroup = 4", "threadgroup = 4\n[reference]\nstarlark = \"x = 1\"", 11, "defines no function"},
		{good, "threadgroup = 4", "threadgroup = 4\n[reference]\nabs = 1", 10, "either starlark, or kernel"},
		{good, `length = "n"`, `length = "n", seed = 0.5`, 6, "args.x.seed: is 0.5, want a whole number from 0"},
		{good, `length = "n"`, `length = "n", seed = -3`, 6, "args.x.seed: is -3, want a whole number from 0"},
		{good, `length = "n"`, `length = "n", low = -inf`, 6, "args.x.low: want a finite number"},
		{good, "threadgroup = 4", "threadgroup = 4\n[limits]\nseconds = nan", 11, "limits.seconds: want a finite number"},
		{good, "threadgroup = 4", "threadgroup = 4\n[reference]\nentry = \"x\"\nlimit = 1e30", 12, "reference.limit: is 1e+30, want a whole number from 1"},
		{good, "threadgroup = 4", "threadgroup = 4\n[reference]\nentry = \"x\"\nabs = -1", 12, "reference.abs: is -1, want 0 or more"},
	} {
		_, problems := Parse("a.kernel.toml", strings.Replace(c.text, c.from, c.to, 1))
		if len(problems) == 0 {
			t.Errorf("%s: no problem, want %s", c.to, c.want)
			continue
		}
		if p := problems[0]; p.Line != c.line || !strings.Contains(p.Error(), c.want) || p.File != "a.kernel.toml" {
			t.Errorf("%s: %v, want line %d: %s", c.to, p, c.line, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, e := range append(Templates(), Gallery()...) {
		f.Add(e.Files.Description)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, problems := Parse("a.kernel.toml", text)
		for _, p := range problems {
			if p.Message == "" || p.Line < 0 || p.Line > strings.Count(text, "\n")+1 {
				t.Errorf("%+v", p)
			}
		}
		if len(problems) == 0 && (len(d.Launch.Threadgroup) == 0 || d.Time <= 0 || d.Memory <= 0 || d.Time > maxOfLimit || len(d.Values(true)) != len(d.Sizes) || !allSizes(d)) {
			t.Errorf("%+v", d)
		}
	})
}

func allSizes(d *Description) bool {
	for _, s := range d.Sizes {
		if !isSize(s.Value) || !isSize(s.Check) {
			return false
		}
	}
	return true
}

func FuzzExpr(f *testing.F) {
	f.Add("ceil(n / 256) * max(1, -k)")
	f.Fuzz(func(t *testing.T, text string) {
		e, err := ParseExpr(text)
		if err != nil {
			return
		}
		if v, err := e.Value(map[string]float64{"n": 5, "k": 2}); err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q = %g", text, v)
		}
	})
}

func FuzzNPY(f *testing.F) {
	f.Add([]byte("\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + strings.Repeat(" ", 40)))
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := parseNPY(b, int64(len(b)))
		if err != nil {
			return
		}
		e, err := elementOf(h.element.name)
		if err != nil {
			t.Fatal(err)
		}
		if v := (View{e, b[h.data:]}); v.Len() < h.count {
			t.Errorf("%d numbers, the header says %d", v.Len(), h.count)
		} else if h.count > 0 {
			v.At(h.count - 1)
		}
	})
}

func TestFind(t *testing.T) {
	all, err := Find("templates")
	if err != nil || len(all) != 4 {
		t.Errorf("%v, %v", all, err)
	}
	if one, err := Find("templates/tiled.metal"); err != nil || len(one) != 1 || one[0] != "templates/tiled.kernel.toml" {
		t.Errorf("%v, %v", one, err)
	}
	if one, err := Find("templates/tiled"); err != nil || len(one) != 1 || one[0] != "templates/tiled.kernel.toml" {
		t.Errorf("without the ending: %v, %v", one, err)
	}
	if _, err := Find("templates/nothing"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Find("testdata/corpus/unary.metal"); err == nil || !strings.Contains(err.Error(), "want one of unary_exp_float.kernel.toml, ") {
		t.Error(err)
	}
	pair := t.TempDir()
	for _, file := range []string{"kernel.toml", "kernel.metal", "other.metal"} {
		if err := os.WriteFile(filepath.Join(pair, file), []byte("about = \"a pair\"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	described := filepath.Join(pair, "kernel.toml")
	if one, err := Find(filepath.Join(pair, "kernel.metal")); err != nil || len(one) != 1 || one[0] != described {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := Find(filepath.Join(pair, "other.metal")); !errors.Is(err, ErrUndescribed) {
		t.Errorf("a kernel.toml of another source: %v", err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(pair, link); err != nil {
		t.Skip(err)
	}
	if one, err := Find(link); err != nil || len(one) != 1 || one[0] != filepath.Join(link, "kernel.toml") {
		t.Errorf("a link to a folder: %v, %v", one, err)
	}
	t.Chdir(pair)
	if one, err := Find("."); err != nil || len(one) != 1 || (&Description{Path: one[0]}).Name() != filepath.Base(pair) {
		t.Errorf("in the folder itself: %v, %v", one, err)
	}
}
