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
