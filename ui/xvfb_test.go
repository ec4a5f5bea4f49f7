package ui

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/assets"
	"assay/gpu/cpu"
	"assay/monitor"
	"assay/workloads"
)

// The real window needs the main goroutine, which a test does not get: the test starts its own binary again, and
// TestMain then plays the user in a window instead of running tests.
const windowVariable = "ASSAY_TEST_WINDOW"

func TestMain(m *testing.M) {
	if dir := os.Getenv(windowVariable); dir != "" {
		os.Exit(playWindow(dir))
	}
	os.Exit(m.Run())
}

// TestRealWindow drives a whole quick run in a real window with a real engine, by mouse and keyboard where xdotool is
// installed.
func TestRealWindow(t *testing.T) {
	if !HasDisplay() {
		t.Skip("no display: set DISPLAY, or run it as: xvfb-run -a go test ./ui")
	}
	if testing.Short() {
		t.Skip("a real run takes seconds")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	dir := t.TempDir()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), windowVariable+"="+dir, "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("the window: %v", err)
	}
	if !strings.Contains(string(out), "the window has closed") {
		t.Error("the window ended before its time")
	}
}

// user plays a user in a real window.
type user struct {
	desk  *desk
	dir   string
	tool  string // xdotool, empty without it
	began time.Time
}

// playWindow opens the window, has a user use it, and returns an exit code.
func playWindow(dir string) int {
	s, err := app.New(app.Config{
		Version: "test", RunsDir: filepath.Join(dir, "runs"), Workloads: workloads.All(), Sources: monitor.Sources(),
		Engines: []app.Engine{
			{Name: "metal", Title: "Metal", Missing: "not part of this test"},
			{Name: "cpu", Title: "CPU", Open: cpu.Open},
		},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s.Start()
	d := open(fyneapp.NewWithID(assets.ID), s)
	d.window.SetTitle(testTitle())
	d.listen()
	u := &user{desk: d, dir: dir, began: time.Now()}
	u.tool, _ = exec.LookPath("xdotool") // absent: widgets are tapped directly
	failure := make(chan error, 1)
	go func() {
		err := u.play()
		if err != nil {
			fyne.Do(d.quit)
		}
		failure <- err
	}()
	d.window.ShowAndRun()
	if err := errors.Join(<-failure, s.Close()); err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	if cost, ok := d.hop.cost(); ok {
		fmt.Printf("%d updates of the window, %.2f ms each\n", d.hop.redraws, cost*1e3)
	}
	fmt.Println("the window has closed")
	return 0
}

// play is what the user does.
func (u *user) play() error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"see the engines", u.seeEngines},
		{"run", u.run},
		{"read the table", u.readTable},
		{"export", u.export},
		{"stop a run", u.stop},
		{"quit", u.quit},
	} {
		if err := step.do(); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
		fmt.Printf("%6.2f s: %s\n", time.Since(u.began).Seconds(), step.what)
	}
	return nil
}

// see evaluates f on the UI goroutine.
func see[T any](f func() T) T {
	var v T
	fyne.DoAndWait(func() { v = f() })
	return v
}

// until waits for f to become true on the UI goroutine.
func until(what string, limit time.Duration, f func() bool) error {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if see(f) {
			return nil
		}
	}
	return fmt.Errorf("waited %v in vain for %s", limit, what)
}

// click presses the left button on an object.
func (u *user) click(o fyne.CanvasObject) error {
	if u.tool == "" {
		fyne.DoAndWait(func() { o.(fyne.Tappable).Tapped(&fyne.PointEvent{}) })
		return nil
	}
	type spot struct{ x, y int }
	at := see(func() spot {
		p := fyne.CurrentApp().Driver().AbsolutePositionForObject(o).AddXY(o.Size().Width/2, o.Size().Height/2)
		scale := u.desk.window.Canvas().Scale()
		return spot{int(p.X * scale), int(p.Y * scale)}
	})
	id, err := u.windowID()
	if err != nil {
		return err
	}
	return u.xdotool("mousemove", "--window", id, strconv.Itoa(at.x), strconv.Itoa(at.y), "sleep", "0.1", "click", "1")
}

// testTitle tells this window from others on the display.
func testTitle() string { return fmt.Sprintf("Assay test %d", os.Getpid()) }

func (u *user) windowID() (string, error) {
	out, err := exec.Command(u.tool, "search", "--name", "^"+testTitle()+"$").Output()
	ids := strings.Fields(string(out))
	if err != nil || len(ids) == 0 {
		return "", fmt.Errorf("xdotool finds no window named %s: %v", testTitle(), err)
	}
	return ids[len(ids)-1], nil
}

func (u *user) xdotool(args ...string) error {
	if out, err := exec.Command(u.tool, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("xdotool %v: %w: %s", args, err, out)
	}
	return nil
}

// press presses a key with Control; without xdotool it does what the key would.
func (u *user) press(key string, does func()) error {
	if u.tool == "" {
		fyne.DoAndWait(does)
		return nil
	}
	id, err := u.windowID()
	if err != nil {
		return err
	}
	return u.xdotool("windowfocus", "--sync", id, "sleep", "0.1", "key", "ctrl+"+key)
}

func (u *user) seeEngines() error {
	return until("the list of engines", 30*time.Second, func() bool { return len(u.desk.model.engines) == 2 })
}

func (u *user) run() error {
	if err := u.click(u.desk.run.head.quick); err != nil {
		return err
	}
	if err := until("Quick", 5*time.Second, func() bool { return u.desk.run.head.quick.Checked }); err != nil {
		return err
	}
	// As small as can be: what is tested is the window.
	fyne.DoAndWait(func() {
		for _, f := range u.desk.run.form().fields {
			if f.param.Name == "max_size" {
				f.entry.SetText("128")
			}
			if f.param.Name == "max_batch" {
				f.entry.SetText("4")
			}
		}
	})
	if err := u.click(u.desk.run.head.start); err != nil {
		return err
	}
	if err := until("a run", 20*time.Second, func() bool { return u.desk.model.outcome().phase != idle }); err != nil {
		return err
	}
	return until("its end", 2*time.Minute, func() bool { return u.desk.model.outcome().phase == finished })
}

// readTable checks what is on show after the run.
func (u *user) readTable() error {
	return see(func() error {
		t := u.desk.run.results.table
		if len(t.rows) < 4 || len(u.desk.run.results.plots) != 2 {
			return fmt.Errorf("%d rows and %d charts, want 4 or more and 2", len(t.rows), len(u.desk.run.results.plots))
		}
		for i := range t.rows {
			if got := t.cellText(i, 2); got != "verified" {
				return fmt.Errorf("row %d is %q: %s", i, got, t.rows[i].Reason)
			}
		}
		return nil
	})
}

// export saves the run through the dialog and compares the file with the table.
func (u *user) export() error {
	fyne.DoAndWait(func() { u.desk.settings.setFolder(u.dir) })
	if err := u.answerSave(); err != nil {
		return err
	}
	path := see(func() string { return filepath.Join(u.dir, u.desk.model.outcome().run.Meta.ID+".csv") })
	if err := until("the message", 10*time.Second, func() bool {
		return strings.HasPrefix(u.desk.run.head.status.content, "Exported")
	}); err != nil {
		return err
	}
	return u.compare(path)
}

// answerSave asks for an export and presses Save in the dialog. Nobody can press the panel that macOS has instead.
func (u *user) answerSave() error {
	if runtime.GOOS == "darwin" {
		fyne.DoAndWait(func() {
			u.desk.files = &fakeChooser{path: filepath.Join(u.dir, u.desk.model.outcome().run.Meta.ID+".csv")}
			u.desk.exportCSV()
		})
		return nil
	}
	if err := u.press("e", u.desk.exportCSV); err != nil {
		return err
	}
	var save *widget.Button
	if err := until("the save dialog", 10*time.Second, func() bool {
		save = u.buttonNamed("Save")
		return save != nil && save.Size().Width > 0
	}); err != nil {
		return err
	}
	return u.click(save)
}

// buttonNamed finds a button of the dialog on top.
func (u *user) buttonNamed(name string) *widget.Button {
	top := u.desk.window.Canvas().Overlays().Top()
	if top == nil {
		return nil
	}
	var found *widget.Button
	walk(top, fyne.Position{}, false, func(o fyne.CanvasObject, _ fyne.Position, _ bool) {
		if b, ok := o.(*widget.Button); ok && b.Text == name {
			found = b
		}
	})
	return found
}

// compare checks that the file has a row for each row of the table, and the same in it.
func (u *user) compare(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	return see(func() error {
		t := u.desk.run.results.table
		if len(rows) != len(t.rows)+1 {
			return fmt.Errorf("%s has %d rows below its head, the table has %d", path, len(rows)-1, len(t.rows))
		}
		at := map[string]int{}
		for i, name := range rows[0] {
			at[name] = i
		}
		for i, row := range rows[1:] {
			seconds, err := strconv.ParseFloat(row[at["time_s"]], 64)
			if err != nil {
				return fmt.Errorf("row %d: %w", i, err)
			}
			want := []string{t.cellText(i, 0), t.cellText(i, 1), t.cellText(i, 3)}
			got := []string{row[at["case"]], row[at["variant"]], quantity(seconds, "s")}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				return fmt.Errorf("row %d of the file has %v, the table %v", i, got, want)
			}
		}
		return nil
	})
}

// stop starts a long run and stops it.
func (u *user) stop() error {
	fyne.DoAndWait(func() {
		u.desk.run.head.quick.SetChecked(false)
		u.desk.resetForm()
	})
	if err := u.press("r", u.desk.startRun); err != nil {
		return err
	}
	if err := until("progress", 30*time.Second, func() bool {
		o := u.desk.model.outcome()
		return o.phase == running && o.progress.Total > 0
	}); err != nil {
		return err
	}
	asked := time.Now()
	if err := u.click(u.desk.run.head.stop); err != nil {
		return err
	}
	if err := until("the end", 10*time.Second, func() bool { return u.desk.model.outcome().phase == stopped }); err != nil {
		return err
	}
	fmt.Printf("          stopped %.0f ms after the mouse began to move to Stop\n", time.Since(asked).Seconds()*1e3)
	return nil
}

// quit closes the window while a run is going on.
func (u *user) quit() error {
	if err := u.press("r", u.desk.startRun); err != nil {
		return err
	}
	if err := until("a run", 30*time.Second, func() bool { return u.desk.model.outcome().phase == running }); err != nil {
		return err
	}
	id := see(func() string { return u.desk.model.outcome().meta.ID })
	if err := u.press("q", u.desk.quit); err != nil {
		return err
	}
	<-u.desk.closed
	data, err := os.ReadFile(filepath.Join(u.dir, "runs", id+app.BundleExtension, "run.json"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), `"stopped"`) {
		return fmt.Errorf("the bundle of the run that was going on does not say stopped: %s", data)
	}
	return nil
}
