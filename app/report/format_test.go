package report

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

func TestFormat(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct{ got, want string }{
		{FormatInterval(stats.Interval{Median: 1e-3, Lo: 0.99e-3, Hi: 1.01e-3}), "1.00 ms ± 1.0 %"},
		{FormatInterval(stats.Interval{Median: 1e-3, Lo: -inf, Hi: inf}), "1.00 ms"},
		{FormatInterval(stats.Interval{Median: nan, Lo: nan, Hi: nan}), si.Unknown},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// tableTexts are the heads and the rows of Table.
func tableTexts(meta *bundle.Meta, all []workloads.Workload, results []workloads.Result) (header []string, rows [][]string) {
	rows = make([][]string, len(results))
	for _, c := range Table(meta, all, results) {
		header = append(header, c.Head)
		for i, text := range c.Texts {
			rows[i] = append(rows[i], text)
		}
	}
	return header, rows
}

func TestTable(t *testing.T) {
	header, rows := tableTexts(&bundle.Meta{Jobs: plainMeta0().Jobs}, []workloads.Workload{runstest.Workload()}, []workloads.Result{runstest.Verified(64, 40), runstest.Failed()})
	want := []string{"Case", "Variant", "Time", "± %", "Samples", "TFLOP/s", "GB/s", "Max error", "Fidelity, dB", "Notes"}
	if !reflect.DeepEqual(header, want) {
		t.Fatalf("header %q, want %q", header, want)
	}
	if rows[0][2] != "21.4 µs" || rows[0][4] != "40" || rows[1][2] != "" || rows[0][8] != "infinite" {
		t.Errorf("rows %q", rows)
	}
	if notes := rows[1][9]; notes != "Wrong result: =HYPERLINK(\"x\")\\nwrong result, line 2" {
		t.Errorf("notes %q", notes)
	}
	if h, r := tableTexts(&bundle.Meta{}, nil, nil); len(r) != 0 || len(h) != 2 {
		t.Errorf("of nothing: %q %q", h, r)
	}
}

// A sweep of batches that begins with one item has a rate in every row; a workload of single items has none.
func TestTableItems(t *testing.T) {
	one, many, failed, other := runstest.Verified(64, 12), runstest.Verified(128, 12), runstest.Failed(), runstest.Verified(256, 12)
	many.Values.SetNumber(workloads.Items, 8)
	workloads.Metrics().Derive(&many.Values)
	other.Workload = "single"
	header, rows := tableTexts(&bundle.Meta{}, nil, []workloads.Result{one, many, failed, other})
	at := slices.Index(header, "Items/s")
	if at < 0 {
		t.Fatalf("header %q", header)
	}
	var got []string
	for _, row := range rows {
		got = append(got, row[at])
	}
	if want := []string{si.Format(one.Number(workloads.ItemRate), "1/s"), si.Format(many.Number(workloads.ItemRate), "1/s"), "", ""}; !slices.Equal(got, want) {
		t.Errorf("items per second %q, want %q", got, want)
	}
}

// Shares are in percent wherever people read them; the head says so if the cell does not.
func TestShares(t *testing.T) {
	c := metricColumns(&metric.Metric{Name: "reuse_rate", Title: "Reuse rate", Unit: "ratio", Shape: metric.Scalar})[0]
	var r workloads.Result
	r.Values.SetNumber("reuse_rate", 0.9348)
	if head, cell := c.short(); head != "Reuse rate, %" || cell(&r) != "93.5" || c.Text(&r) != "93.5 %" || c.Value(&r) != 0.9348 {
		t.Errorf("%q: %q, %q, %v", head, cell(&r), c.Text(&r), c.Value(&r))
	}
}

// The variation of a share is in percentage points, even if the share is 0; other intervals are relative.
func TestIntervalsOfShares(t *testing.T) {
	lost := metricColumns(&metric.Metric{Name: "lost", Title: "Lost", Unit: "ratio", Shape: metric.Interval})[1]
	took := metricColumns(&metric.Metric{Name: "took", Title: "Took", Unit: "s", Shape: metric.Interval})[1]
	var r workloads.Result
	r.Values.Set("lost", stats.Interval{Median: 0, Lo: -0.004, Hi: 0.006})
	r.Values.Set("took", stats.Interval{Median: 2, Lo: 1.9, Hi: 2.1})
	if head, cell := lost.short(); head != "± points" || cell(&r) != "0.5" || lost.Text(&r) != "± 0.5 points" || lost.Value(&r) != 0.5 {
		t.Errorf("%q: %q, %q, %v", head, cell(&r), lost.Text(&r), lost.Value(&r))
	}
	if head, cell := took.short(); head != "± %" || cell(&r) != "5.0" || took.Text(&r) != "± 5.0 %" {
		t.Errorf("%q: %q, %q", head, cell(&r), took.Text(&r))
	}
	var none workloads.Result
	if lost.Text(&none) != "" || took.Text(&none) != "" {
		t.Errorf("without a value: %q and %q", lost.Text(&none), took.Text(&none))
	}
}

// Two rates in the same unit do not have the same head.
func TestRatesHaveHeadsOfTheirOwn(t *testing.T) {
	first := metricColumns(&metric.Metric{Name: "a_per_s", Title: "Bandwidth", Unit: "B/s", Shape: metric.Scalar, Of: "a"})[0]
	second := metricColumns(&metric.Metric{Name: "b_per_s", Title: "Moved", Unit: "B/s", Shape: metric.Scalar, Of: "b"})[0]
	var r workloads.Result
	r.Values.SetNumber("a_per_s", 2e9)
	r.Values.SetNumber("b_per_s", 1e9)
	results, heads := []*workloads.Result{&r}, map[string]bool{}
	a, b := markdownOf(&first, results, heads), markdownOf(&second, results, heads)
	if a.head != "GB/s" || b.head != "Moved, GB/s" || b.cells[0] != "1.00" {
		t.Errorf("%q and %q, %q", a.head, b.head, b.cells)
	}
}
