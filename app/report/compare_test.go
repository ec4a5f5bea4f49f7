package report

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/gpu"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// timed is a verified result with n samples around a median, each off by up to spread of it.
func timed(name string, median, spread float64, n int, seed uint64) workloads.Result {
	r := runstest.Verified(64, 0)
	rng := rand.New(rand.NewPCG(seed, 1))
	r.ID, r.Case, r.Settings[1].Value = fmt.Sprint(name, " ", seed), name, name
	for range n {
		r.Samples = append(r.Samples, median*(1+spread*(2*rng.Float64()-1)))
	}
	r.Values.Set(workloads.Time, stats.Median(r.Samples).Interval)
	r.Values.SetNumber(workloads.Samples, float64(n))
	workloads.Metrics().Derive(&r.Values)
	return r
}

func comparedRun(id string, results ...workloads.Result) *bundle.Run {
	m := plainMeta0()
	m.Complete([]workloads.Workload{runstest.Workload()})
	m.ID = id
	return &bundle.Run{Meta: m, Results: results}
}

// against compares runs of runstest.Workload.
func against(base, run *bundle.Run) *Comparison {
	return Compare(base, run, []workloads.Workload{runstest.Workload()})
}

func TestCompareVerdicts(t *testing.T) {
	for _, test := range []struct {
		name string
		run  workloads.Result
		want stats.Verdict
	}{
		{"twice as fast", timed("a", 0.5e-3, 0.01, 40, 2), stats.Faster},
		{"half as fast", timed("a", 2e-3, 0.01, 40, 2), stats.Slower},
		{"the same", timed("a", 1e-3, 0.01, 40, 2), stats.Same},
		{"within the noise floor", timed("a", 1.015e-3, 0.0001, 40, 2), stats.Same},
		{"beyond it, but noisy", timed("a", 1.05e-3, 0.4, 12, 2), stats.Unsure},
		{"beyond it, and steady", timed("a", 1.05e-3, 0.001, 40, 2), stats.Slower},
	} {
		base := comparedRun("base", timed("a", 1e-3, 0.001, 40, 1))
		c := against(base, comparedRun("run", test.run))
		row := &c.Rows[0]
		if row.Verdict != test.want || row.Reason != "" {
			t.Errorf("%s: %s, ratio %+v; want %s", test.name, row.Text(), row.Ratio, test.want)
		}
		if want := 1e-3 / test.run.Time().Median; math.Abs(row.Ratio.Median/want-1) > 0.01 || !(row.Ratio.Lo <= row.Ratio.Median) ||
			!(row.Ratio.Median <= row.Ratio.Hi) {
			t.Errorf("%s: ratio %+v, want about %v", test.name, row.Ratio, want)
		}
	}
}

func TestNotComparable(t *testing.T) {
	steady := func() workloads.Result { return timed("a", 1e-3, 0.01, 40, 1) }
	for want, change := range map[string]func(base, run *bundle.Run){
		"wrong result in this run":          func(_, run *bundle.Run) { run.Results[0].Status = workloads.Failed },
		"error in the baseline":             func(base, _ *bundle.Run) { base.Results[0].Status = workloads.Errored },
		"not supported in this run":         func(_, run *bundle.Run) { run.Results[0].Status = workloads.Unsupported },
		"no time in the baseline":           func(base, _ *bundle.Run) { base.Results[0].Values.Set(workloads.Time, stats.Unknown()) },
		"device M9, baseline":               func(_, run *bundle.Run) { run.Meta.Engine.Device = "M9" },
		"engine metal, baseline":            func(_, run *bundle.Run) { run.Meta.Engine.Engine = "metal" },
		"this run was not a timing run":     func(_, run *bundle.Run) { run.Meta.Validation = "Metal’s API validation" },
		"the baseline was not a timing run": func(base, _ *bundle.Run) { base.Meta.Validation = "Metal’s API validation" },
		"simulated times":                   func(base, _ *bundle.Run) { base.Meta.Engine.Simulated = true },
		"operations ": func(_, run *bundle.Run) {
			run.Results[0].Values.SetNumber(workloads.Ops, 2*run.Results[0].Number(workloads.Ops))
		},
		"too few samples: 7, want 8": func(base, _ *bundle.Run) { base.Results[0].Samples = base.Results[0].Samples[:7] },
		"not in the baseline":        func(base, _ *bundle.Run) { base.Results = nil },
		"only in the baseline":       func(_, run *bundle.Run) { run.Results = nil },
	} {
		base, run := comparedRun("base", steady()), comparedRun("run", steady())
		change(base, run)
		c := against(base, run)
		if len(c.Rows) != 1 || c.Rows[0].Verdict != NotComparable || !strings.Contains(c.Rows[0].Text(), want) {
			t.Errorf("want %q: %+v", want, c.Rows)
		}
		if m := c.Geomean("sweep"); !c.Rows[0].Apart && (m.Rows != 0 || !math.IsNaN(m.Ratio.Median)) {
			t.Errorf("%s: geometric mean %+v", want, m)
		}
	}
}

// Results of two runs are matched by what they measured, regardless of case names and IDs.
func TestCompareMatchesBySettings(t *testing.T) {
	base, run := comparedRun("base", timed("a", 1e-3, 0.01, 40, 1)), comparedRun("run", timed("a", 1e-3, 0.01, 40, 2))
	r := &run.Results[0]
	r.Case = "called otherwise"
	r.Settings[0], r.Settings[1] = r.Settings[1], r.Settings[0]
	if c := against(base, run); len(c.Rows) != 1 || c.Rows[0].Verdict != stats.Same || c.Row(r) != &c.Rows[0] {
		t.Errorf("rows %+v", c.Rows)
	}
	older := *base
	older.Results = slices.Clone(base.Results)
	older.Meta.Axes, older.Results[0].Settings = map[string][]string{"sweep": {"size"}}, []workloads.Setting{{Name: "size", Value: 64}}
	if c := against(&older, run); len(c.Rows) != 1 || c.Rows[0].Verdict != stats.Same {
		t.Errorf("with a baseline that does not record the kind: %+v", c.Rows)
	}
	for what, change := range map[string]func(){
		"variant":  func() { r.Variant = "f16" },
		"setting":  func() { r.Settings[1].Value = 32 },
		"workload": func() { r.Workload = "other" },
	} {
		was := *r
		was.Settings = slices.Clone(r.Settings)
		change()
		if c := against(base, run); len(c.Rows) != 2 || c.Rows[0].Reason != "not in the baseline" || c.Rows[1].Reason != "only in the baseline" {
			t.Errorf("another %s: %+v", what, c.Rows)
		}
		*r = was
	}
}

func TestBrokenResults(t *testing.T) {
	base := comparedRun("base", timed("a", 1e-3, 0.01, 40, 1), timed("b", 1e-3, 0.01, 40, 1), timed("c", 1e-3, 0.01, 40, 1))
	run := comparedRun("run", timed("a", 1e-3, 0.01, 40, 2), timed("b", 1e-3, 0.01, 40, 2), timed("c", 1e-3, 0.01, 40, 2))
	run.Results[0].Status, run.Results[1].Status = workloads.Failed, workloads.Unsupported
	if c := against(base, run); c.Broken() != 1 || !c.Rows[0].Broken || c.Count(stats.Same) != 1 || c.Count(NotComparable) != 2 {
		t.Errorf("%d broken: %s", c.Broken(), c.Headline())
	}
	base.Results[0].Status = workloads.Failed
	if c := against(base, run); c.Broken() != 0 {
		t.Errorf("a result that was wrong before counts as broken: %+v", c.Rows[0])
	}
}

// Values that the measurement finds do not match results: a window of a soak has a different middle in each run, and a variant that
// could not be built does not say where its operands are.
func TestCompareIgnoresWhatIsMeasured(t *testing.T) {
	w := runstest.Workload()
	w.Axes = append(w.Axes, workloads.Axis{Name: "elapsed", Measured: true})
	run := func(id string, at ...float64) *bundle.Run {
		m := plainMeta0()
		m.Complete([]workloads.Workload{w})
		m.ID = id
		r := &bundle.Run{Meta: m}
		for i, elapsed := range at {
			one := timed("a", float64(i+1)*1e-3, 0.001, 40, uint64(i+1))
			one.ID = fmt.Sprint(i)
			if elapsed > 0 {
				one.Settings = append(one.Settings, workloads.Setting{Name: "elapsed", Value: elapsed})
			} else {
				one.Status = workloads.Errored
			}
			r.Results = append(r.Results, one)
		}
		return r
	}
	c := against(run("base", 0.5, 1.5), run("run", 0.51, 1.49))
	if len(c.Rows) != 2 || c.Count(stats.Same) != 2 {
		t.Errorf("two series of two windows: %d rows, %s", len(c.Rows), c.Headline())
	}
	if c := against(run("base", 0.5), run("run", 0)); len(c.Rows) != 1 || c.Broken() != 1 {
		t.Errorf("a variant that cannot be built any more: %d rows, %d broken", len(c.Rows), c.Broken())
	}
}

// Two jobs of one workload have results with the same name: the first is compared with the first.
func TestCompareMatchesInOrder(t *testing.T) {
	results := func(seed uint64, times ...float64) []workloads.Result {
		var out []workloads.Result
		for i, s := range times {
			r := timed("a", s, 0.001, 20, seed+uint64(i))
			r.Started = runstest.Began().Add(time.Duration(i) * time.Minute)
			out = append(out, r)
		}
		return out
	}
	base, run := comparedRun("base", results(1, 1e-3, 2e-3, 4e-3)...), comparedRun("run", results(5, 1e-3, 1e-3)...)
	c := against(base, run)
	want := []stats.Verdict{stats.Same, stats.Faster, NotComparable}
	for i, v := range want {
		if len(c.Rows) != 3 || c.Rows[i].Verdict != v {
			t.Fatalf("rows %+v, want %v", c.Rows, want)
		}
	}
	columns := c.Columns()
	if got := columns[0].Value(&run.Results[1]); math.Abs(got-2) > 0.01 {
		t.Errorf("ratio of the second is %v", got)
	}
	if got := columns[1].Text(&run.Results[1]); got != "faster" {
		t.Errorf("verdict of the second is %q", got)
	}
	other := timed("z", 1, 0, 1, 1)
	if got := columns[1].Text(&other); got != "" || !math.IsNaN(columns[0].Value(&other)) {
		t.Errorf("a result of another run has verdict %q", got)
	}
	if m := c.Geomean("sweep"); m.Rows != 2 || math.Abs(m.Ratio.Median-math.Sqrt2) > 0.01 || m.Ratio.Lo >= m.Ratio.Median || m.Ratio.Hi <= m.Ratio.Median {
		t.Errorf("geometric mean %+v", m)
	}
}

// Runs that differ only by chance, even with slow drift within each run, rarely show a difference.
func TestCompareControls(t *testing.T) {
	const trials = 400
	wrong := 0
	for i := range uint64(trials) {
		rng := rand.New(rand.NewPCG(i, 9))
		drawn := func() workloads.Result {
			r := runstest.Verified(64, 0)
			slope := 0.04 * rng.NormFloat64() // the machine warms up or cools down
			for k := range 30 {
				r.Samples = append(r.Samples, 1e-3*math.Exp(0.03*rng.NormFloat64()+slope*float64(k-15)/30))
			}
			r.Values.Set(workloads.Time, stats.Median(r.Samples).Interval)
			return r
		}
		c := against(comparedRun("base", drawn()), comparedRun("run", drawn()))
		if v := c.Rows[0].Verdict; v != stats.Same && v != stats.Unsure {
			wrong++
		}
	}
	if wrong > trials/50 {
		t.Errorf("%d of %d controls show a difference", wrong, trials)
	}
}

func TestDifferences(t *testing.T) {
	base, run := comparedRun("base"), comparedRun("run")
	run.Meta.Host.Platform, run.Meta.Version, run.Meta.Seed, run.Meta.Quick = "darwin 26.2", "1.3", 8, true
	run.Meta.Jobs = []bundle.Job{{Workload: "sweep", Params: workloads.Values{"size": 128, "rate": 10.0, "note": "=1+1"}}}
	run.Meta.Host.CPUQuota, run.Meta.Host.MemoryLimit = 0.5, 2e9
	at := func(state monitor.State, cpu float64) monitor.Snapshot {
		return monitor.Snapshot{Time: runstest.Began().Add(time.Second), Readings: []monitor.Reading{
			{Metric: monitor.ThermalState, Text: state, Status: monitor.OK},
			{Metric: monitor.HostCPU, Value: cpu, Status: monitor.OK},
			{Metric: monitor.ProcessCPU, Value: 0.2, Status: monitor.OK}, // share of one core, out of two
		}}
	}
	base.Snapshots = []monitor.Snapshot{at(monitor.Nominal, 0.2), at(monitor.Fair, 0.2)}
	run.Snapshots = []monitor.Snapshot{at(monitor.Nominal, 0.9), at(monitor.Serious, 0.9), at(monitor.Fair, 0.9)}
	c := against(base, run)
	all := strings.Join(c.Differences, "\n")
	for _, want := range []string{
		"Operating system: darwin 26.2 (baseline: not recorded).", "Assay version: 1.3 (baseline: 1.2).", "Seed of the data: 8 (baseline: 7).",
		"Limits of the control group: 0.500 cores, 2.00 GB of memory (baseline: none seen).", "Quick: yes (baseline: no).", "Size: 128 (baseline: 64).",
		"Hottest thermal state serious (baseline: fair).", "Other programs used 80 % of the CPU (baseline: 10 %).",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	if len(c.Differences) != 8 {
		t.Errorf("%d differences:\n%s", len(c.Differences), all)
	}
	base.Snapshots = nil
	if got := strings.Join(against(base, run).Unknown, ", "); !strings.Contains(got, "the thermal state of the baseline") ||
		!strings.Contains(got, "that other programs used in the baseline") || strings.Contains(got, ", ,") {
		t.Errorf("not known: %s", got)
	}
	alike := against(run, run)
	if len(alike.Differences) != 2 || !strings.Contains(alike.Differences[0], "same run") {
		t.Errorf("a run against itself differs: %v", alike.Differences)
	}
}

// Other programs raise the noise floor; if their share differs much between the runs nothing is compared.
func TestCompareOnABusyMachine(t *testing.T) {
	load := func(r *bundle.Run, share float64) *bundle.Run {
		r.Snapshots = nil
		for range 3 {
			r.Snapshots = append(r.Snapshots, monitor.Snapshot{Time: runstest.Began(), Readings: []monitor.Reading{
				{Metric: monitor.HostCPU, Value: share + 0.5, Status: monitor.OK},
				{Metric: monitor.ProcessCPU, Value: 1, Status: monitor.OK}, // share of one core, out of two
			}})
		}
		return r
	}
	base := comparedRun("base", timed("a", 1e-3, 0.001, 40, 1))
	slower := comparedRun("run", timed("a", 1.08e-3, 0.001, 40, 2))
	slowest := comparedRun("run", timed("a", 1.2e-3, 0.001, 40, 2))
	for _, test := range []struct {
		run             *bundle.Run
		inBase, inRun   float64
		want            stats.Verdict
		floor           float64
		reason, comment string
	}{
		{slower, 0.05, 0.05, stats.Slower, NoiseFloor, "", "quiet"},
		{slower, 0.4, 0.4, stats.Same, BusyFloor, "", "busy"},
		{slowest, 0.05, 0.05, stats.Slower, NoiseFloor, "", "quiet, and much slower"},
		{slowest, 0.4, 0.4, NotComparable, BusyFloor, "measured while the machine was not quiet", "busy, and much slower"},
		{slowest, 0, 0.4, NotComparable, BusyFloor, "other programs or virtual machines used the CPU much more in one of the runs", "busy once"},
	} {
		c := against(load(base, test.inBase), load(test.run, test.inRun))
		if r := &c.Rows[0]; r.Verdict != test.want || r.Reason != test.reason || c.Floor != test.floor {
			t.Errorf("%s: %s, floor %v; want %s", test.comment, r.Text(), c.Floor, test.want)
		}
	}
}

// Variation of both times within their runs is not a difference between them.
func TestFloorCoversWhatTimesVaryBy(t *testing.T) {
	base := comparedRun("base", timed("tight", 1e-3, 0.001, 40, 1), timed("wide", 1e-3, 0.2, 40, 1))
	run := comparedRun("run", timed("tight", 1.1e-3, 0.001, 40, 2), timed("wide", 1.22e-3, 0.2, 40, 2))
	c := against(base, run)
	if r := &c.Rows[0]; r.Verdict != stats.Slower || r.floor != NoiseFloor {
		t.Errorf("tight: %s, floor %v", r.Text(), r.floor)
	}
	if r := &c.Rows[1]; r.Verdict == stats.Slower || r.floor <= NoiseFloor || c.Floor != r.floor {
		t.Errorf("wide: %s, floor %v of %v", r.Text(), r.floor, c.Floor)
	}
}

// The load during the measurement of a case counts, if it is recorded: a program that ran for a third of a run
// disturbs those cases and no others.
func TestCompareByTheLoadOnTheGPU(t *testing.T) {
	result := func(name string, median, others float64, seed uint64) workloads.Result {
		r := timed(name, median, 0.001, 40, seed)
		r.Values.SetNumber(workloads.OthersCPU, 0.01)
		r.Values.SetNumber(workloads.OthersGPU, others)
		return r
	}
	base := comparedRun("base", result("a", 1e-3, 0.01, 1), result("b", 1e-3, 0.01, 1), result("c", 1e-3, 0.5, 1))
	run := comparedRun("run", result("a", 1.08e-3, 0.02, 2), result("b", 1.08e-3, 0.6, 2), result("c", 1.08e-3, 0.55, 2))
	c := against(base, run)
	for i, want := range []string{"slower", "not comparable: other programs used the GPU much more in one of the runs", "within noise floor (10 %)"} {
		if got := c.Rows[i].Text(); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
}

func TestCompareByTheLoadOfEachCase(t *testing.T) {
	result := func(name string, median, others float64, seed uint64) workloads.Result {
		r := timed(name, median, 0.001, 40, seed)
		r.Values.SetNumber(workloads.OthersCPU, others)
		return r
	}
	base := comparedRun("base", result("a", 1e-3, 0.01, 1), result("b", 1e-3, 0.01, 1), result("c", 1e-3, 0.5, 1))
	run := comparedRun("run", result("a", 1.08e-3, 0.02, 2), result("b", 1.08e-3, 0.6, 2), result("c", 1.08e-3, 0.55, 2))
	c := against(base, run)
	for i, want := range []string{"slower", "not comparable: other programs or virtual machines used the CPU much more in one of the runs", "within noise floor (10 %)"} {
		if got := c.Rows[i].Text(); got != want {
			t.Errorf("row %d: %q, want %q", i, got, want)
		}
	}
	if c.Floor != BusyFloor {
		t.Errorf("floor %g", c.Floor)
	}
}

// Other virtual machines take the CPU as other programs do, and cases that were disturbed otherwise have the wider floor, too.
func TestCompareWhatWasDisturbed(t *testing.T) {
	result := func(median, steal float64, disturbed bool, seed uint64) workloads.Result {
		r := timed("a", median, 0.001, 40, seed)
		r.Values.SetNumber(workloads.OthersCPU, 0.01)
		r.Values.SetNumber(workloads.StealCPU, steal)
		if disturbed {
			r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: throttled by 40 %")
		}
		return r
	}
	for name, c := range map[string]struct {
		base, run workloads.Result
		want      string
	}{
		"quiet": {result(1e-3, 0, false, 1), result(1.08e-3, 0, false, 2), "slower"},
		"steal": {result(1e-3, 0.3, true, 1), result(1.08e-3, 0.32, true, 2), "within noise floor (10 %)"},
		"steal once": {
			result(1e-3, 0, false, 1), result(1.3e-3, 0.4, true, 2),
			"not comparable: other programs or virtual machines used the CPU much more in one of the runs",
		},
		"throttled": {result(1e-3, 0, false, 1), result(1.08e-3, 0, true, 2), "within noise floor (10 %)"},
		"throttled and much faster": {
			result(1.3e-3, 0, true, 1), result(1e-3, 0, true, 2), "not comparable: measured while the machine was not quiet",
		},
	} {
		if got := against(comparedRun("base", c.base), comparedRun("run", c.run)).Rows[0].Text(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The headline states the outcome in a sentence, whatever it is.
func TestHeadline(t *testing.T) {
	same, half := timed("a", 1e-3, 0.001, 20, 2), timed("b", 5e-4, 0.001, 20, 2)
	twice, noisy := timed("b", 2e-3, 0.001, 20, 2), timed("b", 1.05e-3, 0.4, 12, 2)
	wide := timed("b", 1e-3, 0.001, 20, 2)
	wide.Values.SetNumber(workloads.Ops, 3)
	for _, test := range []struct {
		run  []workloads.Result
		want string
	}{
		{[]workloads.Result{same, half}, "No slowdown shown. Faster in 1 of 2 rows, by up to 2.00×."},
		{[]workloads.Result{same, twice}, "Slower in 1 of 2 rows, by up to 2.00×."},
		{[]workloads.Result{same, noisy}, "No difference shown in any of 2 rows."},
		{[]workloads.Result{same, wide}, "No difference shown. 1 row could not be compared."},
		{[]workloads.Result{wide}, "Nothing could be compared; each verdict says why."},
		{nil, "Nothing could be compared: the runs have no case in common."},
	} {
		base := comparedRun("base", timed("a", 1e-3, 0.001, 20, 1), timed("b", 1e-3, 0.001, 20, 1))
		if got := against(base, comparedRun("run", test.run...)).Headline(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	base, run := comparedRun("base", same, half), comparedRun("run", same, half)
	run.Meta.Engine = gpu.Info{Engine: "cpu", Device: "other"}
	c := against(base, run)
	if got := c.Headline(); !strings.HasPrefix(got, "No verdict, different devices: device other, baseline Test") {
		t.Errorf("headline %q", got)
	}
	if reasons := c.Reasons(); len(reasons) != 1 || reasons[0].Rows != 2 {
		t.Errorf("reasons %+v, want one for both rows", reasons)
	}
}

// A missing verdict says why.
func TestVerdictInWords(t *testing.T) {
	for want, row := range map[string]ComparisonRow{
		"within noise floor (10 %)":   {Verdict: stats.Same, floor: BusyFloor},
		"may be noise (floor 10 %)":   {Verdict: stats.Unsure, floor: BusyFloor, Ratio: stats.Interval{Median: 0.8, Lo: 0.7, Hi: 0.95}},
		"no difference shown":         {Verdict: stats.Unsure, floor: NoiseFloor, Ratio: stats.Interval{Median: 0.9, Lo: 0.7, Hi: 1.05}},
		"not comparable: no time yet": {Verdict: NotComparable, Reason: "no time yet"},
	} {
		if got := row.Text(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Cases with the same name that did different work say which parameter differs.
func TestCompareNamesTheParameter(t *testing.T) {
	w := runstest.Workload()
	w.Params = append(w.Params, workloads.Param{Name: "width", Title: "MLP width", Type: workloads.Int, Role: workloads.RoleCase})
	run := func(id string, width int) *bundle.Run {
		r := comparedRun(id, timed("a", 1e-3, 0.001, 20, 1))
		r.Meta.Jobs[0].Params = workloads.Values{"width": width}
		return r
	}
	c := Compare(run("base", 1024), run("run", 128), []workloads.Workload{w})
	if got, want := c.Rows[0].Text(), "not comparable: MLP width 128, baseline 1024"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := strings.Join(c.Differences, " "); got != "MLP width: 128 (baseline: 1024)." {
		t.Errorf("differences %q", got)
	}
}
