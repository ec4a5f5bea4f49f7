package app

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/internal/stats"
	"assay/workloads"
)

var keptAt = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// A kept comparison shows what it showed before, whatever its numbers are.
func TestComparisonsAreKept(t *testing.T) {
	plan := ABPlan{
		Workload: "matmul", Rounds: 16, Matters: 0.02,
		A: ABSide{Params: workloads.Values{"dtype": "f32", "size": 64}, Engine: "cpu"}, B: ABSide{Params: workloads.Values{"dtype": "f16", "size": 64}, Engine: "cpu", Variant: "=tiled"},
	}
	few := plan
	few.Rounds = 1
	disturbed := scripted(t, plan, 1, 0.8, func(n int) bool { return n == 3 })
	disturbed.Energy = &ABEnergy{Why: "A: no counter", Ratio: stats.Unknown(), Verdict: stats.Unsure}
	l := NewLibrary(t.TempDir())
	for i, r := range []*ABResult{scripted(t, plan, 1, 1.25, nil), disturbed, scripted(t, few, 1, 1, nil)} {
		r.Engine = [2]string{"cpu on x", "cpu on y"}
		var ended error
		if i == 2 {
			ended = errors.New("canceled")
		}
		rec := r.Record(keptAt.Add(time.Duration(i)*time.Second), "1.2.3", ended)
		if err := l.KeepComparison(rec); err != nil {
			t.Fatal(err)
		}
		got, err := l.Comparison("last")
		if err != nil {
			t.Fatal(err)
		}
		again := got.Comparison()
		if again.Sentence() != r.Sentence() || again.Verdict != r.Verdict || !reflect.DeepEqual(again.Pairs(), r.Pairs()) || again.ClockWords() != r.ClockWords() ||
			again.Compared() != r.Compared() || again.Wanted != r.Wanted || again.Engine != r.Engine || (again.Energy == nil) != (r.Energy == nil) || (got.Early() == nil) != (ended == nil) {
			t.Errorf("kept %+v\nread %+v", r, again)
		}
		if got.Crossover() != nil || strings.Join(got.A.Settings, "|") != "dtype=f32|variant=" || got.B.What != "dtype=f16, variant==tiled, cpu on y" {
			t.Errorf("sides: %+v, %+v", got.A, got.B)
		}
	}
	list, err := l.Comparisons()
	if err != nil || len(list) != 3 || !list[0].Measured.After(list[2].Measured) {
		t.Fatalf("%d comparisons, %v", len(list), err)
	}
	if runs, err := l.List(t.Context()); err != nil || len(runs) != 0 {
		t.Errorf("the folder of comparisons counts as a run: %v, %v", runs, err)
	}
	if _, err := l.Comparison("2026"); err == nil || !strings.Contains(err.Error(), "3 comparisons start with") {
		t.Errorf("the start of all: %v", err)
	}
	var out bytes.Buffer
	if err := list[1].WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 1+len(disturbed.Takes) || rows[2][3] != "B" || rows[2][4] != "dtype=f16 variant==tiled" || rows[3][11] != "others" {
		t.Errorf("%d rows, %v: %q", len(rows), err, rows[:min(4, len(rows))])
	}
}

func TestCrossoversAreKept(t *testing.T) {
	l := NewLibrary(t.TempDir())
	plan := CrossPlan{ABPlan: ABPlan{Workload: "matmul", Rounds: 6}, Along: "size", From: 16, To: 1024, Width: 0.05}
	r, err := BisectBy(plan, func(at int) (CrossPoint, error) {
		i := stats.Exact(float64(at) / 190)
		return CrossPoint{At: at, Speedup: stats.Estimate{Interval: i}, Verdict: stats.Rule{}.Judge(i), Rounds: 6}, nil
	}, nil)
	if err != nil || !r.Found {
		t.Fatalf("%+v, %v", r, err)
	}
	rec := r.Record(keptAt, "1", nil)
	if err := l.KeepComparison(rec); err != nil {
		t.Fatal(err)
	}
	got, err := l.Comparison(rec.ID[:20])
	if err != nil {
		t.Fatal(err)
	}
	again := got.Crossover()
	if got.Comparison() != nil || again.Sentence() != r.Sentence() || len(again.Points) != len(r.Points) || again.Lo != r.Lo || again.At != r.At {
		t.Errorf("kept %+v\nread %+v", r, again)
	}
	var out bytes.Buffer
	if err := got.WriteCSV(&out); err != nil || strings.Count(out.String(), "\n") != 1+len(r.Points) {
		t.Errorf("%v: %s", err, out.String())
	}
}

// A file that is not a comparison is reported, and does not hide the others.
func TestInvalidComparisons(t *testing.T) {
	l := NewLibrary(t.TempDir())
	plan := ABPlan{Workload: "matmul", Rounds: 6}
	if err := l.KeepComparison((&ABResult{Plan: plan}).Record(keptAt, "1", nil)); err == nil {
		t.Error("one without a round was kept")
	}
	if err := l.KeepComparison(scripted(t, plan, 1, 1, nil).Record(keptAt, "1", nil)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a": "", "b": "{}", "c": `{"workload": "x", "rounds_wanted": 6, "measurements": [{"side": "A", "time_s": 0}, {}, {}, {}]}`,
		"d": `{"workload": "x", "along": "y", "from": 3, "to": 2, "places": [{"at": 1}]}`,
	} {
		if err := os.WriteFile(filepath.Join(l.Dir(), "comparisons", name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := l.Comparisons()
	if len(list) != 1 || err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("%d, %v", len(list), err)
	}
	if _, err := l.Comparison("none"); err == nil {
		t.Error("one that is not there was found")
	}
	if err := l.RemoveComparison("../none"); err == nil {
		t.Error("one that is not there was removed")
	}
}
