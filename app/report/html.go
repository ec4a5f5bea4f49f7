package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"golang.org/x/image/font/gofont/goregular"

	"assay/app/advice"
	"assay/app/bundle"
	"assay/internal/chart"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
)

//go:embed report.html.tmpl
var pageTemplate string

//go:embed report.css
var pageStyle string

// page is the data of the template.
type page struct {
	Style      template.CSS
	Title      string
	Subtitle   string
	Verdict    verdict
	Answers    []answer
	Findings   []string // apart from the answers
	Advice     []piece
	LeftOut    string // of the advice
	Facts      []fact
	Sections   []section
	Events     []eventLine // leaks, alerts and errors
	Notes      []eventLine // what else happened
	References []ReferenceTable
	Timelines  []figure
	Of         string   // what timelines show, if that is not obvious
	Missing    []string // timelines without readings, and why
	Method     []string
	Footer     string
}

type fact struct{ Name, Value string }

type section struct {
	Title, About string
	Settings     []fact
	Figures      []figure
	Header       []tableCell
	Rows         []tableRow
	Pairs        PairTable
	Kernels      []variantKernels
	Empty        string
}

type tableRow struct {
	Class string
	Case  string // a heading above the row; empty: none
	Cells []tableCell
	Notes string // on a separate line: they are long
	Span  int
}

type tableCell struct{ Class, Text string }

type figure struct {
	Title   string
	Caption string        // title of Y, if not in the picture
	Key     []string      // names of the colors; empty: there is one
	SVG     template.HTML // its renderer escapes every label
	Caveat  string        // of everything shown; empty: none
	Notes   []string      // what is not drawn, and why
}

type eventLine struct{ Class, Severity, Time, Title, Text string }

// WriteHTML writes one self-contained page: no script and nothing from the network.
func WriteHTML(w io.Writer, r *bundle.Run, all []workloads.Workload) error {
	t, err := template.New("report").Parse(pageTemplate)
	if err != nil {
		return err
	}
	p, err := newPage(r, all)
	if err != nil {
		return err
	}
	var buf strings.Builder
	if err := t.Execute(&buf, p); err != nil {
		return err
	}
	_, err = io.WriteString(w, plain.Lines(buf.String())) // only affects texts of the run
	return err
}

func newPage(r *bundle.Run, all []workloads.Workload) (*page, error) {
	p := &page{
		Style: template.CSS(pageStyle), Verdict: verdictOf(r), Facts: facts(r),
		Method: method(&r.Meta, r.Results), Footer: "Assay " + r.Meta.Version + " · run " + r.Meta.ID,
	}
	p.Answers, p.Findings = answers(r, all)
	p.Advice, p.LeftOut = adviceOf(r, all), advice.LeftOut(r)
	p.Events, p.Notes = eventLines(r)
	draw, err := chart.NewRenderer(goregular.TTF) // for text widths; the page fits its font to them
	if err != nil {
		return nil, err
	}
	var titles []string
	for _, name := range ran(r) {
		w, err := workloads.Find(all, name)
		if err != nil { // measured by another version; its numbers are still valid
			w = &workloads.Workload{Name: name, Title: name, About: "This version of Assay does not know this workload."}
		}
		s, err := sectionOf(r, w, all, draw)
		if err != nil {
			return nil, err
		}
		titles = append(titles, w.Title)
		p.Sections = append(p.Sections, s)
	}
	if r.Meta.Watch != nil {
		if err := p.watch(r, draw); err != nil {
			return nil, err
		}
		titles = []string{"Watch: " + plain.Text(r.Meta.Watch.Name)}
	}
	p.Title = strings.Join(titles, ", ")
	if p.Title == "" {
		p.Title = "Empty run"
	}
	p.Subtitle = subtitle(r)
	p.References = References(r)
	for _, l := range timelines(r) {
		if l.model == nil {
			p.Missing = append(p.Missing, l.title+": "+l.reason+".")
			continue
		}
		f, err := timelineFigure(&l)
		if err != nil {
			return nil, err
		}
		p.Timelines = append(p.Timelines, f)
	}
	return p, nil
}

// subtitle says where and when a run was made.
func subtitle(r *bundle.Run) string {
	when := r.Meta.Started.Format("2 January 2006, 15:04")
	if w := r.Meta.Watch; w != nil {
		return fmt.Sprintf("process %d · %s", w.PID, when)
	}
	return fmt.Sprintf("%s · %s engine · %s", orUnknown(r.Meta.Engine.Device), orUnknown(r.Meta.Engine.Engine), when)
}

// watch adds what was seen of a watched program to the page.
func (p *page) watch(r *bundle.Run, draw *chart.Renderer) error {
	s, err := watchSection(r, draw)
	p.Sections = append(p.Sections, s)
	p.Verdict, p.Method = watchVerdict(r), watchMethod()
	p.Of = "Readings of the whole machine and of Assay itself. Those of the watched program are above."
	p.Facts = slices.DeleteFunc(p.Facts, func(f fact) bool { return f.Name == "Seed" })
	return err
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

// ran lists the workloads of a run in order.
func ran(r *bundle.Run) []string {
	var names []string
	add := func(name string) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, j := range r.Meta.Jobs {
		add(j.Workload)
	}
	for i := range r.Results {
		add(r.Results[i].Workload)
	}
	return names
}

func facts(r *bundle.Run) []fact {
	m := &r.Meta
	engine := m.Engine.Engine
	if m.Engine.Simulated {
		engine += ", simulated: times are not from real hardware"
	}
	if why := m.WhyEngine(); why != "" {
		engine += " (" + why + ")"
	}
	duration := "not finished"
	if !m.Finished.IsZero() {
		duration = si.Duration(m.Finished.Sub(m.Started).Seconds())
	}
	list := []fact{
		{"Engine", engine},
		{"Device", m.Engine.Device},
		{"Clock", m.Engine.Clock},
		{"Measurement", m.Caveat()},
		{"Kernels", tunedKernels(m)},
		{"Taken over", TakenOver(r)},
		{"Features", strings.Join(m.Engine.Features, ", ")},
		{"Processor", m.Host.CPU},
		{"Cores", coresText(m)},
		{"Memory", m.Host.Memory()},
		{"Limited to", m.Host.Limits()},
		{"System", strings.TrimSpace(m.Host.Platform + " · " + m.Host.Kernel + " · " + m.Host.Arch)},
		{"Virtual", m.Host.Virtual},
		{"Beside", Beside(r)},
		{"Assay itself", OwnCost(r.Results)},
		{"Duration", duration},
		{"The device works", m.DutyCycle()},
		{"Time", NewReplay(r).TimeSpent()},
		{"Energy", m.RunEnergy.String()},
		{"Seed", fmt.Sprint(m.Seed)},
		{"Commit", m.Commit.String()},
		{"Self-test of the device", m.SelfTest.String()},
		{"Tags", strings.Join(r.Labels.Tags, ", ")},
		{"Note", r.Labels.Note},
		{"For the advisor", m.Purpose},
		{"Built with", m.Go},
	}
	return slices.DeleteFunc(list, func(f fact) bool { return strings.Trim(f.Value, " ·") == "" })
}

// tunedKernels says that tuned choices replace the defaults; empty: they do not.
func tunedKernels(m *bundle.Meta) string {
	if !m.Tuned {
		return ""
	}
	return "tuned for this device where a search found a faster one; results name them"
}

func coresText(m *bundle.Meta) string {
	if m.Host.Threads == 0 {
		return ""
	}
	if m.Host.Cores == 0 {
		return fmt.Sprintf("%d threads", m.Host.Threads)
	}
	return fmt.Sprintf("%d cores, %d threads", m.Host.Cores, m.Host.Threads)
}

func sectionOf(r *bundle.Run, w *workloads.Workload, all []workloads.Workload, draw *chart.Renderer) (section, error) {
	s := section{Title: w.Title, About: w.About, Settings: settings(r, w)}
	charts := w.Charts(r.Results)
	for i := range charts {
		charts[i].Model = MarkCaveats(&r.Meta, charts[i].Model)
		f, err := figureOf(&charts[i], draw)
		if err != nil {
			return s, err
		}
		if why := r.Meta.Fallback(); why != "" {
			f.Caveat = "Fallback to the CPU: " + why + "."
		}
		s.Figures = append(s.Figures, f)
	}
	var mine []workloads.Result
	for i := range r.Results {
		if r.Results[i].Workload == w.Name {
			mine = append(mine, r.Results[i])
		}
	}
	if len(mine) == 0 {
		s.Empty = "No results."
		if w.Control {
			s.Empty = "A control has no results; see Leaks and alerts for what the detectors found."
		}
		return s, nil
	}
	s.Pairs, s.Kernels = Pairs(w, mine), ranKernels(w, mine)
	s.fill(Table(&r.Meta, all, mine), mine)
	return s, nil
}

// fill makes a row for each result, with its notes below it. A case with several variants gets a heading above them.
func (s *section) fill(columns []TableColumn, results []workloads.Result) {
	s.Rows = make([]tableRow, len(results))
	grouped := false
	for i := range results {
		r := &results[i]
		s.Rows[i].Class = string(r.Status)
		if len(r.Marks) > 0 {
			s.Rows[i].Class += " marked"
		}
		grouped = grouped || i > 0 && r.Case == results[i-1].Case
	}
	for _, c := range columns {
		switch {
		case c.Name == "notes":
			for i, text := range c.Texts {
				s.Rows[i].Notes = text
			}
		case c.Name == "case" && grouped:
			for i, text := range c.Texts {
				if i == 0 || text != c.Texts[i-1] {
					s.Rows[i].Case = text
				}
			}
		default:
			s.add(c)
		}
	}
}

// add adds a column.
func (s *section) add(c TableColumn) {
	head, cell := "left", "name"
	if c.Number {
		head, cell = "", "num"
	}
	s.Header = append(s.Header, tableCell{head, c.Head})
	for i, text := range c.Texts {
		s.Rows[i].Cells = append(s.Rows[i].Cells, tableCell{cell, text})
		s.Rows[i].Span++
	}
}

// settings are the effective parameters of a workload's run, in the order of its form.
func settings(r *bundle.Run, w *workloads.Workload) []fact {
	var out []fact
	for _, j := range r.Meta.Jobs {
		if j.Workload != w.Name {
			continue
		}
		valid := w.Check(j.Params) == nil // otherwise parameters may be missing
		for _, p := range w.Params {
			if v, ok := j.Params[p.Name]; ok && v != "" && (!valid || w.Unused(&p, j.Params) == "") {
				out = append(out, fact{p.Title, p.Words(v)})
			}
		}
	}
	return out
}

// Size of a chart of results, in CSS pixels on a wide page, and its text size relative to the window's.
const (
	chartWidth, chartHeight = 960, 360
	chartText               = 1.15
)

func figureOf(c *chart.Chart, draw *chart.Renderer) (figure, error) {
	f := figure{Title: c.Title, Notes: c.Notes}
	svg, err := draw.SVG(c.Model, chartWidth, chartHeight, chartText)
	f.SVG = template.HTML(svg)
	return f, err
}

func timelineFigure(t *timeline) (figure, error) {
	f := figure{Title: t.title, Caption: "over time", Key: t.key}
	svg, unit, err := smallPicture(t.model)
	if unit != "" {
		f.Caption = unit + " " + f.Caption
	}
	if len(t.key) > 0 {
		f.Caption += "; the rest was idle"
	}
	f.SVG = template.HTML(svg)
	return f, err
}

// eventLines returns the leaks, alerts and errors of a run, and what else happened.
func eventLines(r *bundle.Run) (events, notes []eventLine) {
	for _, e := range r.Happenings() {
		line := eventLine{
			Class: string(e.Severity), Severity: plain.Capitalized(string(e.Kind)), Time: e.Time.Format("15:04:05"), Title: e.Title, Text: e.Text,
		}
		switch e.Kind {
		case bundle.Found, bundle.Marked: // at the top of the page, and in the charts
		case bundle.Noted, bundle.LiveTuning:
			notes = append(notes, line)
		default:
			events = append(events, line)
		}
	}
	return events, notes
}

func method(m *bundle.Meta, results []workloads.Result) []string {
	return []string{
		"Every time is a median with its 95 % confidence interval from order statistics; no distribution is assumed.",
		sampled(m) + quietly(m),
		strings.TrimSpace("Before and after timing, outputs are computed on poisoned buffers, and some of their elements compared with a float64 " +
			"reference. A failing result is listed but not charted. " + Compared(results)),
		"Outliers are counted and kept. A speedup is the median ratio of paired samples.",
		"GFLOP/s and GB/s are modeled: the kernels' operations and minimum memory traffic; 1 GB is 10⁹ bytes.",
	}
}
