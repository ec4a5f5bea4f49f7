package bundle

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/gpu"
	"assay/internal/metric"
	"assay/workloads"
)

// Upgrade of schema 1 (version 0.1.0). Load returns the newest schema.

// oldRates are columns in 10⁹ per second that are now metrics in SI units.
func oldRates() []oldRate {
	return []oldRate{{"gflops", workloads.Throughput}, {"gbps", workloads.Bandwidth}}
}

type oldRate struct {
	column string
	name   metric.Name
}

// newName returns the current name of a metric's column, which version 0.1.0 may have named differently.
func newName(column string) string {
	for _, rate := range oldRates() {
		if rate.column == column {
			return string(rate.name)
		}
	}
	return column
}

// NewNames returns the current names of a column of an earlier version. Settings of the whole run had the prefix of an axis.
func NewNames(column string) []string {
	if name, ok := strings.CutPrefix(column, paramPrefix); ok {
		return []string{column, setPrefix + name}
	}
	return []string{newName(column)}
}

// isOldColumn reports whether a column was renamed, has another unit now, or was removed.
func isOldColumn(name string) bool { return name == "marks" || newName(name) != name }

// oldMetrics were columns of every run, and now belong to individual workloads.
func oldMetrics() metric.List {
	return metric.List{
		{Name: "snr_db", Title: "SNR", Unit: "dB", Shape: metric.Scalar, Better: metric.More},
		{Name: "cosine", Title: "Cosine", Shape: metric.Scalar, Better: metric.More},
		{Name: "footprint_bytes", Title: "Size", Unit: "B", Shape: metric.Scalar, Better: metric.Less},
	}
}

// lossOfWeights are the metrics of the quantization workload that used the names of the verification's errors
// instead.
func lossOfWeights() map[metric.Name]metric.Metric {
	return map[metric.Name]metric.Metric{
		workloads.ErrorMax: {Name: "weight_error_max", Title: "Max weight error", Shape: metric.Scalar, Better: metric.Less},
		workloads.ErrorRel: {Name: "weight_error_rel", Title: "Relative weight error", Shape: metric.Scalar, Better: metric.Less},
	}
}

// upgrade adds to a Meta of schema 1 what later schemas have.
func (m *Meta) upgrade() {
	if m.Schema != 1 {
		return
	}
	m.Metrics = workloads.Metrics().With(oldMetrics()...)
	if slices.ContainsFunc(m.Jobs, func(j Job) bool { return j.Workload == "quantization" }) {
		loss := lossOfWeights()
		m.Metrics = m.Metrics.With(loss[workloads.ErrorMax], loss[workloads.ErrorRel])
	}
	m.Failure = oldFailure(m.Error)
}

// upgradeEvents gives the leaks of schema 1 their IDs. In schema 1, clearing an alert with a leak's title withdrew the leak
// of the current case, the last one.
func upgradeEvents(m *Meta, events []Event) []Event {
	if m.Schema != 1 {
		return events
	}
	open := map[string][]string{} // IDs of leaks by title
	for i := range events {
		e := &events[i]
		switch ids := open[e.Title]; {
		case e.Kind == LeakFound:
			e.ID = fmt.Sprintf("leak-%d", i+1)
			open[e.Title] = append(ids, e.ID)
		case e.Kind == AlertCleared && len(ids) > 0:
			e.Kind, e.ID = LeakWithdrawn, ids[len(ids)-1]
			open[e.Title] = ids[:len(ids)-1]
		}
	}
	return events
}

// oldKinds are the current names of kinds of findings that were renamed with schema 3.
func oldKinds() map[string]string {
	return map[string]string{
		"pays throughout": workloads.KindPays, "pays in part": workloads.KindPaysPart, "never pays": workloads.KindNeverPays,
		"not shown to pay": workloads.KindUnclear,
	}
}

// upgradeFindings adds to the findings of schema 1 the IDs of the results that they name.
func upgradeFindings(m *Meta, findings []workloads.Finding, results []workloads.Result) []workloads.Finding {
	for i := range findings {
		if kind, renamed := oldKinds()[findings[i].Kind]; renamed && m.Schema < 3 {
			findings[i].Kind = kind
		}
	}
	if m.Schema != 1 {
		return findings
	}
	for i := range findings {
		f := &findings[i]
		at := slices.IndexFunc(results, func(r workloads.Result) bool {
			return r.Workload == f.Workload && r.Case == f.Case && r.Variant == f.Variant
		})
		if at >= 0 {
			f.Result = results[at].ID
		}
	}
	return findings
}

// upgradeResult adds to a row of results.csv what later schemas have.
func upgradeResult(m *Meta, t *table, r *workloads.Result) error {
	if m.Schema != 1 {
		return nil
	}
	if r.Workload == "quantization" {
		for was, is := range lossOfWeights() {
			r.Values.Set(is.Name, r.Values.Get(was))
			r.Values.SetNumber(was, math.NaN())
		}
	}
	for _, rate := range oldRates() {
		v, err := t.float(rate.column)
		if err != nil {
			return err
		}
		r.Values.SetNumber(rate.name, v*1e9)
	}
	if r.Status == workloads.Errored {
		r.Failure.Kind = oldFailure(r.Failure.Text)
	} else if r.Status == workloads.Failed {
		r.Failure.Kind = workloads.WrongOutput
	} else if r.Status == workloads.Unsupported {
		r.Failure.Kind = workloads.NotSupported
	}
	return nil
}

// oldFailure derives the kind of a failure from its text.
func oldFailure(words string) workloads.FailureKind {
	for _, known := range []struct {
		sign string
		kind workloads.FailureKind
	}{
		{gpu.ErrDeviceLost.Error(), workloads.DeviceLost},
		{gpu.ErrOutOfMemory.Error(), workloads.OutOfMemory},
		{gpu.ErrTimeout.Error(), workloads.TimedOut},
		{gpu.ErrCompile.Error(), workloads.CompileFailed},
		{"no space left", workloads.DiskFull},
		{"no tensor ", workloads.NoTensor},
		{"safetensors", workloads.BadWeights},
	} {
		if strings.Contains(words, known.sign) {
			return known.kind
		}
	}
	return ""
}
