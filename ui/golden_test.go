package ui

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "write the goldens in testdata anew")

// Looks that are compared: every state in both appearances and at both sizes.
var looks = []struct {
	state         string
	appearance    appearance
	width, height float32
}{
	{"empty", alwaysLight, 1280, 800},
	{"empty", alwaysDark, 1100, 700},
	{"running", alwaysDark, 1280, 800},
	{"running", alwaysLight, 1100, 700},
	{"finished", alwaysLight, 1280, 800},
	{"finished", alwaysDark, 1100, 700},
	{"failed", alwaysDark, 1280, 800},
	{"failed", alwaysLight, 1100, 700},
}

// TestGoldens compares the window with pictures that a person has looked at.
func TestGoldens(t *testing.T) {
	for _, l := range looks {
		name := fmt.Sprintf("%s-%s-%.0f", l.state, l.appearance, l.width)
		t.Run(name, func(t *testing.T) {
			d, _ := newTestDesk(t, l.appearance, l.width, l.height)
			play(d, l.state)
			got := d.window.Canvas().Capture()
			path := filepath.Join("testdata", name+".png")
			if *update {
				writePNG(t, path, got)
				return
			}
			if part, err := difference(path, got); err != nil || part > tolerated {
				failed := filepath.Join(t.ArtifactDir(), name+".png")
				writePNG(t, failed, got)
				t.Errorf("%.2f %% of the pixels differ from %s, at most %.2f %% may (%v); see %s",
					100*part, path, 100*tolerated, err, failed)
			}
		})
	}
}

// Tolerances: a pixel differs if a channel is further off than this; this part of them may.
const (
	channelTolerance = 24
	tolerated        = 0.004
)

// difference is the part of the pixels that differ.
func difference(path string, got image.Image) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 1, err
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		return 1, err
	}
	if want.Bounds() != got.Bounds() {
		return 1, fmt.Errorf("size is %v, want %v", got.Bounds(), want.Bounds())
	}
	b, off := want.Bounds(), 0
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r1, g1, b1, _ := want.At(x, y).RGBA()
			r2, g2, b2, _ := got.At(x, y).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				off++
			}
		}
	}
	return float64(off) / float64(b.Dx()*b.Dy()), nil
}

func far(a, b uint32) bool {
	d := int(a>>8) - int(b>>8)
	return d > channelTolerance || d < -channelTolerance
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	if err := encoder.Encode(f, img); err != nil {
		t.Fatal(err)
	}
}
