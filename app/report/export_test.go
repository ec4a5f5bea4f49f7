package report

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/image/font/gofont/goregular"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/internal/chart"
	"assay/monitor"
	"assay/workloads"
)

func exportRun(t *testing.T) (*bundle.Run, []workloads.Workload) {
	t.Helper()
	all := []workloads.Workload{runstest.Workload()}
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Results(runstest.Verified(512, 12), runstest.Verified(1024, 12)))
	later := runstest.Snapshot()
	later.Time = later.Time.Add(time.Second)
	runstest.Check(t, b.Snapshot(later))
	runstest.Check(t, b.Finding(workloads.Finding{Workload: "sweep", Kind: "note", Text: "<script>alert(1)</script>"}))
	return b.Run(), all
}

func TestCharts(t *testing.T) {
	r, all := exportRun(t)
	charts := all[0].Charts(r.Results)
	if len(charts) != 1 {
		t.Fatalf("%d charts", len(charts))
	}
	c, m := charts[0], charts[0].Model
	if c.Title != "Throughput by matrix side" || m.X.Title != "Matrix side (rows)" || m.Y.Unit != "FLOP/s" || len(m.Series) != 2 {
		t.Errorf("chart %+v of %+v", c, m)
	}
	f32 := m.Series[0]
	if f32.Name != "f32" || len(f32.X) != 3 || f32.X[0] != 64 || f32.X[2] != 1024 || len(m.Marks) != 1 || m.Marks[0].X != 64 || m.Marks[0].Label != "knee" {
		t.Errorf("series %+v, marks %+v", f32, m.Marks)
	}
	for _, s := range m.Series {
		for i, x := range s.X {
			if x == 128 || (s.Bare[i] == "") != (s.Lo[i] <= s.Y[i] && s.Y[i] <= s.Hi[i]) {
				t.Errorf("%s: point %v, %v", s.Name, x, s.Y[i])
			}
		}
	}
	if len(c.Notes) != 1 || !strings.Contains(c.Notes[0], "@f16") {
		t.Errorf("notes %q: the failed result must be named", c.Notes)
	}
	if _, _, ok := m.Series[1].Interval(0); ok || m.Series[1].Bare[0] == "" {
		t.Errorf("an unbounded interval is drawn: %+v", m.Series[1])
	}
}

// Every label of a chart is escaped, and nothing in it is NaN; an empty chart says so.
func TestPicturesOfCharts(t *testing.T) {
	draw, err := chart.NewRenderer(goregular.TTF)
	runstest.Check(t, err)
	series := func(kind chart.Kind, xy ...float64) []chart.Series {
		s := chart.Series{Name: "<s>", Kind: kind, ShowMarkers: true}
		for i := 0; i < len(xy); i += 2 {
			s.X, s.Y, s.Labels = append(s.X, xy[i]), append(s.Y, xy[i+1]), append(s.Labels, "<b>&")
		}
		return []chart.Series{s}
	}
	category := chart.Axis{Scale: chart.Category, Categories: []string{"<x>", "y"}}
	for name, c := range map[string]struct {
		model chart.Model
		want  string
	}{
		"empty":        {chart.Model{}, "No data yet"},
		"one point":    {chart.Model{Series: series(chart.LineKind, 1, 5)}, "<circle"},
		"flat line":    {chart.Model{Series: series(chart.LineKind, 1, 5, 4, 5)}, "stroke-linejoin"},
		"logarithmic":  {chart.Model{Series: series(chart.LineKind, 1, 5, 4, 5), X: chart.Axis{Scale: chart.Log2}, Y: chart.Axis{Scale: chart.Log10}}, "stroke-linejoin"},
		"bars":         {chart.Model{Series: series(chart.BarKind, 0, 5, 1, 3), X: category}, "<path"},
		"one bar":      {chart.Model{Series: series(chart.BarKind, 0, 5), X: category}, "<path"},
		"scatter":      {chart.Model{Series: series(chart.PointKind, 1, 5, 4, 5), Rules: []chart.Rule{{Y: 1, Label: "no <i>difference"}}}, "difference"},
		"same x twice": {chart.Model{Series: series(chart.PointKind, 1, 5, 1, 6), Marks: []chart.Mark{{X: 1, Label: "<i>"}}}, "<circle"},
	} {
		f, err := figureOf(&chart.Chart{Model: &c.model}, draw)
		s := string(f.SVG)
		if err != nil || !strings.Contains(s, c.want) {
			t.Errorf("%s: error %v, no %s in %s", name, err, c.want, s)
		}
		for _, markup := range []string{"<b>", "<i>", "<x>", "<s>", "NaN"} {
			if strings.Contains(s, markup) {
				t.Errorf("%s: not escaped: %s", name, s)
			}
		}
	}
}

// The small pictures have the same ticks as the window, and only one line with its band.
func TestSmallPictures(t *testing.T) {
	s := chart.Series{X: []float64{0, 20, 40}, Y: []float64{1, 2, 3}, Lo: []float64{1, 1, 2}, Hi: []float64{2, 2, 4}}
	svg, caption, err := smallPicture(&chart.Model{X: chart.Axis{Unit: chart.Seconds}, Y: chart.Axis{Unit: "W"}, Series: []chart.Series{s}})
	runstest.Check(t, err)
	for _, want := range []string{">0 s<", ">20 s<", ">4<", `class="band c0`, `class="line c0`} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %s in %s", want, svg)
		}
	}
	if caption != "W" || strings.Contains(string(svg), "NaN") {
		t.Errorf("caption %q of %s", caption, svg)
	}
	if _, _, err := smallPicture(&chart.Model{Series: []chart.Series{{Name: "none"}}}); err == nil {
		t.Error("a line without points is drawn")
	}
}

// go-chart loads its font lazily; -race sees whether two first renderings collide.
func TestRenderParallel(t *testing.T) {
	r, all := exportRun(t)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			var buf bytes.Buffer
			if err := WriteHTML(&buf, r, all); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestHTML(t *testing.T) {
	r, all := exportRun(t)
	var buf bytes.Buffer
	runstest.Check(t, WriteHTML(&buf, r, all))
	page := buf.String()
	for _, want := range []string{
		"It bends.", "&lt;script&gt;alert(1)", "Wrong result: =HYPERLINK(&#34;x&#34;)", "prefers-color-scheme: dark", "<svg", "knee",
		"Not available: Temperature: no sensor, not one.", "1 wrong result, 1 leak", "Test CPU", "A sweep.", "How it was measured",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	for _, never := range []string{"<script", "src=", "href=\"http", "url(", "@import", "NaN"} {
		if strings.Contains(page, never) {
			t.Errorf("%q in a self-contained page", never)
		}
	}
	var empty bytes.Buffer
	runstest.Check(t, WriteHTML(&empty, &bundle.Run{}, nil))
	if !strings.Contains(empty.String(), "Empty run") {
		t.Error("the page of an empty run does not say so")
	}
}

// The report names the limits of the control group only if there are any.
func TestHTMLNamesLimits(t *testing.T) {
	r, all := exportRun(t)
	for _, c := range []struct {
		quota  float64
		memory uint64
		want   string // after "Limited to"; empty: it is not there
	}{{0, 0, ""}, {0.3, 500e6, "0.300 cores, 500 MB of memory"}, {0, 2e9, "2.00 GB of memory"}} {
		r.Meta.Host.CPUQuota, r.Meta.Host.MemoryLimit = c.quota, c.memory
		var page bytes.Buffer
		runstest.Check(t, WriteHTML(&page, r, all))
		_, after, named := strings.Cut(page.String(), "Limited to")
		if named != (c.want != "") || !strings.Contains(after[:min(len(after), 100)], c.want) {
			t.Errorf("%+v: %q", c, after[:min(len(after), 100)])
		}
	}
}

// A case with several variants is a heading above them, and not a column; a section appears only if it has content.
func TestHTMLSections(t *testing.T) {
	w := runstest.Workload()
	w.Question = "Which size?"
	all := []workloads.Workload{w}
	r := comparedRun("r", timed("one", 1e-3, 0.01, 20, 1), timed("one", 1e-3, 0.01, 20, 2), timed("two", 1e-3, 0.01, 20, 3))
	for i := range r.Results {
		r.Results[i].Variant = []string{"f32", "f16", "f32"}[i]
	}
	r.Meta.State = bundle.Finished
	r.Findings = []workloads.Finding{{Workload: "sweep", Text: "Use 64."}, {Workload: "sweep", Text: "Or 128."}}
	r.Events = []bundle.Event{{Kind: bundle.Noted, Title: "Pool", Text: "as left"}}
	write := func() string {
		var buf bytes.Buffer
		runstest.Check(t, WriteHTML(&buf, r, all))
		return buf.String()
	}
	page := write()
	for _, want := range []string{
		`<p class="answer"><span>Which size?</span> Use 64.</p>`, "<h2>More findings</h2>\n<ul><li>Or 128.</li></ul>", "<h2>Notes</h2>",
		`colspan="`, `<thead><tr><th class="left">Variant</th>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q in the page", want)
		}
	}
	if n := strings.Count(page, ">one</th>"); n != 1 {
		t.Errorf("the case stands %d times, want once", n)
	}
	for _, never := range []string{"Leaks and alerts", "While it ran"} {
		if strings.Contains(page, never) {
			t.Errorf("a section without content: %s", never)
		}
	}
	r.Events, r.Results = []bundle.Event{{Kind: bundle.AlertRaised, Title: "Hot"}}, r.Results[1:]
	if page = write(); !strings.Contains(page, "Leaks and alerts") || strings.Contains(page, "<h2>Notes</h2>") || !strings.Contains(page, `<th class="left">Case</th>`) {
		t.Error("an alert is missing, notes are not, or cases of one variant have no column")
	}
}

// Shares are drawn from 0 to 100 %, the CPU as what Assay and other programs used.
func TestTimelinesOfShares(t *testing.T) {
	r := comparedRun("r")
	for i := range 3 {
		r.Snapshots = append(r.Snapshots, monitor.Snapshot{Time: runstest.Began().Add(time.Duration(i) * time.Second), Readings: []monitor.Reading{
			{Metric: monitor.HostCPU, Value: 0.75, Status: monitor.OK},
			{Metric: monitor.ProcessCPU, Value: 1, Status: monitor.OK}, // share of one core, out of two
		}})
	}
	lines := timelines(r)
	i := slices.IndexFunc(lines, func(l timeline) bool { return l.model != nil })
	if i < 0 {
		t.Fatal("no timeline")
	}
	cpu := lines[i]
	m := cpu.model
	if len(cpu.key) != 2 || len(m.Series) != 2 || m.Y.Min != 0 || m.Y.Max != 1 {
		t.Fatalf("%s: key %v, %d series, axis %+v", cpu.title, cpu.key, len(m.Series), m.Y)
	}
	if own, others := m.Series[0], m.Series[1]; own.Hi[0] != 0.5 || others.Lo[0] != 0.5 || others.Hi[0] != 0.75 {
		t.Errorf("own %v, others %v to %v", own.Hi, others.Lo, others.Hi)
	}
	f, err := timelineFigure(&cpu)
	runstest.Check(t, err)
	for _, want := range []string{">100 %<", ">0 %<", "band c1"} {
		if !strings.Contains(string(f.SVG), want) {
			t.Errorf("no %s in %s", want, f.SVG)
		}
	}
}

// exported is the format of that name.
func exported(name string) *Format {
	list := Formats()
	return &list[slices.IndexFunc(list, func(f Format) bool { return f.Name == name })]
}

func TestJSON(t *testing.T) {
	r, all := exportRun(t)
	path := filepath.Join(t.TempDir(), "run.json")
	runstest.Check(t, exported("json").File(t.Context(), r, all, path))
	data, err := os.ReadFile(path)
	runstest.Check(t, err)
	var got struct {
		Run     bundle.Meta
		Results []map[string]any
		Events  []bundle.Event
		Monitor []map[string]any
	}
	runstest.Check(t, json.Unmarshal(data, &got))
	first := got.Results[0]
	for _, c := range bundle.Columns(&r.Meta) {
		if _, ok := first[c.Name]; !ok {
			t.Errorf("no field %s", c.Name)
		}
	}
	if n := len(first["samples_s"].([]any)); n != 12 || first["samples"] != 12.0 || first["param_size"] != 64.0 {
		t.Errorf("%d samples, result %v", n, first)
	}
	if first["fidelity_db"] != "inf" || first["settings"] != "note==1+1; rate=10.0" || first["grade"] != "" {
		t.Errorf("result %v", first)
	}
	if first["simulated"] != false || first["marks"] != "knee" {
		t.Errorf("simulated %v, marks %v", first["simulated"], first["marks"])
	}
	if kinds := first["mark_kinds"].([]any); len(kinds) != 1 || kinds[0] != "knee" {
		t.Errorf("mark_kinds %v", kinds)
	}
	if kinds, ok := got.Results[1]["mark_kinds"].([]any); !ok || len(kinds) != 0 {
		t.Errorf("mark_kinds of a row without findings: %v, want an empty list", got.Results[1]["mark_kinds"])
	}
	if w := first["warnings"].([]any); len(w) != 2 || w[0].(map[string]any)["kind"] != "interval" {
		t.Errorf("warnings %v", first["warnings"])
	}
	if len(got.Monitor) != 6 || got.Monitor[2]["value"] != nil || got.Monitor[0]["value"] != 0.25 {
		t.Errorf("monitor %v", got.Monitor)
	}
	if got.Run.ID != r.Meta.ID || len(got.Events) != len(r.Events) {
		t.Errorf("run %+v, events %v", got.Run, got.Events)
	}
}

func TestExportFileRefuses(t *testing.T) {
	r, all := exportRun(t)
	dir := t.TempDir()
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "no", "x.csv"), filepath.Join(dir, "no", "x.csv") + ": "},
		{dir, "it is a folder"},
	} {
		err := exported("csv").File(t.Context(), r, all, c.path)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("to %s: got %v, want %q", c.path, err, c.want)
		}
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

// No export may present a simulator's times as a device's.
func TestEveryExportSaysSimulated(t *testing.T) {
	run, all := exportRun(t)
	for _, format := range Formats() {
		for _, simulated := range []bool{false, true} {
			run.Meta.Engine.Simulated = simulated
			path := filepath.Join(t.TempDir(), "x."+format.Extension)
			if err := format.File(t.Context(), run, all, path); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			says := regexp.MustCompile(`device",true,|"simulated": ?true|simulated: times|simulated: yes`).Match(data)
			if says != simulated {
				t.Errorf("%s of a device that is simulated (%v) says %v:\n%.2000s", format.Name, simulated, says, data)
			}
		}
	}
}

// The JSON of a run is written piece by piece, and equals what encoding/json makes of it.
func TestJSONIsStreamed(t *testing.T) {
	r, all := exportRun(t)
	for name, run := range map[string]*bundle.Run{"a run": r, "nothing": {Meta: r.Meta}} {
		var whole struct {
			Run     *bundle.Meta      `json:"run"`
			Results []json.RawMessage `json:"results"`
			Events  []json.RawMessage `json:"events"`
			Monitor []json.RawMessage `json:"monitor"`
		}
		var got, want bytes.Buffer
		runstest.Check(t, WriteJSON(&got, run, all))
		runstest.Check(t, json.Unmarshal(got.Bytes(), &whole))
		if len(whole.Results) != len(run.Results) || len(whole.Events) != len(run.Events) || len(whole.Monitor) < len(run.Snapshots) {
			t.Errorf("%s: %d results, %d events, %d readings", name, len(whole.Results), len(whole.Events), len(whole.Monitor))
		}
		e := json.NewEncoder(&want)
		e.SetIndent("", " ")
		runstest.Check(t, e.Encode(whole))
		if got.String() != want.String() {
			t.Errorf("%s: it is written as\n%s\nwant\n%s", name, got.String(), want.String())
		}
	}
	long := *r
	long.Snapshots = slices.Repeat(r.Snapshots[:1], 5000)
	pieces := largest{}
	runstest.Check(t, WriteJSON(&pieces, &long, all))
	if pieces.all < 1<<20 || pieces.most > 1<<17 {
		t.Errorf("%d bytes were written in pieces of up to %d", pieces.all, pieces.most)
	}
}

// largest counts the bytes of all writes and of the largest.
type largest struct{ all, most int }

func (l *largest) Write(p []byte) (int, error) {
	l.all, l.most = l.all+len(p), max(l.most, len(p))
	return len(p), nil
}

// An interrupted export leaves nothing behind, and the old file stays.
func TestExportEndsWithItsContext(t *testing.T) {
	r, all := exportRun(t)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, f := range Formats() {
		path := filepath.Join(dir, f.Name)
		runstest.Check(t, os.WriteFile(path, []byte("old"), 0o600))
		if err := f.File(ctx, r, all, path); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", f.Name, err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
			t.Errorf("%s: %q, %v", f.Name, text, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != len(Formats()) {
		t.Errorf("left: %v, %v", left, err)
	}
}

// The guide explains every column, and distinguishes what differs between cases from what was set for the run.
func TestColumnGuide(t *testing.T) {
	r, all := exportRun(t)
	var buf bytes.Buffer
	runstest.Check(t, WriteColumns(&buf, r, all))
	guide := buf.String()
	for _, c := range columns(r, all) {
		if !regexp.MustCompile("(?m)^\\| `" + c.Name + "` \\| [^|]*\\| [^|]{5,} \\|$").MatchString(guide) {
			t.Errorf("column %s is not explained:\n%s", c.Name, guide)
		}
	}
	for _, want := range []string{
		"| `param_size` | rows | Matrix side. Differs between the cases. |", "| `rate` |  | Rate. ", "| `time_lo_s` | s |", "| `speedup_hi` | × | Upper end of the 95 % interval of speedup. |",
	} {
		if !strings.Contains(guide, want) {
			t.Errorf("no %q in\n%s", want, guide)
		}
	}
}
