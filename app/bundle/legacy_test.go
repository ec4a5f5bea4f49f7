package bundle

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/app/internal/runstest"
	"assay/internal/metric"
	"assay/workloads"
)

// testdata/v0.1.0.assayrun is as version 0.1.0 wrote it, except that monitor.csv has only two ticks and the machine's
// names were changed.
const oldBundle = "testdata/v0.1.0.assayrun"

func loadOld(t *testing.T) *Run {
	t.Helper()
	r, err := Load(oldBundle)
	runstest.Check(t, err)
	return r
}

func find(t *testing.T, r *Run, variant string) *workloads.Result {
	t.Helper()
	for i := range r.Results {
		if r.Results[i].Variant == variant {
			return &r.Results[i]
		}
	}
	t.Fatalf("no result %s", variant)
	return nil
}

func TestOldBundleLoads(t *testing.T) {
	r := loadOld(t)
	if len(r.Results) != 4 || len(r.Notes) != 0 || !r.OK() || len(r.Snapshots) != 2 || r.Meta.Version != "0.1.0" || r.Meta.Schema != Schema {
		t.Fatalf("%d results, notes %q, %d snapshots, version %s, schema %d", len(r.Results), r.Notes, len(r.Snapshots), r.Meta.Version, r.Meta.Schema)
	}
	ids := map[string]bool{}
	for i := range r.Results {
		res := &r.Results[i]
		if len(res.Samples) != 10 || len(res.Warnings) > 1 && res.Warnings[0].Text == "" || ids[res.ID] || res.ID == "" {
			t.Errorf("%s: %d samples, warnings %q, ID %q", res.Variant, len(res.Samples), res.Warnings, res.ID)
		}
		ids[res.ID] = true
	}
	fused := find(t, r, "fused")
	for name, want := range map[metric.Name]float64{
		workloads.Time: 0.0011190349996468285, workloads.Throughput: 2e6 / 0.0011190349996468285, workloads.Bandwidth: 1.2e7 / 0.0011190349996468285,
		workloads.Dispatches: 1, workloads.ErrorMax: 0,
	} {
		if got := fused.Number(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if fused.Speedup().Median != 1.8867928507140466 || fused.Baseline != "separate" || fused.Setting("elements") != 1000000 {
		t.Errorf("speedup %+v against %q at %v", fused.Speedup(), fused.Baseline, fused.Setting("elements"))
	}
}

// In version 0.1.0 the errors of a quantization were errors of its weights.
func TestOldErrorsOfWeightsAreThoseOfWeights(t *testing.T) {
	int4 := find(t, loadOld(t), "int4 block 64")
	if !math.IsNaN(int4.Number(workloads.ErrorRel)) || !(int4.Number("weight_error_rel") > 0.01) || !(int4.Number("snr_db") > 20) {
		t.Errorf("output %v, weights %v, SNR %v", int4.Number(workloads.ErrorRel), int4.Number("weight_error_rel"), int4.Number("snr_db"))
	}
	if int4.MarkText() != "smallest, fastest" {
		t.Errorf("marks %v", int4.Marks)
	}
}

func TestOldBundleInALibrary(t *testing.T) {
	s := Summarize(oldBundle)
	if s.Problem != "" || s.State != Finished || s.Results != 4 || s.Verified != 4 || s.Leaks != 0 {
		t.Errorf("%+v", s)
	}
}

// Rewritten by this version, an old run has the new names and no old ones.
func TestOldBundleWrittenAgain(t *testing.T) {
	r := loadOld(t)
	var buf bytes.Buffer
	runstest.Check(t, WriteRows(&buf, Columns(&r.Meta), r.Results))
	rows, err := csv.NewReader(&buf).ReadAll()
	runstest.Check(t, err)
	header := "," + strings.Join(rows[0], ",") + ","
	for name, want := range map[string]bool{
		"flops_per_s": true, "bytes_per_s": true, "weight_error_rel": true, "snr_db": true, "gflops": false, "gbps": false, "marks": false,
	} {
		if strings.Contains(header, ","+name+",") != want {
			t.Errorf("column %s: %v, want %v in %s", name, !want, want, header)
		}
	}
}

// Version 0.1.0 withdrew a leak by its title: the leak of the current case, the last one.
func TestOldLeaksAreWithdrawnOneByOne(t *testing.T) {
	events := upgradeEvents(&Meta{Schema: 1}, []Event{
		{Kind: LeakFound, Title: "Live memory grows", Text: "case a"},
		{Kind: AlertRaised, Title: "Hot"},
		{Kind: LeakFound, Title: "Live memory grows", Text: "case b"},
		{Kind: AlertCleared, Title: "Live memory grows"},
		{Kind: AlertCleared, Title: "Hot"},
	})
	if got := leaks(events); len(got) != 1 || got[0].Text != "case a" || events[4].Kind != AlertCleared {
		t.Errorf("leaks %+v", got)
	}
}

func TestOldFailures(t *testing.T) {
	for words, want := range map[string]workloads.FailureKind{
		"fusion: submit: device lost: hung": workloads.DeviceLost, `/m.safetensors: no tensor "x"; it has y`: workloads.NoTensor,
		"write: no space left on device": workloads.DiskFull, "something else": "",
	} {
		if got := oldFailure(words); got != want {
			t.Errorf("%q is %q, want %q", words, got, want)
		}
	}
}

// A run of schema 2 named settings of the whole run like what differs between the cases, and schema 3 had a column for
// each such parameter.
func TestSchemas2And3(t *testing.T) {
	for schema, column := range map[string]string{"2": "param_note", "3": "set_note"} {
		t.Run(schema, func(t *testing.T) { testSetColumns(t, schema, column) })
	}
	if names := NewNames("param_rate"); !slices.Contains(names, "set_rate") || !slices.Contains(names, "param_rate") {
		t.Errorf("names %v", names)
	}
}

// testSetColumns loads a run of a schema that stored settings of the whole run in a column.
func testSetColumns(t *testing.T, schema, column string) {
	dir := writeBundle(t, t.TempDir()).Dir()
	was, err := Load(dir)
	runstest.Check(t, err)
	for name, change := range map[string][2]string{
		runFile: {`"schema": 5`, `"schema": ` + schema}, resultsFile: {",settings,", "," + column + ","},
	} {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		runstest.Check(t, err)
		text := strings.Replace(string(data), change[0], change[1], 1)
		if text == string(data) {
			t.Fatalf("%s has no %s", name, change[0])
		}
		runstest.Check(t, os.WriteFile(path, []byte(text), 0o644))
	}
	got, err := Load(dir)
	runstest.Check(t, err)
	runstest.Same(t, "results", got.Results, was.Results)
	if len(got.Notes) != 0 || len(got.Meta.Metrics) != len(was.Meta.Metrics) {
		t.Errorf("notes %v, %d metrics", got.Notes, len(got.Meta.Metrics))
	}
}

func TestOldKindsOfFindings(t *testing.T) {
	for schema, want := range map[int]string{1: workloads.KindPays, 2: workloads.KindPays, Schema: "pays throughout"} {
		got := upgradeFindings(&Meta{Schema: schema}, []workloads.Finding{{Kind: "pays throughout"}, {Kind: workloads.KindKnee}}, nil)
		if got[0].Kind != want || got[1].Kind != workloads.KindKnee {
			t.Errorf("schema %d: %q and %q", schema, got[0].Kind, got[1].Kind)
		}
	}
}
