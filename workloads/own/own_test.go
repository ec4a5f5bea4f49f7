package own

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"assay/gpu/msl/clang"
	"assay/internal/race"
)

// serving makes the test binary the child that does a job.
const serving = "ASSAY_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serving) != "" {
		if err := Serve(context.Background(), os.Stdin, os.Stdout, nil); err != nil {
			os.Stderr.WriteString(err.Error())
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// program is the test binary as a child.
func program(t *testing.T) Program {
	t.Helper()
	if _, err := clang.Find(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	t.Setenv(serving, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Program{self}
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
			r := do(t, &Job{Do: Running, Kernel: e.Files})
			if len(r.Problems) != 1 || r.Problems[0].Kind != e.Finds || r.OK() {
				t.Fatalf("want %s: %+v", e.Finds, r.Problems)
			}
			if p := r.Problems[0]; p.Line == 0 || !strings.HasSuffix(p.File, ".metal") {
				t.Errorf("no line of the source: %+v", p)
			}
			t.Log(r.Problems[0])
		})
	}
}

// A child that is killed at any moment is a report with the step that it was in, never an error or a hang.
func TestKilledChildren(t *testing.T) {
	p := program(t)
	e := Templates()[0]
	r := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for range 6 {
		after := time.Duration(r.IntN(int(700 * time.Millisecond)))
		job := &Job{Do: Timing, Kernel: e.Files, Engine: CPU, Budget: 5 * time.Second}
		report, err := start(t.Context(), p, job, func(*Report) {}, func(pid int) {
			time.AfterFunc(after, func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
		})
		if err != nil || report.OK() || len(report.Problems) != 1 || report.Problems[0].Kind != Crashed || !strings.Contains(report.Problems[0].Message, "signal 9") {
			t.Errorf("after %v: %v, %+v", after, err, report)
		}
	}
}

// A canceled job ends its child at once, with the error of the context.
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

// The kernels of the corpus are in the styles of public projects; each is right in checked and race mode and by its reference.
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
