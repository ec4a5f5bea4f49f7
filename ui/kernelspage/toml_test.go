package kernelspage

import (
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

const described = `# A kernel.
source = "a.metal" # beside
entry = "f"

[sizes]
n = 4096
m = { value = 64, sweep = [64, 128] } # two

[args.x]
length = "n" # elements
fill = "random"

[args]
y = { length = "n * m", fill = "output" }

[launch]
grid = [
  "n", # across
  2,
]
threadgroup = [64]

[reference]
starlark = '''
def y(i, x): # = not a key
  return x[i]
'''
`

func TestSetTOML(t *testing.T) {
	for _, c := range []struct{ path, value, old, want string }{
		{"entry", `"g"`, `entry = "f"`, `entry = "g"`},
		{"source", `"b.metal"`, `source = "a.metal" # beside`, `source = "b.metal" # beside`},
		{"sizes.n", "1", "n = 4096", "n = 1"},
		{"sizes.m.value", "8", "{ value = 64, sweep = [64, 128] } # two", "{ value = 8, sweep = [64, 128] } # two"},
		{"sizes.m.check", "8", "sweep = [64, 128] }", "sweep = [64, 128], check = 8 }"},
		{"sizes.m.sweep", "", "{ value = 64, sweep = [64, 128] }", "{ value = 64 }"},
		{"args.x.length", `"2 * n"`, `"n" # elements`, `"2 * n" # elements`},
		{"args.x.seed", "7", `fill = "random"`, "fill = \"random\"\nseed = 7"},
		{"args.x.fill", "", "fill = \"random\"\n", ""},
		{"args.y.fill", `"zeros"`, `fill = "output" }`, `fill = "zeros" }`},
		{"launch.grid", `["n"]`, "[\n  \"n\", # across\n  2,\n]", `["n"]`},
		{"reference.starlark", `"x"`, "'''\ndef y(i, x): # = not a key\n  return x[i]\n'''", `"x"`},
		{"reference.rel", "0.5", "return x[i]\n'''", "return x[i]\n'''\nrel = 0.5"},
		{"about", `"It."`, `entry = "f"`, "entry = \"f\"\nabout = \"It.\""},
		{"constants.k", "3", "return x[i]\n'''\n", "return x[i]\n'''\n\n[constants]\nk = 3\n"},
		{"missing.key", "", "", ""},
	} {
		want := strings.Replace(described, c.old, c.want, 1)
		if got := setTOML(described, strings.Split(c.path, "."), c.value); got != want {
			t.Errorf("%s = %s:\n%s\nwant\n%s", c.path, c.value, got, want)
		}
	}
}

func TestExpressionsAsTOML(t *testing.T) {
	for from, want := range map[string]string{
		"": "", "64": "64", "n": `"n"`, "n, 2": `["n", 2]`, "max(n, 2), 1": `["max(n, 2)", 1]`, "07": `"07"`,
	} {
		got := exprTOML(from)
		if strings.Contains(from, ",") {
			got = exprsTOML(from)
		}
		if got != want {
			t.Errorf("%q is written %s, want %s", from, got, want)
		}
	}
}

// FuzzSetTOML changes one key of a description: then it has that value, and everything else its old one.
func FuzzSetTOML(f *testing.F) {
	f.Add(described, "args.x.length", "n")
	f.Add("a = 1\n\n[b]", "b.c", "x\n'\"\\")
	f.Add("a.b = { c = \"}\", d = [1, '#'] } # e", "a.b.c", "")
	f.Fuzz(func(t *testing.T, text, path, value string) {
		var before map[string]any
		if _, err := toml.Decode(text, &before); err != nil || path == "" {
			t.Skip()
		}
		keys := strings.Split(path, ".")
		for _, k := range keys {
			if k == "" || strings.ContainsAny(k, "\"'\\") || strings.ContainsFunc(k, func(r rune) bool { return r < ' ' || r > 126 }) {
				t.Skip()
			}
		}
		if strings.ToValidUTF8(value, "") != value || strings.Contains(value, "\r") || strings.Contains(text, "\r") || strings.Contains(text, `[[`) || strings.Contains(text, `"\`) || !settable(before, keys) {
			t.Skip()
		}
		var after map[string]any
		got := setTOML(text, keys, quotedTOML(value))
		if _, err := toml.Decode(got, &after); err != nil {
			t.Fatalf("%q with %s = %q is %q: %v", text, path, value, got, err)
		}
		if set := at(after, keys); set != value {
			t.Fatalf("%q with %s = %q is %q, which has %q", text, path, value, got, set)
		}
		put(before, keys, value)
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q with %s = %q became %q", text, path, value, got)
		}
	})
}

// settable reports whether a form could set a key: it is in a table that is written with a header or in braces, or not yet written.
func settable(m map[string]any, keys []string) bool {
	for _, k := range keys[:len(keys)-1] {
		v, ok := m[k]
		if !ok {
			return true
		}
		if m, ok = v.(map[string]any); !ok {
			return false
		}
	}
	_, isTable := m[keys[len(keys)-1]].(map[string]any)
	return !isTable
}

func at(m map[string]any, keys []string) any {
	for _, k := range keys[:len(keys)-1] {
		m, _ = m[k].(map[string]any)
	}
	return m[keys[len(keys)-1]]
}

func put(m map[string]any, keys []string, value string) {
	for _, k := range keys[:len(keys)-1] {
		inner, _ := m[k].(map[string]any)
		inner = maps.Clone(inner)
		if inner == nil {
			inner = map[string]any{}
		}
		m[k] = inner
		m = inner
	}
	m[keys[len(keys)-1]] = value
}
