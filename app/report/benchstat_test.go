package report

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
	"golang.org/x/perf/benchproc"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/internal/race"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

// A benchstatRow is what benchstat compares: the times of one name in one table, file by file.
type benchstatRow struct{ table, row string }

// benchstat groups the exports of runs as benchstat does without flags: into tables by the configuration, rows by the
// name, and columns by the file.
func benchstat(t *testing.T, all []workloads.Workload, runs ...*bundle.Run) map[benchstatRow][][]float64 {
	t.Helper()
	var parser benchproc.ProjectionParser
	filter, err := benchproc.NewFilter("*")
	runstest.Check(t, err)
	tables, err := parser.Parse(".config", filter)
	runstest.Check(t, err)
	rows, err := parser.Parse(".fullname", filter)
	runstest.Check(t, err)
	out := map[benchstatRow][][]float64{}
	for file, run := range runs {
		var buf bytes.Buffer
		runstest.Check(t, WriteBench(&buf, run, all))
		for in := benchfmt.NewReader(&buf, fmt.Sprint(file)); in.Scan(); {
			switch rec := in.Result().(type) {
			case *benchfmt.SyntaxError:
				t.Fatal(rec)
			case *benchfmt.Result:
				at := benchstatRow{tables.Project(rec).String(), rows.Project(rec).String()}
				if out[at] == nil {
					out[at] = make([][]float64, len(runs))
				}
				v, _ := rec.Value("sec/op")
				out[at][file] = append(out[at][file], v)
			}
		}
	}
	return out
}

// correlated draws n times around a median, each correlated with the previous one.
func correlated(seed uint64, median, rho float64, n int) workloads.Result {
	rng := rand.New(rand.NewPCG(seed, 7))
	r := runstest.Verified(64, 0)
	x := rng.NormFloat64()
	for range n {
		r.Samples = append(r.Samples, median*math.Exp(0.05*x))
		x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
	}
	r.Values.Set(workloads.Time, stats.Median(r.Samples).Interval)
	return r
}

// Two runs are in one table of benchstat, which finds a difference if there is one, and none between controls: not
// even if the samples of a run are correlated.
func TestBenchstatComparesTwoRuns(t *testing.T) {
	if race.On {
		t.Skip("computes on one goroutine: nothing to race with")
	}
	all := []workloads.Workload{runstest.Workload()}
	const seeds = 200
	for _, test := range []struct {
		rho, factor float64
		min, max    int // of the seeds, with a difference
	}{
		{0, 1, 0, 20}, {0.5, 1, 0, 20}, {0.9, 1, 0, 20}, // 10 of 200 by chance at α = 0.05
		{0, 1.1, seeds, seeds}, {0.5, 1.1, seeds, seeds}, {0.9, 1.1, 190, seeds},
	} {
		found := 0
		for seed := range uint64(seeds) {
			base := comparedRun("old", correlated(2*seed, 1e-3, test.rho, 1000))
			run := comparedRun("new", correlated(2*seed+1, 1e-3*test.factor, test.rho, 1000))
			run.Meta.Started = run.Meta.Started.AddDate(0, 0, 1)
			tables := benchstat(t, all, base, run)
			if len(tables) != 1 {
				t.Fatalf("%d rows, want 1 in one table: %v", len(tables), tables)
			}
			for _, files := range tables {
				if n := len(files[0]); n < 6 || n > maxBlocks {
					t.Fatalf("%d lines of 1000 samples", n)
				}
				thresholds := benchmath.DefaultThresholds
				c := benchmath.AssumeNothing.Compare(benchmath.NewSample(files[0], &thresholds), benchmath.NewSample(files[1], &thresholds))
				if c.P < c.Alpha {
					found++
				}
			}
		}
		if found < test.min || found > test.max {
			t.Errorf("correlation %g, times %g: a difference in %d of %d, want %d to %d", test.rho, test.factor, found, seeds, test.min, test.max)
		}
	}
}

// Cases of equal names that did different work are in different tables; where a sweep ends does not matter.
func TestBenchstatKeepsOtherWorkApart(t *testing.T) {
	w := runstest.Workload()
	w.Params = append(w.Params, workloads.Param{Name: "width", Type: workloads.Int, Role: workloads.RoleCase},
		workloads.Param{Name: "max", Type: workloads.Int, Role: workloads.RoleSweep})
	run := func(width, most int) *bundle.Run {
		r := comparedRun("r", correlated(1, 1e-3, 0, 100))
		r.Meta.Jobs = []bundle.Job{{Workload: "sweep", Params: workloads.Values{"width": width, "max": most}}}
		return r
	}
	all := []workloads.Workload{w}
	if got := len(benchstat(t, all, run(8, 1), run(16, 1))); got != 2 {
		t.Errorf("different widths: %d tables, want 2", got)
	}
	if got := len(benchstat(t, all, run(8, 1), run(8, 2))); got != 1 {
		t.Errorf("different ends of the sweep: %d tables, want 1", got)
	}
	disturbed := run(8, 1)
	disturbed.Results[0].Warn(workloads.WarningKind(measure.Disturbed), "disturbed: other programs")
	if got := len(benchstat(t, all, run(8, 1), disturbed)); got != 2 {
		t.Errorf("disturbed and not: %d tables, want 2", got)
	}
	if got := len(benchstat(t, all, disturbed, disturbed)); got != 1 {
		t.Errorf("both disturbed: %d tables, want 1", got)
	}
}
