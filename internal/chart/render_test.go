package chart

import (
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fyne.io/fyne/v2/theme"
)

func newTestRenderer(t testing.TB) *Renderer {
	t.Helper()
	r, err := NewRenderer(theme.DefaultTextFont().Content())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func render(r *Renderer, m Model, st Style, w, h int, scale float64) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, int(float64(w)*scale), int(float64(h)*scale)))
	r.Draw(img, &m, st, scale)
	return img
}

func writePNG(t testing.TB, path string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, img); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkLive600x240 adds a sample and draws: the cost of one tick of a live chart.
func BenchmarkLive600x240(b *testing.B) {
	for _, c := range []struct {
		name   string
		window float64
	}{{"Minute", 60}, {"WholeRun", WholeRun}} {
		b.Run(c.name, func(b *testing.B) {
			r := newTestRenderer(b)
			l := NewLive(LiveConfig{Series: []string{"Read", "Write"}, Y: Axis{Unit: "B/s", FromZero: true}, Window: c.window})
			m, img := liveModel(300), image.NewRGBA(image.Rect(0, 0, 600, 240))
			at := 0
			tick := func() {
				_ = l.Append(float64(at)/5, m.Series[0].Y[at%300], m.Series[1].Y[at%300])
				at++
			}
			for range 30_000 {
				tick()
			}
			r.Draw(img, &l.m, DarkStyle(), 1)
			b.ReportAllocs()
			for b.Loop() {
				tick()
				r.Draw(img, &l.m, DarkStyle(), 1)
			}
		})
	}
}

func BenchmarkDraw600x240(b *testing.B) {
	for _, bc := range []struct {
		name string
		edit func(*Model)
	}{
		{"Filled", func(*Model) {}},
		{"Lines", func(m *Model) { m.Series[0].Fill, m.Series[1].Fill = false, false }},
	} {
		b.Run(bc.name, func(b *testing.B) {
			r, m := newTestRenderer(b), liveModel(300)
			bc.edit(&m)
			img := image.NewRGBA(image.Rect(0, 0, 600, 240))
			r.Draw(img, &m, DarkStyle(), 1)
			b.ReportAllocs()
			for b.Loop() {
				r.Draw(img, &m, DarkStyle(), 1)
			}
		})
	}
}

// BenchmarkRuleLabels draws live charts with rules, whose labels avoid the data.
func BenchmarkRuleLabels(b *testing.B) {
	r, m := newTestRenderer(b), liveModel(300)
	m.Rules = []Rule{{Y: 2e11, Label: "alert at 200 GB/s"}, {Y: 1e11, Label: "alert at 100 GB/s"}}
	img := image.NewRGBA(image.Rect(0, 0, 600, 240))
	for b.Loop() {
		r.Draw(img, &m, DarkStyle(), 1)
	}
}
