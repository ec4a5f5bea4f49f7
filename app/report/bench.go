package report

import (
	"io"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"assay/workloads"
)

// WriteBench writes the results in the format of Go's benchmarks, one line per sample, so that benchstat can compare
// runs. Only verified results have samples; the name is Workload/case/variant with spaces as "_".
func WriteBench(w io.Writer, r *Run) error {
	out := benchfmt.NewWriter(w)
	for _, unit := range []string{"FLOP/s", "B/s", "items/s"} {
		u := &benchfmt.UnitMetadata{
			UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: "higher",
		}
		if err := out.Write(u); err != nil {
			return err
		}
	}
	config := benchConfig(&r.Meta)
	for i := range r.Results {
		if err := writeBenchResult(out, &r.Results[i], config); err != nil {
			return err
		}
	}
	return nil
}

func writeBenchResult(out *benchfmt.Writer, r *workloads.Result, config []benchfmt.Config) error {
	for _, t := range r.Samples {
		line := &benchfmt.Result{
			Config: config, Name: benchName(r), Iters: max(1, r.Reps), Values: []benchfmt.Value{{Value: t, Unit: "sec/op"}},
		}
		for _, rate := range []struct {
			amount float64
			unit   string
		}{{r.Ops, "FLOP/s"}, {r.Bytes, "B/s"}, {r.Items, "items/s"}} {
			if rate.amount > 0 {
				line.Values = append(line.Values, benchfmt.Value{Value: rate.amount / t, Unit: rate.unit})
			}
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func benchConfig(m *Meta) []benchfmt.Config {
	var config []benchfmt.Config
	for _, kv := range [][2]string{
		{"goos", m.Host.OS},
		{"goarch", m.Host.Arch},
		{"cpu", m.Host.CPU},
		{"engine", m.Engine.Engine},
		{"device", m.Engine.Device},
		{"simulated", simulatedText(m)},
		{"measurement", m.tuningText()},
		{"run", m.ID},
	} {
		if kv[1] != "" {
			config = append(config, benchfmt.Config{Key: kv[0], Value: []byte(Plain(kv[1])), File: true})
		}
	}
	return config
}

// benchName is a name without spaces that begins with an upper-case letter, as the format wants it.
func benchName(r *workloads.Result) benchfmt.Name {
	name := r.Workload + "/" + r.Case + "/" + r.Variant
	name = strings.ToUpper(name[:1]) + name[1:]
	return benchfmt.Name(strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) {
			return '_'
		}
		return c
	}, Plain(name)))
}

// simulatedText is empty for a device that is there.
func simulatedText(m *Meta) string {
	if !m.Engine.Simulated {
		return ""
	}
	return "yes: times are not a device's"
}
