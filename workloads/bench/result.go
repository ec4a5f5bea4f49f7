package bench

import (
	"errors"
	"slices"
	"time"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/stats"
	"assay/workloads"
	"assay/workloads/measure"
)

func (b *Bench) result(c *Case, started time.Time, v *Variant, m *measure.Result) workloads.Result {
	r := workloads.Result{
		Workload: b.Workload.Name, Case: c.Name, Variant: v.Name, Started: started, Samples: m.Samples, SetAside: m.SetAside, Stop: m.Stop,
		Settings: b.kernels(v.Work, b.operands(v.Work, slices.Concat(c.Settings, v.Settings))),
	}
	for _, w := range m.Warnings {
		r.Warn(workloads.WarningKind(w.Kind), w.Text)
	}
	if v.Err == nil {
		for _, w := range v.Notes {
			r.Warn(w.Kind, w.Text)
		}
	}
	if len(m.Retries) > 0 {
		r.Warn(workloads.Retried, measure.RetryText(m.Retries))
	}
	timed(&r.Values, m)
	b.around(&r.Values, m)
	powered(&r.Values, &m.Energy)
	paced(&r.Values, &m.Duty)
	counted(&r.Values, workloads.Items, v.Items)
	if v.Work != nil {
		b.used[[2]string{c.Name, v.Name}] = choicesOf(v.Work)
		cost, launches := v.cost()
		counted(&r.Values, workloads.Dispatches, float64(launches))
		counted(&r.Values, workloads.Ops, cost.Ops)
		r.Values.SetText(workloads.Arithmetic, arithmetic(v.Work))
		counted(&r.Values, workloads.Bytes, cost.Bytes)
		counted(&r.Values, workloads.Repetitions, float64(v.Work.Reps(m.Reps)))
		if runsAlone(v.Work) {
			r.Values.SetText(workloads.Clock, workloads.HostClock)
		}
		if tuned := tunedText(v.Work); tuned != "" {
			r.Values.SetText(workloads.Tuned, tuned)
		}
	}
	if m.Check.Checked > 0 {
		r.Values.SetNumber(workloads.ErrorMax, m.Check.MaxError)
		r.Values.SetNumber(workloads.ErrorRel, m.Check.MaxRel)
		compared, outputs := m.Check.PerPass()
		r.Values.SetNumber(workloads.Compared, float64(compared))
		r.Values.SetNumber(workloads.Outputs, float64(outputs))
	}
	r.Status, r.Failure = status(m)
	return r
}

// timed sets the time and its derived values.
func timed(v *metric.Values, m *measure.Result) {
	v.Set(workloads.Time, m.Time.Interval)
	counted(v, workloads.Repetitions, float64(m.Reps))
	counted(v, workloads.Samples, float64(len(m.Samples)))
	counted(v, workloads.Warmups, float64(m.Warmups))
	if len(m.Samples) > 0 {
		v.SetNumber(workloads.Outliers, float64(m.Outliers))
		v.SetNumber(workloads.LowerQuartile, stats.Quantile(m.Samples, 0.25))
		v.SetNumber(workloads.UpperQuartile, stats.Quantile(m.Samples, 0.75))
		v.SetNumber(workloads.Warmups, float64(m.Warmups))
	}
}

// around sets what else the machine did.
func (b *Bench) around(v *metric.Values, m *measure.Result) {
	for i, f := range b.Options.Factors {
		if i >= len(m.Around) {
			continue
		}
		v.SetNumber(metric.Name(f.Name), m.Around[i]) // omitted if it is not known
		if f.Source != "" {
			v.SetText(metric.Name(f.Source), f.From(m, m.Around[i]))
		}
	}
	counted(v, workloads.SetAside, float64(m.Aside))
	counted(v, workloads.Retries, float64(len(m.Retries)))
}

// counted sets an amount; 0 means that it was not counted.
func counted(v *metric.Values, name metric.Name, amount float64) {
	if amount != 0 {
		v.SetNumber(name, amount)
	}
}

func status(m *measure.Result) (workloads.Status, workloads.Failure) {
	wrong := func(text string) workloads.Failure { return workloads.Failure{Kind: workloads.WrongOutput, Text: text} }
	switch {
	case errors.Is(m.Err, gpu.ErrUnsupported):
		return workloads.Unsupported, workloads.FailureOf(m.Err)
	case errors.Is(m.Err, errWrong):
		return workloads.Failed, wrong(m.Err.Error())
	case m.Err != nil:
		return workloads.Errored, workloads.FailureOf(m.Err)
	case !m.Check.OK:
		return workloads.Failed, wrong("wrong result: " + m.Check.Failure)
	}
	return workloads.OK, workloads.Failure{}
}

// broken returns the result of a case that could not be built.
func (b *Bench) broken(c *Case, started time.Time, err error) workloads.Result {
	r := workloads.Result{Workload: b.Workload.Name, Case: c.Name, Variant: "all", Settings: c.Settings, Started: started}
	r.Status, r.Failure = status(&measure.Result{Err: err})
	return r
}

// compare sets the values of all[i] that are relative to the baseline.
func compare(all []workloads.Result, i int, baseline string) {
	r := &all[i]
	for j := range all {
		base := &all[j]
		if j == i || base.Variant != baseline {
			continue
		}
		r.Baseline = baseline
		r.Values.SetNumber(workloads.BytesSaved, base.Number(workloads.Bytes)-r.Number(workloads.Bytes))
		r.Values.SetNumber(workloads.DispatchesSaved, base.Number(workloads.Dispatches)-r.Number(workloads.Dispatches))
		if r.Status == workloads.OK && base.Status == workloads.OK {
			r.Values.Set(workloads.Speedup, stats.Speedup(base.Samples, r.Samples).Interval)
		}
	}
}
