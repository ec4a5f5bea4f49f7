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
	off, err := difference(path, got)
	if err == nil && off <= tolerated {
		return
	}
	failed := filepath.Join(t.ArtifactDir(), name+".png")
	WritePNG(t, failed, got)
	if err != nil {
		t.Errorf("%s: %v; see %s", path, err, failed)
		return
	}
	t.Errorf("%d pixels differ from %s, at most %d may; see %s", off, path, tolerated, failed)
}

// Tolerances: a pixel differs if a channel is further off than this; this many may, fewer than a letter has.
const (
	channelTolerance = 24
	tolerated        = 8
)

// difference is the number of pixels that differ.
func difference(path string, got image.Image) (off int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		return 0, err
	}
	if want.Bounds() != got.Bounds() {
		return 0, fmt.Errorf("size is %v, want %v", got.Bounds(), want.Bounds())
	}
	b := want.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r1, g1, b1, _ := want.At(x, y).RGBA()
			r2, g2, b2, _ := got.At(x, y).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				off++
			}
		}
	}
	return off, nil
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
