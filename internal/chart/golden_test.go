package chart

import (
	"flag"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the golden images")

// different counts the pixels that differ noticeably.
func different(a, b *image.RGBA) int {
	n := 0
	for i := 0; i < len(a.Pix); i += 4 {
		for c := range 4 {
			if d := int(a.Pix[i+c]) - int(b.Pix[i+c]); d > 12 || d < -12 {
				n++
				break
			}
		}
	}
	return n
}

func readPNG(t *testing.T, path string) *image.RGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	src, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(src.Bounds())
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			img.Set(x, y, src.At(x, y))
		}
	}
	return img
}

// compare checks a picture against its golden file.
func compare(t *testing.T, name string, got *image.RGBA) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		writePNG(t, path, got)
	}
	want := readPNG(t, path)
	if want.Rect != got.Rect {
		t.Fatalf("size %v, golden %v", got.Rect, want.Rect)
	}
	if n := different(got, want); n > len(got.Pix)/4/500 {
		t.Errorf("%d pixels differ from %s", n, path)
	}
}

// TestGoldenHover checks what the pointer shows, at twice the scale.
func TestGoldenHover(t *testing.T) {
	for _, c := range []struct {
		name  string
		model Model
		st    Style
		h     Hover
	}{
		{"hover-live-dark", monitorModel(), DarkStyle(), Hover{On: true, X: 580, Y: 160, All: true}},
		{"hover-live-light", monitorModel(), LightStyle(), Hover{On: true, X: 396, Y: 160, All: true}},
		{"hover-echo-dark", monitorModel(), DarkStyle(), Hover{On: true, All: true, Held: true, At: -25, Echo: true}},
		{"hover-states-light", statesModel(), LightStyle(), Hover{On: true, X: 500, Y: 160, All: true}},
		{"hover-sweep-light", tunedModel(), LightStyle(), Hover{On: true, Held: true, Series: 0, Point: 5}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newTestRenderer(t)
			img := render(r, c.model, c.st, 480, 220, 2)
			r.DrawWith(img, &c.model, c.st, 2, c.h)
			compare(t, c.name, img)
		})
	}
}

// TestGoldenStrip checks the heat strip.
func TestGoldenStrip(t *testing.T) {
	for name, st := range map[string]Style{"strip-dark": DarkStyle(), "strip-light": LightStyle()} {
		t.Run(name, func(t *testing.T) {
			s := NewStrip(StripConfig{Title: "Bytes held per size class", Unit: Bytes})
			s.SetCells(stripCells())
			s.Select(4)
			img := image.NewRGBA(image.Rect(0, 0, 560, 96))
			newTestRenderer(t).DrawStrip(img, s, st, 1, Hover{On: true, Held: true})
			compare(t, name, img)
		})
	}
}

func TestGolden(t *testing.T) {
	r := newTestRenderer(t)
	for _, s := range gallery() {
		for name, st := range map[string]Style{"dark": DarkStyle(), "light": LightStyle()} {
			t.Run(s.name+"-"+name, func(t *testing.T) {
				got := render(r, s.model, st, 320, 140, 1)
				compare(t, s.name+"-"+name, got)
			})
		}
	}
}
