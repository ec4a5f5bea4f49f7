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
	"assay/internal/stats"
	"assay/workloads"
)

// maxBlocks is the maximum number of lines per result. benchstat needs 6 for an interval and gains little beyond 20.
const maxBlocks = 20

// WriteBench writes the results in the format of Go's benchmarks, so that benchstat can compare runs. benchstat treats the
// lines of a name as independent samples, which those of one process are not: each line is the median of a block of them.
// Only verified results have samples; the name is Workload/case/variant with spaces as "_". Each metric that is a rate is
// a unit.
func WriteBench(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	if _, err := io.WriteString(w, benchComment(&r.Meta)); err != nil {
		return err
	}
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
	for i := range r.Results {
		result := &r.Results[i]
		if err := writeBenchResult(out, result, benchConfig(&r.Meta, result, all), rates); err != nil {
			return err
		}
	}
	return nil
}

// benchComment names the run in lines that benchstat skips. As configuration, the ID would put each run into a separate
// table.
func benchComment(m *bundle.Meta) string {
	engine := ""
	if why := m.WhyEngine(); why != "" {
		engine = "# Engine " + plain.Text(m.Engine.Engine) + ", " + plain.Text(why) + ".\n"
	}
	return "# Run " + plain.Text(m.ID) + ", Assay " + plain.Text(m.Version) + ".\n" + engine +
		"# A line is the median of a block of successive samples, long enough to be nearly independent of its neighbors.\n" +
		"# All lines come from one process: benchstat cannot see what differs from one process to the next. For a difference of a\n" +
		"# few percent, append the exports of further runs to both files.\n\n"
}

// rates are the metrics that are amounts per time, where more is better.
func rates(list metric.List) metric.List {
	return slices.DeleteFunc(list, func(m metric.Metric) bool { return m.Per != workloads.Time || m.Better != metric.More })
}

// benchUnit returns a rate's unit as benchstat shows it; counts are named after what they count.
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
	blocks := stats.Blocks(r.Samples, maxBlocks)
	iterations *= max(1, len(r.Samples)/max(1, len(blocks)))
	for _, t := range blocks {
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

// benchConfig is what benchstat groups by: results with another value are in another table. It includes parameters that make the
// work behind equal names differ, and whether the machine was disturbed, which no interval shows.
func benchConfig(m *bundle.Meta, r *workloads.Result, all []workloads.Workload) []benchfmt.Config {
	var config []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(plain.Text(value)), File: true})
		}
	}
	add("goos", m.Host.OS)
	add("goarch", m.Host.Arch)
	add("cpu", m.Host.CPU)
	add("engine", m.Engine.Engine)
	add("device", m.Engine.Device)
	add("simulated", simulatedText(m))
	add("measurement", m.Caveat())
	if _, disturbed := r.Disturbed(); disturbed {
		add("disturbed", "yes: other work on the machine may have changed the times")
	}
	if w, err := workloads.Find(all, r.Workload); err == nil {
		for _, p := range w.CaseParams(r) {
			add(p.Name, bundle.SettingText(m.Param(r, p.Name)))
		}
	}
	return config
}

// benchName returns a name without spaces that begins with an upper-case letter, as the format requires.
func benchName(r *workloads.Result) benchfmt.Name {
	name := plain.UpperFirst(r.Workload + "/" + r.Case + "/" + r.Variant)
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
