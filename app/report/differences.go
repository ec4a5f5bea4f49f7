package report

import (
	"cmp"
	"fmt"
	"slices"

	"assay/app/bundle"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// differences says what differed between two runs apart from the code, and what is not recorded.
func differences(base, run *bundle.Run, all []workloads.Workload, was, is conditions) (told, unknown []string) {
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
	for _, compare := range []func(base, run conditions) (string, string){heat, company, slowdown} {
		text, missing := compare(was, is)
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
	add("Validation", orNone(base.Validation), orNone(run.Validation))
	add("Captured", yesNo(base.Capture != ""), yesNo(run.Capture != ""))
	add("Quick", yesNo(base.Quick), yesNo(run.Quick))
	add("Tuned kernels", yesNo(base.Tuned), yesNo(run.Tuned))
	add("Wanted interval", "± "+si.Digits(50*base.Precision)+" %", "± "+si.Digits(50*run.Precision)+" %")
	add("Budget of a case", si.Time(base.Budget), si.Time(run.Budget))
	add("Schedule", orNone(base.Schedule), orNone(run.Schedule))
	add("Duty cycle", orNone(base.DutyCycle()), orNone(run.DutyCycle()))
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

// orNotRecorded returns a value that run.json may lack, or words for that.
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
