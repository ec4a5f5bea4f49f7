package ui

import (
	"image/png"
	"os"
	"testing"
)

func TestDraft(t *testing.T) {
	for _, s := range []string{"empty", "running", "finished", "failed"} {
		for _, a := range []appearance{alwaysDark, alwaysLight} {
			for _, size := range [][2]float32{{1280, 800}, {1100, 700}} {
				d, _ := newTestDesk(t, a, size[0], size[1])
				play(d, s)
				t.Log(s, d.window.Content().MinSize(), d.window.Canvas().Size())
				f, _ := os.Create("/tmp/shots/" + s + "-" + string(a) + "-" + itoa(int(size[0])) + ".png")
				png.Encode(f, d.window.Canvas().Capture())
				f.Close()
			}
		}
	}
}
