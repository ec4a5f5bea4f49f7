package uitest

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

// Pictures skips a test that only draws and looks under the race detector: all of it is on one goroutine, and would take
// minutes there.
func Pictures(t testing.TB) {
	t.Helper()
	if UnderRace {
		t.Skip("draws on one goroutine: nothing to race with")
	}
}

// Golden compares a picture with testdata/name.png, which a person has looked at. With -update it writes that.
func Golden(t *testing.T, name string, got image.Image) {
	t.Helper()
	path := filepath.Join("testdata", name+".png")
	if *update {
		WritePNG(t, path, got)
		return
	}
	if part, err := difference(path, got); err != nil || part > tolerated {
		failed := filepath.Join(t.ArtifactDir(), name+".png")
		WritePNG(t, failed, got)
		t.Errorf("%.2f %% of the pixels differ from %s, at most %.2f %% may (%v); see %s", 100*part, path, 100*tolerated, err, failed)
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

// WritePNG writes a picture, with the folders it needs.
func WritePNG(t testing.TB, path string, img image.Image) {
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
