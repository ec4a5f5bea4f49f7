package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// differences says what besides the code differed between two runs, and what is not recorded.
func differences(base, run *bundle.Run, all []workloads.Workload) (told, unknown []string) {
	told = slices.Concat(otherMeta(&base.Meta, &run.Meta), otherParams(&base.Meta, &run.Meta, all))
	for _, r := range []struct {
		name string
		run  *bundle.Run
	}{{"This run", run}, {"The baseline", base}} {
		if text := TakenOver(r.run); text != "" {
			told = append(told, r.name+": "+text)
		}
	}
	unknown = []string{"the power source of both runs"} // not measured
	for _, compare := range []func(base, run *bundle.Run) (string, string){heat, company, slowdown} {
		text, missing := compare(base, run)
		if text != "" {
			told = append(told, text)
		}
		if missing != "" {
			unknown = append(unknown, missing)
		}
	}
	return told, unknown
}

// otherMeta compares the runs' run.json.
func otherMeta(base, run *bundle.Meta) []string {
	var out []string
	add := func(what, was, is string) {
		if was != is {
			out = append(out, fmt.Sprintf("%s: %s (baseline: %s).", what, plain.Text(orNotRecorded(is)), plain.Text(orNotRecorded(was))))
		}
	}
	if base.ID == run.ID {
		out = append(out, "The run and its baseline are the same run.")
	}
	add("Engine", base.Engine.Engine, run.Engine.Engine)
	add("Device", base.Engine.Device, run.Engine.Device)
	add("Simulated", yesNo(base.Engine.Simulated), yesNo(run.Engine.Simulated))
	add("Clock of the times", base.Engine.Clock, run.Engine.Clock)
	add("Processor", base.Host.CPU, run.Host.CPU)
	add("Operating system", base.Host.Platform, run.Host.Platform)
	add("Kernel", base.Host.Kernel, run.Host.Kernel)
	add("Virtual machine", orNone(base.Host.Virtual), orNone(run.Host.Virtual))
	add("Limits of the control group", orNone(base.Host.Limits()), orNone(run.Host.Limits()))
	add("Assay version", base.Version, run.Version)
	add("Commit", base.Commit.String(), run.Commit.String())
	add("Go version", base.Go, run.Go)
	add("Live tuning", yesNo(base.Tuning), yesNo(run.Tuning))
	add("Quick", yesNo(base.Quick), yesNo(run.Quick))
	add("Wanted interval", "± "+si.Digits(50*base.Precision)+" %", "± "+si.Digits(50*run.Precision)+" %")
	add("Budget of a case", si.Time(base.Budget), si.Time(run.Budget))
	add("Seed of the data", fmt.Sprint(base.Seed), fmt.Sprint(run.Seed))
	return append(out, otherEnds(base.State, run.State)...)
}

// otherEnds says which of the runs did not finish, if only one did.
func otherEnds(base, run bundle.State) []string {
	if base == run {
		return nil
	}
	var out []string
	for _, r := range []struct {
		name  string
		state bundle.State
	}{{"This run", run}, {"The baseline", base}} {
		switch r.state {
		case bundle.Stopped:
			out = append(out, r.name+" was stopped early.")
		case bundle.Failed:
			out = append(out, r.name+" failed before its end.")
		case bundle.Running:
			out = append(out, r.name+" did not finish.")
		}
	}
	return out
}

// orNotRecorded words a value that run.json may lack.
func orNotRecorded(s string) string { return cmp.Or(s, "not recorded") }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func orNone(s string) string {
	if s == "" {
		return "none seen"
	}
	return s
}

// otherParams compares the parameters of workloads that both runs have once.
func otherParams(base, run *bundle.Meta, all []workloads.Workload) []string {
	var out []string
	for _, job := range run.Jobs {
		was := slices.IndexFunc(base.Jobs, func(j bundle.Job) bool { return j.Workload == job.Workload })
		if was < 0 {
			continue
		}
		for _, name := range run.ParamNames(job) {
			a, inBase := base.Jobs[was].Params[name]
			b, inRun := job.Params[name]
			if inBase && inRun && bundle.SettingText(a) != bundle.SettingText(b) {
				out = append(out, fmt.Sprintf("%s: %s (baseline: %s).", paramTitle(all, job.Workload, name, len(run.Jobs) > 1),
					plain.Text(shownSetting(b)), plain.Text(shownSetting(a))))
			}
		}
	}
	return out
}

// paramTitle is a parameter's title, with its workload's if there are several.
func paramTitle(all []workloads.Workload, workload, name string, several bool) string {
	title, of := name, workload
	if w, err := workloads.Find(all, workload); err == nil {
		of = w.Title
		if p, err := w.Param(name); err == nil {
			title = p.Title
		}
	}
	if several {
		return of + ", " + title
	}
	return title
}

// heat compares the hottest thermal states.
func heat(base, run *bundle.Run) (told, unknown string) {
	b, r := hottest(base), hottest(run)
	switch {
	case b == "" && r == "":
		return "", "the thermal state of both runs"
	case b == "":
		return "", "the thermal state of the baseline"
	case r == "":
		return "", "the thermal state of this run"
	case b != r:
		return fmt.Sprintf("Hottest thermal state %s (baseline: %s).", r, b), ""
	}
	return "", ""
}

// hottest is the hottest thermal state of a run; empty if none was read.
func hottest(r *bundle.Run) monitor.State {
	worst, name := -1, monitor.State("")
	for i := range r.Snapshots {
		reading, ok := r.Snapshots[i].Find(monitor.ThermalState)
		if rank, known := reading.Text.Rank(); ok && known && reading.Status == monitor.OK && rank > worst {
			worst, name = rank, reading.Text
		}
	}
	return name
}

// company compares the other programs' share of the processor.
func company(base, run *bundle.Run) (told, unknown string) {
	b, inBase := others(base)
	r, inRun := others(run)
	const what = "the share of the processor that other programs took"
	switch {
	case !inBase && !inRun:
		return "", what + " in both runs"
	case !inBase:
		return "", what + " in the baseline"
	case !inRun:
		return "", what + " in this run"
	case max(b, r) > QuietShare:
		return fmt.Sprintf("Other programs took %.0f %% of the processor (baseline: %.0f %%).", 100*r, 100*b), ""
	}
	return "", ""
}

// disturbance returns the noise floor of two runs, and why the machine's load prevents a comparison, if it does.
func disturbance(base, run *bundle.Run) (floor float64, reason string) {
	b, inBase := others(base)
	r, inRun := others(run)
	if !inBase || !inRun {
		return NoiseFloor, ""
	}
	return underLoad(b, r)
}

// underLoad is disturbance for the share of the CPU that other programs used in both. Such programs also share memory,
// heat and power with a GPU.
func underLoad(base, run float64) (floor float64, reason string) {
	switch {
	case max(base, run) <= QuietShare:
		return NoiseFloor, ""
	case math.Abs(base-run) > QuietShare:
		return BusyFloor, "other programs used the CPU much more in one of the runs"
	}
	return BusyFloor, ""
}

// others is the median share of all cores used by programs other than Assay during a run.
func others(r *bundle.Run) (share float64, ok bool) {
	return typical(r, func(s *monitor.Snapshot) (float64, bool) {
		host, inHost := s.Value(monitor.HostCPU)
		own, inOwn := s.Value(monitor.ProcessCPU)
		if cores := r.Meta.Host.Threads; cores > 0 && inHost && inOwn {
			return max(0, host-own/float64(cores)), true
		}
		return 0, false
	})
}

// slowdown compares how much the processor, or on macOS the GPU, was throttled. Few systems report it.
func slowdown(base, run *bundle.Run) (told, unknown string) {
	share := func(s *monitor.Snapshot) (float64, bool) { return s.Value(monitor.Throttling) }
	b, inBase := typical(base, share)
	r, inRun := typical(run, share)
	const step = 0.02
	if inBase && inRun && (b-r > step || r-b > step) {
		told = fmt.Sprintf("Throttled by %.0f %% (baseline: %.0f %%).",
			100*r, 100*b)
	}
	return told, ""
}

// typical is the median of a reading over a run.
func typical(r *bundle.Run, value func(*monitor.Snapshot) (float64, bool)) (float64, bool) {
	var values []float64
	for i := range r.Snapshots {
		if v, ok := value(&r.Snapshots[i]); ok && finite(v) {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return 0, false
	}
	return stats.Median(values).Median, true
}
