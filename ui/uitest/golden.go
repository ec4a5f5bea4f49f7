package uitest

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/internal/race"
)

var update = flag.Bool("update", false, "write the goldens in testdata again")

// Pictures skips a test that only draws under the race detector: it runs on one goroutine, and would take minutes.
func Pictures(t testing.TB) {
	t.Helper()
	if race.On {
		t.Skip("draws on one goroutine: nothing to race with")
	}
}

// Alone skips, under the race detector, a test that starts no goroutine. The runtime's count of created goroutines
// shows whether it does.
func Alone(t testing.TB) {
	t.Helper()
	if race.On {
		t.Skip("starts no goroutine: nothing to race with")
	}
}

// Again skips, under the race detector, a test that only opens windows and pages: their goroutines race in other tests too, and
// under the race detector each window takes seconds.
func Again(t testing.TB) {
	t.Helper()
	if race.On {
		t.Skip("windows and pages race in other tests, too")
	}
}

// Golden compares what a window shows, as text, with testdata/name.txt, which a person has read. With -update it writes that file.
func Golden(t *testing.T, name string, c fyne.Canvas) {
	t.Helper()
	CheckScene(t, c)
	path, got := filepath.Join("testdata", name+".txt"), markup(c)
	if *update {
		write(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err == nil && string(want) == got {
		return
	}
	failed := filepath.Join(t.ArtifactDir(), name+".txt")
	write(t, failed, got)
	if err != nil {
		t.Errorf("%v; see %s, and write it with -update", err, failed)
		return
	}
	t.Errorf("%s differs from %s; where it changed on purpose, -update writes it again\n%s", failed, path, changed(string(want), got))
}

// maxChanged is the maximum number of lines of a difference that are shown.
const maxChanged = 24

// changed shows the lines between the first and the last that differ.
func changed(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return marked("-", a) + marked("+", b)
}

// marked writes lines after a sign.
func marked(sign string, lines []string) string {
	rest := ""
	if more := len(lines) - maxChanged; more > 0 {
		lines, rest = lines[:maxChanged], fmt.Sprintf("%s and %d more\n", sign, more)
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(sign + l + "\n")
	}
	return b.String() + rest
}

// Picture compares the look of a window with testdata/name.png, which a person has looked at. With -update it writes
// that file. One picture per page is enough: Golden covers the rest.
func Picture(t *testing.T, name string, c fyne.Canvas) {
	t.Helper()
	path, got := filepath.Join("testdata", name+".png"), c.Capture()
	off, err := difference(path, got)
	switch {
	case err == nil && off <= tolerated:
		return
	case *update:
		WritePNG(t, path, got)
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

// Tolerances: a pixel differs if a channel is further off than the first; the second is how many may differ, fewer than a letter
// has.
const (
	channelTolerance = 24
	tolerated        = 8
)

// difference returns the number of pixels that differ.
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

// write writes a text, with the folders it needs.
func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
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
