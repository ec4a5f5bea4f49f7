package ui

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/gpu/cpu"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

var screenshots = flag.String("screenshots", "", "write a picture of every page, after real runs, into this folder")

// TestScreenshots draws the pictures of the README: every page in both looks, after real runs on the CPU engine.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("for make screenshots")
	}
	home := t.TempDir()
	t.Setenv("HOME", home) // paths in the pictures begin with ~
	s, err := app.New(app.Config{
		Version: "", RunsDir: filepath.Join(home, "runs"), Workloads: workloads.All(), Sources: monitor.Sources(),
		Engines: []app.Engine{
			{Name: "metal", Title: "Metal", Missing: "needs macOS"}, {Name: "cpu", Title: "CPU", Open: cpu.Open},
		},
		Interval: 250 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	w := open(test.NewTempApp(t), s, uitest.Never, func(fyne.Window) fyne.Size { return fyne.NewSize(usualWidth, usualHeight) })
	w.Window.Resize(fyne.NewSize(usualWidth, usualHeight))
	w.listen()
	defer func() {
		w.Shut()
		w.Wait()
		w.Window.Close()
		_ = s.Close()
	}()
	for _, name := range []string{"fusion", "quantization", "batching"} {
		runToTheEnd(t, w, name)
	}
	for _, look := range []kit.Appearance{kit.AlwaysLight, kit.AlwaysDark} {
		w.SetAppearance(look)
		test.ApplyTheme(t, kit.NewLook(look)) // the software driver does not follow the setting
		for i, p := range w.pages {
			w.showPage(i)
			w.Settle()
			uitest.WritePNG(t, filepath.Join(*screenshots, p.Name+"-"+string(look)+".png"), w.Window.Canvas().Capture())
		}
	}
}

// usualWidth and usualHeight are those of the first window.
const usualWidth, usualHeight = 1280, 800

// runToTheEnd runs a workload at its defaults of a quick run.
func runToTheEnd(t *testing.T, w *window, name string) {
	t.Helper()
	for i := range w.Model.Workloads {
		if w.Model.Workloads[i].Name == name {
			w.Choose(i)
		}
	}
	w.SetQuick(true)
	w.StartRun()
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(250 * time.Millisecond) {
		w.Settle()
		if o := w.Model.Outcome(); o.Phase == desk.Finished {
			return
		}
	}
	t.Fatalf("%s did not end: %+v", name, w.Model.Outcome().Progress)
}
