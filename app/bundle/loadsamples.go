package bundle

import (
	"errors"
	"fmt"
	"io"

	"assay/workloads"
	"assay/workloads/measure"
)

// sampleKey identifies the result of a row of samples.csv: by its ID or, in schema 1, by its names.
type sampleKey struct{ id, workload, variant, kase string }

// attachSamples adds samples to their results. When matched by names, groups of rows and results with the same key match in
// order. Samples of a case that was in flight when the run was killed are dropped.
func attachSamples(in io.Reader, results []workloads.Result) error {
	groups, err := parseSamples(in)
	if err != nil {
		return err
	}
	for i := range results {
		r := &results[i]
		want := 0
		if n := r.Number(workloads.Samples); n > 0 {
			want = int(n)
		}
		if n := r.Number(workloads.SamplesKept); n > 0 {
			want = int(n)
		}
		for _, key := range []sampleKey{{id: r.ID}, {workload: r.Workload, variant: r.Variant, kase: flatten.Replace(r.Case)}} {
			if left := groups[key]; want > 0 && len(left) > 0 {
				r.Samples, r.SetAside, groups[key] = left[0].counted, left[0].aside, left[1:]
				break
			}
		}
		if len(r.Samples) != want {
			r.Warn(workloads.SamplesLost, fmt.Sprintf("%s contains %d of its %d samples", samplesFile, len(r.Samples), want))
		}
	}
	return nil
}

// sampleGroup is the samples of one result.
type sampleGroup struct {
	counted []float64
	aside   []measure.SetAside
}

// add adds a sample that was set aside for a reason, or one that counts if there is no reason.
func (g *sampleGroup) add(index int, seconds float64, why string) {
	n := len(g.aside)
	switch {
	case why == "":
		g.counted = append(g.counted, seconds)
	case n > 0 && g.aside[n-1].At == index && g.aside[n-1].Why == why:
		g.aside[n-1].Samples = append(g.aside[n-1].Samples, seconds)
	default:
		g.aside = append(g.aside, measure.SetAside{At: index, Samples: []float64{seconds}, Why: why})
	}
}

// parseSamples reads samples.csv. A group starts at index 0 of the samples that count. Earlier builds did not write samples set
// aside.
func parseSamples(in io.Reader) (map[sampleKey][]sampleGroup, error) {
	t, err := openTable(samplesFile, in, "workload", "case", "variant", "index", "time_s")
	if err != nil {
		return nil, err
	}
	groups := map[sampleKey][]sampleGroup{}
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			return groups, nil
		}
		if err != nil {
			return nil, err
		}
		index, err := t.int("index")
		if err != nil {
			return nil, err
		}
		v, err := t.float("time_s")
		if err != nil {
			return nil, err
		}
		key := sampleKey{id: t.text("result_id")}
		if key.id == "" {
			key = sampleKey{workload: t.text("workload"), variant: t.text("variant"), kase: t.text("case")}
		}
		why := t.text("set_aside")
		if index == 0 && why == "" || len(groups[key]) == 0 {
			groups[key] = append(groups[key], sampleGroup{})
		}
		groups[key][len(groups[key])-1].add(index, v, why)
	}
}
