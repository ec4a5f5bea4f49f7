package chart

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"assay/internal/metric"
)

// fields of the rows of these tests.
func fields(name string) Field {
	return map[string]Field{
		"size":      {Title: "Matrix side", Suffix: "rows"},
		"time":      {Title: "Time", Unit: Seconds, Better: metric.Less},
		"rate":      {Title: "Throughput", Unit: "FLOP/s", Better: metric.More},
		"intensity": {Title: "Arithmetic intensity", Suffix: "FLOP/B"},
		"bytes":     {Title: "Footprint", Unit: Bytes, Better: metric.Less},
		"tile":      {Title: "Tile"}, "threads": {Title: "Threads"}, "queue": {Title: "Queue"},
		"at": {Title: "Since the start", Unit: Seconds},
	}[name]
}

// measuredRows are a sweep of two formats.
func measuredRows() (rows []Row) {
	for i, n := range []float64{256, 512, 1024, 2048} {
		for k, format := range []string{"f32", "f16"} {
			rate := (2e11 + 6e11*float64(i)) * (1 + 0.6*float64(k))
			if i == 3 {
				rate *= 0.9
			}
			rows = append(rows, Row{
				ID: fmt.Sprintf("%s/%g", format, n), Case: fmt.Sprintf("matmul %g", n), Variant: format,
				Numbers: map[string]Number{
					"size": {n, n, n}, "rate": {rate, 0.95 * rate, 1.04 * rate}, "intensity": {n / 6 * float64(k+1), 0, 0},
					"bytes": {n * n / float64(k+1), 0, 0}, "time": {1 / rate, 1 / rate, 1 / rate},
				},
				Texts:   map[string]string{"format": format, "tile": fmt.Sprint(8 << i), "threads": fmt.Sprint(64 << k)},
				Samples: map[string][]float64{"time": scaled(wave(160, 1, 0.12, float64(k+1)), (4-float64(k))*1e-4)},
			})
		}
	}
	return rows
}

// spanRows are dispatches and copies on two queues.
func spanRows() (rows []Row) {
	for i := range 7 {
		from, name := float64(i)*2.1e-3, "dispatch"
		if i%3 == 2 {
			name = "copy"
		}
		rows = append(rows, Row{
			ID: fmt.Sprint(i), Case: fmt.Sprintf("submission %d", i), Variant: name, Texts: map[string]string{"queue": []string{"compute", "transfer"}[i%2]},
			Numbers: map[string]Number{"from": {from, from, from}, "to": {from + 1.8e-3 + 4e-4*float64(i), 0, 0}},
		})
	}
	return rows
}

func lineView() *View {
	return &View{X: Enc{Of: "size", Scale: Log2}, Y: Enc{Of: "rate", Scale: Log10}, Color: "format", Layers: []Layer{Lines{}}}
}

// only is the one chart of a view.
func only(v *View, rows []Row, found ...Finding) Chart {
	list := v.Charts(fields, rows, found)
	if len(list) != 1 {
		panic(fmt.Sprintf("%d charts", len(list)))
	}
	return list[0]
}

// layerGallery is a chart for each layer that the others lack.
func layerGallery() []sample {
	roof := Ceilings{Of: []Ceiling{{Label: "memory 10 GB/s", PerX: 1e10}, {Label: "peak", Flat: 2.8e12}}}
	views := []struct {
		name string
		view View
		rows []Row
		find []Finding
	}{
		{"histogram", View{X: Enc{Of: "time"}, Color: "format", Layers: []Layer{Histogram{Bins: 24}}}, measuredRows()[:2], nil},
		{"heat", View{X: Enc{Of: "tile"}, Y: Enc{Of: "threads"}, Layers: []Layer{Heat{Of: "rate"}}}, measuredRows(), nil},
		{"spans", View{X: Enc{Of: "at"}, Y: Enc{Of: "queue"}, Layers: []Layer{Spans{"from", "to"}}}, spanRows(), nil},
		{"stacked", View{X: Enc{Of: "size", Scale: Category}, Y: Enc{Of: "time"}, Layers: []Layer{Stacked{Total: "whole"}}}, stageRows(), nil},
		{"ceilings", View{X: Enc{Of: "intensity", Scale: Log2}, Y: Enc{Of: "rate", Scale: Log10}, Color: "format", Layers: []Layer{Points{}, roof}}, measuredRows(), nil},
		{"band", View{
			X: Enc{Of: "size", Scale: Log2}, Y: Enc{Of: "rate"}, Color: "format",
			Layers: []Layer{Band{2e12, 3e12, "expected"}, Lines{}, Rule{Y: 1e12, Label: "target"}},
		}, measuredRows(), []Finding{{Kind: "crossover", Axis: "size", At: 700, Lo: 512, Hi: 1024, Rows: []string{"f32/1024"}}}},
		{"front", View{X: Enc{Of: "bytes"}, Y: Enc{Of: "rate"}, Color: "format", Layers: []Layer{Points{}, Front{}}}, measuredRows(), nil},
		{"nosamples", View{X: Enc{Of: "at"}, Layers: []Layer{Histogram{}}}, []Row{{ID: "a", Variant: "f32", Numbers: map[string]Number{"at": {}}}}, nil},
	}
	var list []sample
	for _, v := range views {
		c := only(&v.view, v.rows, v.find...)
		list = append(list, sample{v.name, *c.Model})
	}
	return list
}

func TestViewDrawsSeriesOfRows(t *testing.T) {
	rows := measuredRows()
	slices.Reverse(rows) // a line follows X anyway
	rows[0].Missing = "wrong result"
	c := only(lineView(), rows)
	if c.Title != "Throughput by matrix side" || c.Model.X.Title != "Matrix side (rows)" || c.Model.Y.Unit != "FLOP/s" {
		t.Errorf("%q along %q in %q", c.Title, c.Model.X.Title, c.Model.Y.Unit)
	}
	if len(c.Model.Series) != 2 || !slices.Equal(c.Model.Series[0].X, []float64{256, 512, 1024, 2048}) || c.Model.Series[1].Len() != 3 {
		t.Errorf("series %+v", c.Model.Series)
	}
	if i, j, ok := c.Find("f32/512"); !ok || c.Model.Series[i].Name != "f32" || c.Model.Series[i].X[j] != 512 {
		t.Errorf("a row is found at %d, %d, %v", i, j, ok)
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "wrong result") {
		t.Errorf("notes %q", c.Notes)
	}
}

// A finding's own position is drawn; two findings about one row are both drawn.
// TestWhatAllRowsShareIsSaidOnce: a kind of finding at every point goes into the title of Y; one at some points stays there.
func TestWhatAllRowsShareIsSaidOnce(t *testing.T) {
	rows := measuredRows()
	var all []Finding
	for _, row := range rows {
		all = append(all, Finding{Kind: "disturbed", Rows: []string{row.ID}})
	}
	v := View{X: Enc{Of: "size"}, Y: Enc{Of: "rate"}, Color: "format", Layers: []Layer{Lines{}}}
	labels := func(found []Finding) (n int, title string) {
		m := v.Charts(fields, rows, found)[0].Model
		for _, s := range m.Series {
			for _, label := range s.Labels {
				if strings.Contains(label, "disturbed") {
					n++
				}
			}
		}
		return n, m.Y.Title
	}
	if n, title := labels(all); n != 0 || title != "Throughput (all disturbed)" {
		t.Errorf("all: %d labels, title %q", n, title)
	}
	rows = append(rows, Row{ID: "left out", Case: "c", Variant: "v", Missing: "not supported"})
	if n, title := labels(all); n != 0 || title != "Throughput (all disturbed)" {
		t.Errorf("all that are drawn: %d labels, title %q", n, title)
	}
	rows = rows[:len(rows)-1]
	if n, title := labels(all[1:]); n != len(rows)-1 || title != "Throughput" {
		t.Errorf("all but one: %d labels, title %q", n, title)
	}
}

// Series for which a view has no place look different from those that it has, and from each other: 25 differ in color or shape.
func TestManySeriesDiffer(t *testing.T) {
	v := lineView()
	v.Layers = []Layer{Points{}}
	var rows []Row
	for i := range 25 {
		rows = append(rows, Row{
			ID: fmt.Sprint(i), Variant: fmt.Sprintf("format %d", i), Numbers: map[string]Number{"size": {V: float64(i + 1)}, "rate": {V: 1e9}},
			Texts: map[string]string{"format": fmt.Sprintf("format %d", i)},
		})
	}
	for i := range 8 {
		v.Places = append(v.Places, fmt.Sprintf("format %d", 24-i)) // which other formats come before
	}
	for _, places := range [][]string{nil, v.Places} {
		v.Places = places
		m, like := only(v, rows).Model, map[string]string{}
		for i := range m.Series {
			s := &m.Series[i]
			look := fmt.Sprint(colorOf(s, i, true), markerOf(s, i))
			if like[look] != "" {
				t.Errorf("with %d places %s looks like %s", len(places), s.Name, like[look])
			}
			like[look] = s.Name
		}
		if len(m.Series) != len(rows) {
			t.Errorf("%d series", len(m.Series))
		}
	}
}

func TestViewDrawsFindings(t *testing.T) {
	found := []Finding{
		{Kind: "knee", Axis: "size", At: 700, Lo: 512, Hi: 1024, Rows: []string{"f32/1024"}, Of: "f32"},
		{Kind: "best", Rows: []string{"f32/1024"}},
		{Kind: "knee", Axis: "size", At: 300, Rows: []string{"elsewhere"}},
	}
	c := only(lineView(), measuredRows(), found...)
	if !slices.Equal(c.Model.Marks, []Mark{{X: 700, Label: "knee", Lo: 512, Hi: 1024}}) {
		t.Errorf("marks %+v", c.Model.Marks)
	}
	i, j, _ := c.Find("f32/1024")
	if got := c.Model.Series[i].Labels[j]; got != "best" {
		t.Errorf("the row is labeled %q", got)
	}
	found = append(found, Finding{Kind: "knee", Axis: "size", At: 2048, Rows: []string{"f16/2048"}, Of: "f16"})
	c = only(lineView(), measuredRows(), found...)
	if len(c.Model.Marks) != 2 || c.Model.Marks[0].Label != "knee f32" || c.Model.Marks[1].Label != "knee f16" {
		t.Errorf("marks %+v", c.Model.Marks)
	}
	bars := &View{X: Enc{Of: "size", Scale: Category}, Y: Enc{Of: "rate"}, Layers: []Layer{Bars{}}}
	if c = only(bars, measuredRows(), found[0]); len(c.Model.Marks) != 1 || c.Model.Marks[0].X != 1.5 {
		t.Errorf("among bars %+v, want it between the second and the third", c.Model.Marks)
	}
}

// The front of a size, of which less is better, and a rate, of which more is.
func TestFrontFollowsWhatIsBetter(t *testing.T) {
	row := func(id string, bytes, rate float64) Row {
		return Row{ID: id, Variant: id, Numbers: map[string]Number{"bytes": {bytes, bytes, bytes}, "rate": {rate, rate, rate}}}
	}
	rows := []Row{row("a", 1, 1), row("b", 2, 5), row("c", 3, 4), row("d", 4, 6), row("e", 1, 0.5)}
	v := &View{X: Enc{Of: "bytes"}, Y: Enc{Of: "rate"}, Layers: []Layer{Points{}, Front{}}}
	c := only(v, rows)
	front := c.Model.Series[len(c.Model.Series)-1]
	if !slices.Equal(front.X, []float64{1, 2, 4}) || !slices.Equal(front.Y, []float64{1, 5, 6}) {
		t.Errorf("the front is %v, %v", front.X, front.Y)
	}
	rows[4].Doubtful = true
	if c = only(v, rows); len(c.Model.Series) != len(rows) {
		t.Errorf("a front through doubtful rows: %d series of %d rows", len(c.Model.Series), len(rows))
	}
	rows[4].Doubtful = false
	v.X.Of, v.Y.Of = "size", "rate" // a size in itself is neither good nor bad
	for i := range rows {
		rows[i].Numbers["size"] = rows[i].Numbers["bytes"]
	}
	if c = only(v, rows); len(c.Model.Series) != len(rows) {
		t.Errorf("%d series of %d rows", len(c.Model.Series), len(rows))
	}
}

// Points of a series are labeled by what distinguishes them, a single one by its variant; a chart by its value with what it counts.
func TestPointsAreNamed(t *testing.T) {
	row := func(variant, format, size string) Row {
		return Row{ID: variant, Variant: variant, Numbers: map[string]Number{"bytes": {1, 1, 1}, "rate": {1, 1, 1}}, Texts: map[string]string{"format": format, "size": size}}
	}
	v := &View{Title: "Accuracy", Facet: "size", X: Enc{Of: "bytes"}, Y: Enc{Of: "rate"}, Color: "format", Layers: []Layer{Points{}}}
	rows := []Row{row("f32", "f32", "2"), row("int4 block 32", "int4", "2"), row("int8 block 32", "int8", "2"), row("int8 block 64", "int8", "2"), row("f16", "f16", "1")}
	list := v.Charts(fields, rows, nil)
	if len(list) != 2 || list[0].Title != "Accuracy: 2 rows" || list[1].Title != "Accuracy: 1 row" {
		t.Fatalf("%+v", list)
	}
	var names []string
	for _, s := range list[0].Model.Series {
		names = append(names, s.Labels...)
	}
	if want := []string{"f32", "int4 block 32", "block 32", "block 64"}; !slices.Equal(names, want) {
		t.Errorf("points are named %q, want %q", names, want)
	}
}

func TestHistogramCountsAllSamples(t *testing.T) {
	v := &View{X: Enc{Of: "time"}, Layers: []Layer{Histogram{Bins: 10}}}
	rows := []Row{{ID: "a", Variant: "a", Samples: map[string][]float64{"time": {1, 2, 2, 3, math.NaN(), 10}}}}
	s := only(v, rows).Model.Series[0]
	sum := 0.0
	for _, n := range s.Y {
		sum += n
	}
	if sum != 5 || s.Y[0] != 0 || s.Y[len(s.Y)-2] != 1 || s.X[0] != 1 || s.X[len(s.X)-1] != 10 {
		t.Errorf("counted %v at %v", s.Y, s.X)
	}
}

func TestHeatAndSpansHaveTheirBoxes(t *testing.T) {
	heat := &View{X: Enc{Of: "tile"}, Y: Enc{Of: "threads"}, Layers: []Layer{Heat{Of: "rate"}}}
	rows := measuredRows()
	delete(rows[3].Numbers, "rate")
	c := only(heat, rows)
	if len(c.Model.Boxes) != 8 || len(c.Boxes) != 8 || !math.IsNaN(c.Model.Boxes[3].Value) || c.Model.Ramp.Lo != 2e11 || len(c.Model.Y.Categories) != 2 {
		t.Errorf("%d boxes between %+v", len(c.Model.Boxes), c.Model.Ramp)
	}
	if got := c.Model.Summary(); !strings.Contains(got, "Throughput: 8 boxes, min 200 GFLOP/s at 8, 64") {
		t.Errorf("summary %q", got)
	}
	c = only(&View{X: Enc{Of: "at"}, Y: Enc{Of: "queue"}, Layers: []Layer{Spans{"from", "to"}}}, append(spanRows(), Row{ID: "open", Numbers: map[string]Number{"from": {}}}))
	if len(c.Model.Boxes) != 7 || c.Model.Boxes[2].Place != 2 || len(c.Notes) != 1 || !slices.Equal(c.Model.Y.Categories, []string{"compute", "transfer"}) {
		t.Errorf("boxes %+v, notes %q", c.Model.Boxes, c.Notes)
	}
}

// Slopes are distinguished by their dashes, and the axis says what is not known.
func TestSlopesAreDistinguished(t *testing.T) {
	v := &View{X: Enc{Of: "intensity", Scale: Log10}, Y: Enc{Of: "rate", Scale: Log10}, Layers: []Layer{
		Points{}, Ceilings{Of: []Ceiling{{Label: "slow", PerX: 1e9}, {Label: "fast", PerX: 1e10}, {Label: "peak", Flat: 1e12}}, Note: "specification: not available"},
	}}
	m := only(v, measuredRows()).Model
	dashes := map[string]Dash{}
	for i := range m.Series {
		dashes[m.Series[i].Name] = dashOf(&m.Series[i], i)
	}
	if dashes["slow"] != Dotted || dashes["fast"] != Sparse || dashes["peak"] != Dashed || !strings.HasSuffix(m.X.Title, " · specification: not available") {
		t.Errorf("dashes %v, X %q", dashes, m.X.Title)
	}
}

func TestCeilingsMeet(t *testing.T) {
	v := &View{X: Enc{Of: "intensity", Scale: Log2}, Y: Enc{Of: "rate", Scale: Log10}, Layers: []Layer{
		Points{}, Ceilings{Of: []Ceiling{{Label: "memory", PerX: 1e10}, {Label: "peak", Flat: 1e12}}},
	}}
	m := only(v, measuredRows()).Model
	slope, flat := m.Series[len(m.Series)-2], m.Series[len(m.Series)-1]
	if n := slope.Len() - 1; math.Abs(slope.X[n]-100) > 1e-6 || math.Abs(slope.Y[n]-1e12) > 1 || math.Abs(flat.X[0]-100) > 1e-6 {
		t.Errorf("the slope ends at %v, %v and the roof begins at %v", slope.X[n], slope.Y[n], flat.X[0])
	}
	v.Layers[1] = Ceilings{Missing: "the device's bandwidth is not known"}
	if notes := only(v, measuredRows()).Notes; len(notes) != 1 || notes[0] != "Ceilings not available: the device's bandwidth is not known" {
		t.Errorf("notes %q", notes)
	}
}

// The pointer shows which box it is over, and the arrow keys move from box to box.
func TestPointerAtBoxes(t *testing.T) {
	r, seen := watch(t)
	m := *only(&View{X: Enc{Of: "tile"}, Y: Enc{Of: "threads"}, Layers: []Layer{Heat{Of: "rate"}}}, measuredRows()).Model
	img := render(r, m, DarkStyle(), 480, 220, 1)
	said := func(h Hover) string {
		*seen = nil
		r.DrawHover(img, &m, h)
		var words []string
		for _, k := range *seen {
			words = append(words, k.words)
		}
		return strings.Join(words, "; ")
	}
	at, _ := r.boxRect(&m.Boxes[3])
	if got := said(Hover{On: true, X: float64(at.Min.X + 5), Y: float64(at.Min.Y + 5)}); got != "16, 128; Throughput  1.28 TFLOP/s; matmul 512, f16" {
		t.Errorf("says %q", got)
	}
	h := Hover{}
	h.MovePoint(&m, 1, 0)
	h.MovePoint(&m, 1, 0)
	if got := said(h); !strings.HasPrefix(got, "8, 128; ") {
		t.Errorf("the second box says %q", got)
	}
}

// stageRows are three stages of a job at two sizes, and the whole.
func stageRows() []Row {
	var rows []Row
	for i, size := range []string{"64", "128"} {
		for j, name := range []string{"whole", "load", "compute", "store"} {
			v := float64((i+1)*[]int{11, 2, 5, 3}[j]) / 1e3
			rows = append(rows, Row{
				ID: name + "/" + size, Case: "job " + size, Variant: name, Texts: map[string]string{"size": size},
				Numbers: map[string]Number{"time": {v, v, v}},
			})
		}
	}
	return rows
}

func TestStackedPutsStagesOnEachOther(t *testing.T) {
	rows := stageRows()
	rows[6].Missing = "wrong result" // computes at 128
	c := only(&View{X: Enc{Of: "size", Scale: Category}, Y: Enc{Of: "time"}, Layers: []Layer{Stacked{Total: "whole"}}}, rows)
	type part struct{ x, from, to float64 }
	want := []part{{0, 0, 2e-3}, {0, 2e-3, 7e-3}, {0, 7e-3, 10e-3}, {1, 0, 4e-3}, {1, 4e-3, 10e-3}}
	if len(c.Model.Boxes) != len(want) || len(c.Boxes) != len(want) || len(c.Notes) != 1 {
		t.Fatalf("boxes %+v of %q, notes %q", c.Model.Boxes, c.Boxes, c.Notes)
	}
	for i, w := range want {
		b := c.Model.Boxes[i]
		if math.Abs((b.X0+b.X1)/2-w.x) > 1e-9 || math.Abs(b.Y0-w.from) > 1e-9 || math.Abs(b.Y1-w.to) > 1e-9 {
			t.Errorf("box %d of %s is %+v, want %+v", i, c.Boxes[i], b, w)
		}
	}
	if b := c.Model.Boxes; b[4].Place != b[2].Place || b[0].Place == b[1].Place {
		t.Errorf("a stage does not keep its color: %+v", b)
	}
	if i, j, ok := c.Find("whole/128"); !ok || c.Model.Series[i].Y[j] != 22e-3 {
		t.Errorf("the whole at 128 is at %d, %d, %v", i, j, ok)
	}
}

func TestOnlySomeFacetsHaveALayer(t *testing.T) {
	v := View{Facet: "size", X: Enc{Of: "size", Scale: Category}, Y: Enc{Of: "time"}, Layers: []Layer{Bars{}, Only{[]string{"128"}, Rule{Y: 1, Label: "limit"}}}}
	list := v.Charts(fields, stageRows(), nil)
	if len(list) != 2 || len(list[0].Model.Rules) != 0 || len(list[1].Model.Rules) != 1 {
		t.Errorf("%+v", list)
	}
}

func TestReferencesStandAtTheirCategory(t *testing.T) {
	v := View{X: Enc{Of: "size", Scale: Category}, Y: Enc{Of: "time"}, Layers: []Layer{Bars{}, References{map[string][]Reference{
		"128":  {{"a guide", "M1", 2e-3}, {"a guide", "M3", 1e-3}, {"another", "M4", 3e-3}},
		"1024": {{"a guide", "M1", 9}},
	}}}}
	c := only(&v, stageRows())
	n := len(c.Model.Series)
	guide, other := c.Model.Series[n-2], c.Model.Series[n-1]
	if guide.Name != "a guide" || !slices.Equal(guide.X, []float64{1, 1}) || !slices.Equal(guide.Y, []float64{2e-3, 1e-3}) ||
		!slices.Equal(guide.Labels, []string{"M1", "M3"}) {
		t.Errorf("%+v", guide)
	}
	if other.Name != "another" || !slices.Equal(other.Y, []float64{3e-3}) {
		t.Errorf("%+v", other)
	}
	if c.Rows[n-2] != nil || c.Rows[n-1] != nil {
		t.Errorf("they have rows: %q", c.Rows)
	}
}
