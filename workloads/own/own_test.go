package own

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.starlark.net/starlark"

	"assay/gpu/msl/clang"
	"assay/internal/race"
)

// serving is the argument that makes the test binary act as the child that does a job.
const serving = "serve"

func TestMain(m *testing.M) {
	if len(os.Args) != 2 || os.Args[1] != serving {
		os.Exit(m.Run())
	}
	if err := Serve(context.Background(), os.Stdin, os.Stdout, nil); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// program is the test binary, run as a child.
func program(t testing.TB) Program {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program{self, serving}
}

func do(t *testing.T, job *Job) *Report {
	t.Helper()
	if job.Engine == "" {
		job.Engine = CPU
	}
	r, err := Start(t.Context(), program(t), job, func(*Report) {})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTemplatesAreRight(t *testing.T) {
	for _, e := range Templates() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			r := do(t, &Job{Do: Timing, Kernel: e.Files, Budget: 50 * time.Millisecond})
			if !r.OK() || !r.Verified() || len(r.Points) != 1 || r.Points[0].Time.Median <= 0 || !r.OnCPU {
				b, _ := json.MarshalIndent(r, "", " ")
				t.Errorf("%s", b)
			}
		})
	}
}

func TestGalleryIsFoundOut(t *testing.T) {
	for _, e := range Gallery() {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			r := do(t, &Job{Do: Running, Kernel: e.Files})
			problems := slices.DeleteFunc(slices.Clone(r.Problems), func(p Problem) bool { return p.Hint })
			if len(problems) != 1 || r.Problems[0].Kind != e.Finds || r.OK() {
				t.Fatalf("want %s: %+v", e.Finds, r.Problems)
			}
			if p := r.Problems[0]; p.Line == 0 || !strings.HasSuffix(p.File, ".metal") {
				t.Errorf("no line of the source: %+v", p)
			}
			t.Log(r.Problems[0])
		})
	}
}

// A child that is killed at any moment yields a report that names its current step, never an error or a hang.
func TestKilledChildren(t *testing.T) {
	p := program(t)
	e := Templates()[0]
	r := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for range 6 {
		after := time.Duration(r.IntN(int(700 * time.Millisecond)))
		job := &Job{Do: Timing, Kernel: e.Files, Engine: CPU, Budget: 5 * time.Second}
		var broken []Stage
		report, err := start(t.Context(), p, job, func(r *Report) {
			broken = slices.DeleteFunc(slices.Clone(r.Stages), func(s Stage) bool { return s.State != Failed })
		}, func(pid int) {
			time.AfterFunc(after, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
		})
		if err != nil || report.OK() || len(report.Problems) != 1 || report.Problems[0].Kind != Crashed || !strings.Contains(report.Problems[0].Message, "signal 9") {
			t.Errorf("after %v: %v, %+v", after, err, report)
		}
		for _, s := range broken {
			if s.Why != "did not end" {
				t.Errorf("after %v: a step that was ended has a time: %+v", after, s)
			}
		}
	}
}

// A canceled job ends its child at once, with the context's error.
func TestCancel(t *testing.T) {
	p := program(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	started := time.Now()
	_, err := Start(ctx, p, &Job{Do: Running, Kernel: Gallery()[4].Files, Engine: CPU}, func(r *Report) {
		if r.Stages[len(r.Stages)-1].Name == Checked {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v after %v", err, time.Since(started))
	}
}

// The kernels of the corpus follow the styles of public projects; each is correct in checked and race mode and against its reference.
func TestCorpus(t *testing.T) {
	if race.On {
		t.Skip("compilers and children: nothing of ours to race with")
	}
	p := program(t)
	paths, err := Find("testdata/corpus")
	if err != nil || len(paths) < 48 {
		t.Fatal(len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ending), func(t *testing.T) {
			t.Parallel()
			r, err := Start(t.Context(), p, &Job{Do: Running, Kernel: Files{Path: path}, Engine: CPU}, func(*Report) {})
			if err != nil || !r.OK() || !r.Verified() {
				t.Errorf("%v, %v, %+v", err, r.Problems, r.Outputs)
			}
		})
	}
}

// broken is a kernel in a single text, for tests of how it ends.
func broken(body, more string) Files {
	return Files{
		Path:        "broken.kernel.toml",
		Description: "[args]\nx = { fill = \"ones\", length = 64 }\n[launch]\ngrid = 64\nthreadgroup = 64\n" + more,
		Source: "#include <metal_stdlib>\nusing namespace metal;\nkernel void broken(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {\n" +
			body + "\n}\n",
	}
}

// Whatever a kernel or its reference does to its process, the result is a report of the right kind.
func TestWaysToEnd(t *testing.T) {
	script := func(text string) string { return "[reference]\nstarlark = \"\"\"\n" + text + "\n\"\"\"\n" }
	for name, c := range map[string]struct {
		files     Files
		unchecked bool
		kind      Kind
		want      string
	}{
		"null":             {broken("*(device float *)0 = i;", ""), true, Bounds, "access"},
		"wild":             {broken("x[i * 100000000u] = 1;", ""), true, Bounds, "broken.metal:4"},
		"stack":            {broken("volatile float big[4000000]; big[i] = x[i]; x[i] = big[0];", ""), true, Crashed, ""},
		"memory":           {broken("x[i] = 2;", script("wide = [[0] * 50000000 for i in range(50)]\ndef x(i):\n    return 2")+"[limits]\nmemory = \"128 MiB\"\n"), true, Memory, "limits.memory"},
		"endless script":   {broken("x[i] = 2;", script("def x(i):\n    while True:\n        pass")), true, Reference, "more than 20 million steps"},
		"script's error":   {broken("x[i] = 2;", script("def x(i):\n    return x_before[i + 1000]")), true, Reference, "broken.kernel.toml:9: reference.starlark: line 2 of the reference"},
		"slow reference":   {broken("x[i] = 2;", script("def x(i):\n    for j in range(1000):\n        sorted(range(1000000), reverse = True)")+"[limits]\nseconds = 1\n"), true, Reference, "broken.kernel.toml:7: reference.starlark: the reference did not end within 1.00 s (limits.seconds), in the step verify"},
		"another name":     {broken("x[i] = 2;", script("def y(i):\n    return 2")), true, Reference, "no output was compared"},
		"unwritten":        {Files{Path: "b.kernel.toml", Source: broken("", "").Source, Description: strings.Replace(broken("", "").Description, "ones", "output", 1)}, false, Wrong, "not written at all"},
		"lost additions":   {broken("x[i & 1] += 1;", ""), false, Race, "broken.metal:4:10: data race: thread 2 reads byte 0 of buffer 0 (x), which thread 0 writes here too, with no barrier between; on a GPU"},
		"undefined":        {broken("extern float helper(float); x[i] = helper(x[i]);", ""), false, Compile, "broken.metal:4:1: helper(float) is declared but not defined"},
		"does not compile": {broken("x[i] = y;", ""), false, Compile, "use of undeclared identifier"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if race.On && c.kind == Memory {
				t.Skip("the race detector itself ends the process first")
			}
			r := do(t, &Job{Do: Running, Kernel: c.files, Unchecked: c.unchecked})
			if len(r.Problems) == 0 || r.Problems[0].Kind != c.kind || !strings.Contains(r.Problems[0].Error(), c.want) {
				t.Errorf("want %s with %q: %+v", c.kind, c.want, r.Problems)
			}
		})
	}
}

// A job's child ends when its input is closed.
func TestOrphansEnd(t *testing.T) {
	p := program(t)
	c := childOf(t.Context(), p, nil)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	job, err := json.Marshal(&Job{Do: Running, Kernel: Gallery()[4].Files, Engine: CPU})
	if err != nil {
		t.Fatal(err)
	}
	_, _ = in.Write(job)
	_ = in.Close()
	if err := c.Wait(); err == nil || c.ProcessState.ExitCode() != 1 {
		t.Errorf("%v", err)
	}
}

// A comparison distinguishes a kernel from one that does a hundred times the work.
func TestCompare(t *testing.T) {
	slow := broken("float s = 0; for (int j = 0; j < 20000; j++) s += sin(x[i] + j); x[i] = s;", "")
	quick := broken("x[i] = sin(x[i]);", "")
	r := do(t, &Job{Do: Comparing, Kernel: slow, Other: quick, Unchecked: true, Budget: 100 * time.Millisecond})
	if !r.OK() || r.Compared == nil || r.Compared.Ratio.Median < 5 || r.Verified() {
		t.Errorf("%+v, %+v", r.Problems, r.Compared)
	}
}

func TestSweep(t *testing.T) {
	e := Templates()[0]
	e.Files.Description = strings.Replace(e.Files.Description, "sweep = [1024, 16384, 262144, 4194304]", "sweep = [100, 300]", 1)
	r := do(t, &Job{Do: Timing, Kernel: e.Files, Sweep: "n", Budget: 20 * time.Millisecond})
	if !r.OK() || len(r.Points) != 2 || r.Points[0].Sizes["n"] != 100 || r.Points[1].Sizes["n"] != 300 || r.Points[1].Rate <= 0 {
		t.Errorf("%+v, %+v", r.Problems, r.Points)
	}
	r = do(t, &Job{Do: Timing, Kernel: e.Files, Sweep: "m"})
	if r.OK() || len(r.Stages) != 1 || len(r.Problems) != 1 || r.Problems[0].Message != `there is no size "m"` {
		t.Errorf("a sweep of an unknown size, which must be refused before the kernel is compiled: %+v, %+v", r.Stages, r.Problems)
	}
}

// An invalid limit in a description is reported as a problem of the description, not as an expired deadline.
func TestLimitsOutOfRange(t *testing.T) {
	for _, limit := range []string{"seconds = -1", "seconds = 1e300", "memory = \"1 KiB\""} {
		r := do(t, &Job{Do: Running, Kernel: broken("x[i] = 2;", "[limits]\n"+limit+"\n")})
		if len(r.Problems) != 1 || r.Problems[0].Kind != Invalid || !strings.Contains(r.Problems[0].Message, "want") {
			t.Errorf("%s: %+v", limit, r.Problems)
		}
	}
}

// The limit applies to one launch: a job of many may take longer.
func TestLimitIsOfOneLaunch(t *testing.T) {
	const limit, budget = 800 * time.Millisecond, 1200 * time.Millisecond
	r := do(t, &Job{Do: Timing, Kernel: broken("x[i] = 2;", "[limits]\nseconds = 0.8\n"), Unchecked: true, Budget: budget})
	if !r.OK() || len(r.Points) != 1 || r.Seconds < limit.Seconds() {
		t.Errorf("%+v, %g s", r.Problems, r.Seconds)
	}
}

// However a job's child ends, no compiler process survives it.
func TestCompilersEndWithTheirChild(t *testing.T) {
	p := program(t)
	began := filepath.Join(t.TempDir(), "began")
	script := "#!/bin/sh\ncase \"$1\" in\n--version) echo clang version 16.0.6 ;;\n*) echo $$ >" + began + ".new; mv " + began + ".new " + began + "; exec sleep 100 ;;\nesac\n"
	slow := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(slow, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSAY_CLANG", slow)
	for _, killed := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_ = os.Remove(began)
		compiler, child := 0, make(chan int, 1)
		go func() {
			for compiler == 0 && t.Context().Err() == nil {
				b, _ := os.ReadFile(began)
				compiler, _ = strconv.Atoi(strings.TrimSpace(string(b)))
				time.Sleep(5 * time.Millisecond)
			}
			if pid := <-child; killed {
				_ = syscall.Kill(pid, syscall.SIGKILL)
			} else {
				cancel()
			}
			close(child)
		}()
		_, err := start(ctx, p, &Job{Do: Running, Kernel: Templates()[0].Files, Engine: CPU, Cache: t.TempDir()}, func(*Report) {}, func(pid int) { child <- pid })
		<-child
		for wait := time.Now().Add(20 * time.Second); syscall.Kill(compiler, 0) == nil; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(wait) {
				t.Fatalf("killed %v: compiler %d goes on after %v", killed, compiler, err)
			}
		}
	}
}

// Each kernel of a comparison is verified on its own.
func TestCompareVerifiesEach(t *testing.T) {
	without := broken("x[i] = 2;", "")
	with := broken("x[i] = 2;", "[reference]\nstarlark = \"def x(i): return 2\"\n")
	for _, c := range []struct {
		base, variant Files
		want          [2]bool
	}{{without, with, [2]bool{false, true}}, {with, without, [2]bool{true, false}}} {
		r := do(t, &Job{Do: Comparing, Kernel: c.base, Other: c.variant, Unchecked: true, Budget: 20 * time.Millisecond})
		if !r.OK() || r.Compared == nil {
			t.Fatalf("%+v", r.Problems)
		}
		if p := r.Compared.Points; p[0].Verified != c.want[0] || p[1].Verified != c.want[1] || r.Verified() || len(r.Outputs) != 2 {
			t.Errorf("want %v: %+v, %+v", c.want, p, r.Outputs)
		}
	}
}

// An output that the reference kernel does not write is not verified; an output that nothing writes is wrong.
func TestOutputsWithoutTruth(t *testing.T) {
	f := broken("", "[reference]\nentry = \"truth\"\n")
	f.Description = "entry = \"pair\"\n" + strings.Replace(f.Description, "[launch]", "y = { fill = \"output\", length = 64 }\n[launch]", 1)
	const args = "(device float *x [[buffer(0)]], device float *y [[buffer(1)]], uint i [[thread_position_in_grid]])"
	const head = "#include <metal_stdlib>\nusing namespace metal;\nkernel void truth" + args + " { x[i] = 2; }\nkernel void pair" + args
	f.Source = head + " { x[i] = 2; y[i] = 3; }\n"
	r := do(t, &Job{Do: Running, Kernel: f, Unchecked: true})
	if !r.OK() || r.Verified() || len(r.Outputs) != 2 || r.Outputs[0].Compared != 64 || r.Outputs[1].Compared != 0 || r.Outputs[1].Why == "" {
		t.Errorf("%+v, %+v", r.Problems, r.Outputs)
	}
	f.Source = head + " { x[i] = 2; }\n"
	r = do(t, &Job{Do: Running, Kernel: f, Unchecked: true})
	if len(r.Problems) != 1 || r.Problems[0].Kind != Wrong || !strings.Contains(r.Problems[0].Message, "y was not written") {
		t.Errorf("%+v", r.Problems)
	}
}

// Each output has its own budget of steps, whatever earlier ones used.
func TestStepsOfEachOutput(t *testing.T) {
	s, err := newScript(t.Context(), "def y(i):\n    return i\n", starlark.StringDict{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	s.thread.Steps = 2 * stepsInAll
	e, err := elementOf("float")
	if err != nil {
		t.Fatal(err)
	}
	o := comparison{b: &bound{}, got: View{e, make([]byte, 4*100)}, truth: &Truth{Limit: 100}}
	if err := o.byScript(s, s.function("y")); err != nil || o.compared != 100 {
		t.Errorf("%d compared, %v", o.compared, err)
	}
}
