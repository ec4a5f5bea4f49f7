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

// different counts the pixels that differ by more than a little.
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

func TestGolden(t *testing.T) {
	r := newTestRenderer(t)
	for _, s := range gallery() {
		for name, st := range map[string]Style{"dark": DarkStyle(), "light": LightStyle()} {
			t.Run(s.name+"-"+name, func(t *testing.T) {
				got := render(r, s.model, st, 320, 140, 1)
				path := filepath.Join("testdata", s.name+"-"+name+".png")
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
			})
		}
	}
}
