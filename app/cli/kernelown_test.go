package cli

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/app"
	"assay/gpu/gputest"
	"assay/gpu/msl/clang"
)

// servesOwn is the argument that turns the test binary into the child that runs a kernel.
const servesOwn = "serve"

// servesRival turns it into a process that keeps a device busy.
const servesRival = "rival"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == servesRival {
		os.Exit(Main(context.Background(), fakeConfig(gputest.Script{}), append([]string{app.RivalCommand}, os.Args[2:]...), os.Stdout, os.Stderr))
	}
	if len(os.Args) != 2 || os.Args[1] != servesOwn {
		os.Exit(m.Run())
	}
	if err := app.ServeOwn(context.Background(), app.Config{}); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// ownConfig returns a session whose children are this test binary.
func ownConfig(t *testing.T) app.Config {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := config(t, gputest.Script{})
	c.OwnProgram = []string{self, servesOwn}
	return c
}

func TestKernelNewRunTimeCompare(t *testing.T) {
	c, dir := ownConfig(t), filepath.Join(t.TempDir(), "k")
	if code, out, errOut := assay(t, c, "kernel", "new", dir); code != 0 || !strings.Contains(out, "elementwise.kernel.toml") {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	code, out, errOut := assay(t, c, "kernel", "time", dir, "--engine", "cpu", "--size", "n=4096", "--seconds", "0.05", "--save")
	if code != 0 {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	for _, want := range []string{"elementwise: saxpy", "race mode     passed", "on a CPU, not a GPU’s", "n=4096", "y  correct"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	kept, err := os.ReadFile(filepath.Join(dir, "results", "elementwise.csv"))
	if err != nil || strings.Count(string(kept), "\n") != 2 || !strings.Contains(string(kept), "n=4096") {
		t.Errorf("%v: %s", err, kept)
	}
	code, out, errOut = assay(t, c, "kernel", "compare", dir, dir, "--engine", "cpu", "--size", "n=4096", "--seconds", "0.05", "--json")
	var r app.OwnReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Compared == nil || r.Compared.Ratio.Median <= 0 || len(r.Points) != 2 {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errOut)
	}
	if code, _, errOut := assay(t, c, "kernel", "new", dir); code != 1 || !strings.Contains(errOut, "exists already") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

// What is unknown about a kernel is left out: with a faulty description, the entry point.
func TestKernelThatIsNotDescribed(t *testing.T) {
	c, path := ownConfig(t), filepath.Join(t.TempDir(), "x.kernel.toml")
	if err := os.WriteFile(path, []byte("about\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	code, out, errOut := assay(t, c, "kernel", "run", strings.TrimSuffix(path, ".kernel.toml"))
	if code != 1 || !strings.HasPrefix(out, "x\n") || !strings.Contains(errOut, "x.kernel.toml:1: ") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}

func TestKernelTest(t *testing.T) {
	c, dir := ownConfig(t), t.TempDir()
	for _, name := range []string{"elementwise", "bounds"} {
		if code, _, errOut := assay(t, c, "kernel", "new", dir, "--template", name); code != 0 {
			t.Fatal(errOut)
		}
	}
	sarif, junit := filepath.Join(dir, "s.sarif"), filepath.Join(dir, "j.xml")
	code, out, errOut := assay(t, c, "kernel", "test", dir, "--size", "n=1024", "--sarif", sarif, "--junit", junit, "--annotations")
	if code != 1 || !strings.Contains(out, "2 kernels, 1 wrong") || !strings.Contains(out, "bounds.metal,line=6,col=12") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	for file, want := range map[string]string{sarif: `"startLine": 6`, junit: `failures="1"`} {
		if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: %v: %s", file, err, b)
		}
	}
	if code, _, errOut := assay(t, c, "kernel", "test", t.TempDir()); code != 2 || !strings.Contains(errOut, "no kernel descriptions") {
		t.Errorf("exit %d: %s", code, errOut)
	}
}

// The action and the hook use existing flags.
func TestKernelTestInCI(t *testing.T) {
	for _, file := range []string{"../../action.yml", "../../.pre-commit-hooks.yaml"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		cmd, _, err := (&command{}).root().Find([]string{"kernel", "test"})
		if err != nil || !strings.Contains(string(text), "kernel test") {
			t.Fatalf("%v: %s", err, file)
		}
		for _, m := range regexp.MustCompile(`kernel test(.*)`).FindAllStringSubmatch(string(text), -1) {
			for _, flag := range regexp.MustCompile(`--(\w+)`).FindAllStringSubmatch(m[1], -1) {
				if cmd.Flags().Lookup(flag[1]) == nil {
					t.Errorf("%s: no flag --%s", file, flag[1])
				}
			}
		}
	}
}

func TestKernelShowOwn(t *testing.T) {
	c, dir := ownConfig(t), t.TempDir()
	if code, _, errOut := assay(t, c, "kernel", "new", dir, "--template", "tiled"); code != 0 {
		t.Fatal(errOut)
	}
	code, out, errOut := assay(t, c, "kernel", "show", dir)
	for _, want := range []string{"tiled: matmul_tiled (", "buffer 2  c  device float *        read-write  output, 16384 float", "constant int TILE = 16;"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q: %s%s", code, want, out, errOut)
		}
	}
}
