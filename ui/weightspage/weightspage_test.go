package weightspage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

// stand is the page in a window.
type stand struct {
	*uitest.Stand
	*weightsPage
}

func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	s.Stand = uitest.Open(t, desk.Page{Build: func(d *desk.Desk) desk.View {
		s.weightsPage = newPage(d)
		return desk.View{Object: s.full, Update: s.update}
	}}, look, size)
	return s
}

// layers is a model of a few layers.
func layers(t testing.TB) *weighttest.GGUF {
	g := &weighttest.GGUF{Align: 32}
	add := func(name string, rows, cols int, o quant.Outliers) {
		w := make([]float32, rows*cols)
		quant.NewGenerator(uint64(len(g.Tensors)+1), cols, o).Fill(w)
		g.Tensors = append(g.Tensors, weighttest.Matrix(t, name, 0, quant.F32, w, rows))
	}
	add("token_embd.weight", 96, 256, quant.Outliers{})
	for i := range 4 {
		for _, part := range []string{"attn_q", "attn_k", "attn_v"} {
			add(fmt.Sprintf("blk.%d.%s.weight", i, part), 24, 256, quant.Outliers{})
		}
		add(fmt.Sprintf("blk.%d.ffn_down.weight", i), 32, 128, quant.Outliers{Columns: 0.02, Scale: float64(4 + 4*i)})
		g.Tensors = append(g.Tensors, weighttest.Tensor{Name: fmt.Sprintf("blk.%d.attn_norm.weight", i), Shape: []int64{256}, Data: make([]byte, 1024)})
	}
	g.Tensors = append(g.Tensors, weighttest.Tensor{Name: "scales", ID: 13, Shape: []int64{1, 256}, Data: make([]byte, 176)})
	return g
}

// modelName is where the layers are stored, as far as the page knows.
const modelName = "/home/ada/models/layers.gguf"

// surveyed is a survey of the layers.
func surveyed(t testing.TB) *app.Survey {
	t.Helper()
	session, err := app.New(app.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	r := app.SurveyRequest{Paths: []string{layers(t).Save(t)}}
	found, err := session.Weights().Survey(t.Context(), r, func(app.SurveyProgress) {})
	if err != nil {
		t.Fatal(err)
	}
	f := found.File
	f.Name, f.Paths, f.Files = modelName, []string{modelName}, []string{modelName}
	for i := range f.Tensors {
		f.Tensors[i].File, found.Tensors[i].File = modelName, modelName
	}
	return found
}

// play brings the page to a state.
func (s *stand) play(t testing.TB, state string) {
	t.Helper()
	found := surveyed(t)
	s.Session.Model = found.File
	switch state {
	case "empty":
		return
	case "damaged":
		s.Session.RefuseWeights = errors.New("/home/ada/models/layers.gguf: not a valid .gguf file: tensor \"blk.3.attn_v.weight\" ends at byte 98304, the file at 96000")
	}
	s.Desk.OpenWeights(modelName)
	s.Desk.Settle()
	if state == "damaged" || state == "open" {
		return
	}
	s.start.OnTapped()
	s.Desk.Settle()
	at := app.SurveyProgress{Done: 41, Total: 100, Tensor: "blk.1.attn_k.weight", Left: 65 * time.Second}
	at.Done, at.Total = found.File.Bytes*41/100, found.File.Bytes
	s.Desk.Take(app.SurveyUpdate{SurveyProgress: at})
	switch state {
	case "finished":
		s.Desk.Take(app.SurveyUpdate{Ended: true, Survey: found})
		s.tensors.table.Choose(0)
	case "canceled":
		s.Desk.Take(app.SurveyUpdate{Ended: true, Err: context.Canceled})
	case "failed":
		s.Desk.Take(app.SurveyUpdate{Ended: true, Err: errors.New("/home/ada/models/layers.gguf: tensor \"blk.1.attn_k.weight\": read at byte 40960: input/output error")})
	}
}

var states = []string{"empty", "damaged", "open", "running", "finished", "canceled", "failed"}

func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := open(t, l.Appearance, l.Size)
	s.play(t, l.State)
	return s.Stand
}

// The button Codes shows a chart of codes and one of weights before and after, and a failure is reported.
func TestCodesOfATensor(t *testing.T) {
	uitest.Pictures(t)
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "finished")
	if s.tensors.codes.Disabled() != (s.tensors.table.Chosen() == nil) {
		t.Error("the button does not follow the choice")
	}
	s.tensors.table.Choose(0)
	s.tensors.codes.OnTapped()
	s.Desk.Settle()
	if s.Desk.Window.Canvas().Overlays().Top() == nil {
		t.Fatal("nothing is shown")
	}
	shown := strings.Join(uitest.Texts(s.Desk.Window.Canvas().Overlays().Top()), "\n")
	for _, words := range []string{"21.5 dB, of 256 of 4,096 rows", "3 weights beyond the range of codes"} {
		if !strings.Contains(shown, words) {
			t.Errorf("%q is not in %q", words, shown)
		}
	}
}

// A bar stands for one code, or for neighbors if there are many; formats of floats have none, and say so.
func TestCodesModel(t *testing.T) {
	few := codesModel(&app.WeightsLook{First: -8, Counts: make([]int, 16)})
	many := codesModel(&app.WeightsLook{First: -128, Counts: slices.Repeat([]int{2}, 256)})
	if few.Series[0].Len() != 16 || few.X.Categories[0] != "-8" || many.Series[0].Len() != 64 || many.X.Categories[63] != "124 to 127" || many.Series[0].Y[0] != 8 {
		t.Errorf("%d bars from %q, %d bars to %q of %v", few.Series[0].Len(), few.X.Categories[0], many.Series[0].Len(), many.X.Categories[63], many.Series[0].Y[0])
	}
	if m := codesModel(&app.WeightsLook{Format: "f16"}); !strings.HasPrefix(m.Unavailable, "f16 has no codes") {
		t.Errorf("f16: %q", m.Unavailable)
	}
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

// names are those of the visible tensors.
func (s *stand) names() []string {
	var all []string
	for row := range s.tensors.table.Rows() {
		all = append(all, s.tensors.table.Item(row).Name)
	}
	return all
}

// A model is opened with the button, searched, and surveyed in the chosen formats; both choices are remembered.
func TestOpenAndSurvey(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	if !s.start.Disabled() || s.body.Visible() {
		t.Fatal("without a model there is something to survey")
	}
	c := &uitest.Chooser{Path: modelName}
	s.Desk.AskBy(c)
	s.Session.Model = surveyed(t).File
	s.weightsPage.open.OnTapped()
	s.Desk.Settle()
	if !slices.Equal(c.Last().Types, []string{"safetensors", "gguf", "json"}) || len(s.names()) != 22 || s.start.Disabled() {
		t.Fatalf("asked %+v, shows %q", c.Asked, s.names())
	}
	s.tensors.filter.Inputs[0].Entry.SetText("attn_q 256")
	if got := s.names(); len(got) != 4 || got[0] != "blk.0.attn_q.weight" {
		t.Errorf("found %q", got)
	}
	for _, l := range s.formats.lines {
		l.check.SetChecked(l.name == "q8_0" || l.name == "q4_0")
	}
	s.formats.sample.SetSelectedIndex(3)
	s.start.OnTapped()
	s.Desk.Settle()
	asked := s.Session.Surveys()
	if len(asked) != 1 || !slices.Equal(asked[0].Formats, []string{"q8_0", "q4_0"}) || asked[0].MaxRows != 0 || asked[0].Paths[0] != modelName {
		t.Fatalf("asked for %+v", asked)
	}
	if s.start.Visible() || !s.cancel.Visible() || !s.bar.Visible() || !s.weightsPage.open.Disabled() {
		t.Error("what runs can be started, and not canceled")
	}
	s.cancel.OnTapped()
	s.Desk.Take(app.SurveyUpdate{Ended: true, Err: context.Canceled})
	if s.Session.SurveysCanceled() != 1 || !strings.Contains(s.about.Content, "canceled") || !s.start.Visible() {
		t.Errorf("canceled: %q", s.about.Content)
	}
	again := newFormatCard(s.Desk, func() {})
	if !slices.Equal(again.chosen(), []string{"q8_0", "q4_0"}) || again.rows() != 0 {
		t.Errorf("remembers %q and %d rows", again.chosen(), again.rows())
	}
	for _, l := range s.formats.lines {
		l.check.SetChecked(false)
	}
	if !s.start.Disabled() {
		t.Error("a survey in no format can be started")
	}
}

// After a survey the worst tensor comes first, in the format that the filter picks.
func TestWorstFirst(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "finished")
	first := s.names()[0]
	if !strings.HasSuffix(first, "ffn_down.weight") || s.tensors.found.Formats[s.tensors.format()].Name != "q4_0" {
		t.Errorf("%s is the worst in format %d", first, s.tensors.format())
	}
	if words := s.tensors.about.Content; !strings.HasPrefix(words, first+": f16 ") || !strings.Contains(words, "q4_0 ") {
		t.Errorf("of the worst: %q", words)
	}
	s.tensors.filter.Input("format").Set("q4_K") // none of the hard ones can be in this format
	s.tensors.refill()
	if got := s.names()[0]; strings.HasSuffix(got, "ffn_down.weight") {
		t.Errorf("the worst in q4_K is %s", got)
	}
	if last := s.names()[21]; snrText(s.tensors.table.Item(21)) != "–" {
		t.Errorf("the last one, %s, has an error", last)
	}
}

// The slider immediately shows the size of the model; plan and survey are exported, and a tensor measured.
func TestPlan(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "finished")
	p := s.plan
	last := int64(0)
	for at := p.slider.Min; at <= p.slider.Max; at += 5 {
		p.slider.SetValue(at)
		if p.plan.Bytes < last || p.plan.SNR < at-1e-9 || !strings.Contains(p.size.Content, "% of the file") {
			t.Errorf("%g dB: %d B, %g dB, %q", at, p.plan.Bytes, p.plan.SNR, p.size.Content)
		}
		last = p.plan.Bytes
	}
	p.slider.SetValue(30)
	row := s.tensors.table.Item(0)
	if row.planned == nil || row.planned.Name != row.Name || planCell(row).Text == "" {
		t.Errorf("the table has no plan for %s", row.Name)
	}
	c := &uitest.Chooser{Path: "/home/ada/plan.csv"}
	s.Desk.AskBy(c)
	s.Desk.ExportWeights("the plan as CSV", "layers-plan", p.plan, app.CSVTable)
	s.Desk.Settle()
	if got := s.Session.TablesExported(); len(got) != 1 || got[0] != "/home/ada/plan.csv csv" || c.Last().Name != "layers-plan.csv" {
		t.Errorf("exported %q", got)
	}
	s.tensors.measure.OnTapped()
	v := s.Desk.Model.Proposed
	if v == nil || v.Values["file"] != modelName || v.Values["tensor"] != row.Name || v.Values["weights"] != "file" || !slices.Contains(s.Shown, desk.PageRun) {
		t.Errorf("proposed %+v", v)
	}
}

// A menu turns the slider into one of sizes; the chart has every plan, each format alone, and the current plan.
func TestPlanOfASize(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "finished")
	p := s.plan
	m := p.plot.Model()
	if len(m.Series) != 3 || m.Series[0].Len() < 3 || m.Series[1].Len() != len(p.survey.Formats) || m.Series[2].X[0] != float64(p.plan.Bytes) {
		t.Fatalf("drawn %+v", m.Series)
	}
	curve := m.Series[0]
	for i := 1; i < curve.Len(); i++ {
		if curve.X[i] < curve.X[i-1] || curve.Y[i] <= curve.Y[i-1] {
			t.Errorf("plan %d of the curve takes %g B with %g dB, the one before %g B with %g dB", i, curve.X[i], curve.Y[i], curve.X[i-1], curve.Y[i-1])
		}
	}
	p.kind.SetSelectedIndex(1)
	for _, part := range []float64{0, 0.5, 1} {
		p.slider.SetValue(p.slider.Min + part*(p.slider.Max-p.slider.Min))
		if float64(p.plan.Bytes) > p.slider.Value || !strings.HasSuffix(p.value.Content, "B") {
			t.Errorf("at most %g B, %s: %d B", p.slider.Value, p.value.Content, p.plan.Bytes)
		}
	}
	if kept, _ := s.Desk.Settings.Kept(kindChoice); kept != p.kind.Selected {
		t.Errorf("remembers %q", kept)
	}
}

// A model is loaded by the engine of the next run, and the memory it took is drawn.
func TestLoad(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "open")
	s.load.OnTapped()
	s.Desk.Settle()
	if asked := s.Session.Loads(); len(asked) != 1 || asked[0].Paths[0] != modelName || asked[0].Resident {
		t.Fatalf("asked for %+v", asked)
	}
	s.Desk.Take(app.SurveyUpdate{SurveyProgress: app.SurveyProgress{Done: 1, Total: 4, Tensor: "blk.0"}})
	if !strings.HasPrefix(s.about.Content, "Loading: 25") || !s.cancel.Visible() || !s.load.Disabled() {
		t.Errorf("while it runs: %q", s.about.Content)
	}
	l := &app.Load{
		Engine: "cpu on a processor", Tensors: 22, Bytes: 4e9, Seconds: 2, Before: 5e7, Peak: 9e7, Buffers: app.LoadPart,
		Points: []app.LoadPoint{{Process: 5e7}, {Seconds: 1, Bytes: 2e9, Process: 9e7, Buffers: app.LoadPart}},
	}
	s.Desk.Take(app.SurveyUpdate{Ended: true, Load: l})
	if !s.Desk.Modal() || s.loaded != l || s.load.Disabled() {
		t.Error("what it took is not shown")
	}
	for _, words := range []string{"4.00 GB in 22 tensors, in parts through a buffer of 33.6 MB", "2.00 GB/s", "50.0 MB before and 90.0 MB at most"} {
		if !strings.Contains(loadWords(l), words) {
			t.Errorf("%q lacks %q", loadWords(l), words)
		}
	}
	if m := loadModel(l); m.Series[0].Len() != 2 || m.Series[0].Y[1] != 9e7 || m.Series[1].Y[1] != app.LoadPart {
		t.Errorf("drawn %+v", m.Series)
	}
}

// A failure is reported; what was shown before stays.
func TestFailures(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.play(t, "finished")
	s.Session.RefuseSurvey = app.ErrBusy
	s.start.OnTapped()
	s.Desk.Settle()
	if !strings.Contains(s.about.Content, "A run is in progress") || !s.start.Visible() || s.Desk.Model.Weights.Survey == nil {
		t.Errorf("a survey during a run: %q", s.about.Content)
	}
	s.Session.RefuseWeights = errors.New("gone.gguf: no such file")
	s.Desk.OpenWeights("gone.gguf")
	s.Desk.Settle()
	if s.about.Content != "gone.gguf: no such file." || len(s.names()) != 22 {
		t.Errorf("%q, %d tensors", s.about.Content, len(s.names()))
	}
}
