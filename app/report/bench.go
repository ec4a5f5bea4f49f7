package report

import (
	"io"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"assay/app/bundle"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

// WriteBench writes the results in the format of Go's benchmarks, one line per sample, so that benchstat can compare
// runs. Only verified results have samples; the name is Workload/case/variant with spaces as "_". Each metric that is a
// rate is a unit.
func WriteBench(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	out := benchfmt.NewWriter(w)
	rates := rates(described(&r.Meta, all))
	for i := range rates {
		unit := benchUnit(&rates[i])
		u := &benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: "higher",
		}
		if err := out.Write(u); err != nil {
			return err
		}
	}
	config := benchConfig(&r.Meta)
	for i := range r.Results {
		if err := writeBenchResult(out, &r.Results[i], config, rates); err != nil {
			return err
		}
	}
	return nil
}

// rates are the metrics that are amounts per time, where more is better.
func rates(list metric.List) metric.List {
	return slices.DeleteFunc(list, func(m metric.Metric) bool { return m.Per != workloads.Time || m.Better != metric.More })
}

// benchUnit is a rate's unit as benchstat shows it; counts are named after what they count.
func benchUnit(m *metric.Metric) string {
	if si.Find(m.Unit).Kind == si.Rate {
		return string(m.Of) + "/s"
	}
	return m.Unit
}

func writeBenchResult(out *benchfmt.Writer, r *workloads.Result, config []benchfmt.Config, rates metric.List) error {
	iterations := 1
	if n := r.Number(workloads.Repetitions); n > 1 {
		iterations = int(n)
	}
	for _, t := range r.Samples {
		line := &benchfmt.Result{
			Config: config, Name: benchName(r), Iters: iterations, Values: []benchfmt.Value{{Value: t, Unit: "sec/op"}},
		}
		for i := range rates {
			if amount := r.Number(rates[i].Of); amount > 0 {
				line.Values = append(line.Values, benchfmt.Value{Value: amount / t, Unit: benchUnit(&rates[i])})
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func benchConfig(m *bundle.Meta) []benchfmt.Config {
	var config []benchfmt.Config
	for _, kv := range [][2]string{
		{"goos", m.Host.OS},
		{"goarch", m.Host.Arch},
		{"cpu", m.Host.CPU},
		{"engine", m.Engine.Engine},
		{"device", m.Engine.Device},
		{"simulated", simulatedText(m)},
		{"measurement", m.TuningText()},
		{"run", m.ID},
	} {
		if kv[1] != "" {
			config = append(config, benchfmt.Config{Key: kv[0], Value: []byte(plain.Text(kv[1])), File: true})
		}
	}
	return config
}

// benchName is a name without spaces that begins with an upper-case letter, as the format requires.
func benchName(r *workloads.Result) benchfmt.Name {
	name := plain.Capitalized(r.Workload + "/" + r.Case + "/" + r.Variant)
	return benchfmt.Name(strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return '_'
		}
		return c
	}, plain.Text(name)))
}

// simulatedText is empty for a real device.
func simulatedText(m *bundle.Meta) string {
	if !m.Engine.Simulated {
		return ""
	}
	return "yes: times are not from real hardware"
}
