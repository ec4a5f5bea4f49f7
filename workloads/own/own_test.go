package own

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"assay/gpu/msl/clang"
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

func start(t *testing.T, job *Job) *Report {
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
			r := start(t, &Job{Do: Timing, Kernel: e.Files, Budget: 50 * time.Millisecond})
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
			r := start(t, &Job{Do: Running, Kernel: e.Files})
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
