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
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/offline"
	"assay/internal/race"
	uichart "assay/ui/chart"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/ui/view"
	"assay/workloads"
)

// The real window needs the main goroutine, which a test does not get: the test starts its own binary again, and
// TestMain then plays the user in a window instead of running tests.
const windowVariable = "ASSAY_TEST_WINDOW"

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == serveOwn {
		os.Exit(serves())
	}
	if dir := os.Getenv(windowVariable); dir != "" {
		if err := offline.Forbid(); err != nil { // the window opens no network socket, or ends
			fmt.Println(err)
		}
		os.Exit(inWindow(dir, 0, (*user).play))
	}
	if dir := os.Getenv(picturesVariable); dir != "" {
		os.Exit(inWindow(dir, 0, (*user).photograph))
	}
	if dir := os.Getenv(movesVariable); dir != "" {
		os.Exit(inWindow(dir, 250*time.Millisecond, (*user).measure))
	}
	if dir := os.Getenv(endlessVariable); dir != "" {
		os.Exit(runEndlessly(dir))
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

// play is what the user does.
func (u *user) play() error {
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"see the engines", u.seeEngines},
		{"tune", u.tune},
		{"run", u.run},
		{"read the chart", u.readChart},
		{"read the results", u.readResults},
		{"export", u.export},
		{"visit every page", u.visit},
		{"write a kernel", u.writeKernel},
		{"enlarge the text", u.enlarge},
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

func (u *user) seeEngines() error {
	return until("the list of engines", 30*time.Second, func() bool { return len(u.window.Model.Engines) == 2 })
}

func (u *user) run() error {
	quick := uiFind(u, func(c *kit.Check) bool { return c.Text == "Quick" })
	if err := u.click(quick); err != nil {
		return err
	}
	if err := until("Quick", 5*time.Second, func() bool { return quick.Checked }); err != nil {
		return err
	}
	// As small as possible, without libraries that a machine may lack: the window is under test.
	if err := see(func() error {
		return errors.Join(u.enter("Largest matrix", "128"), u.enter("Largest batch", "2"), u.turnOff("Library"))
	}); err != nil {
		return err
	}
	if err := u.click(u.button("Run")); err != nil {
		return err
	}
	if err := until("a run", 20*time.Second, func() bool { return u.window.Model.Outcome().Phase != desk.Idle }); err != nil {
		return err
	}
	return until("its end", 2*time.Minute, func() bool { return u.window.Model.Outcome().Phase == desk.Finished })
}

// enter writes into the entry of a parameter. It is called on the UI goroutine.
func (u *user) enter(title, value string) error {
	e, ok := uitest.Entry(u.window.content(), title)
	if !ok {
		return fmt.Errorf("no entry for %s", title)
	}
	e.SetText(value)
	return nil
}

// turnOff turns the switch of a parameter off. It is called on the UI goroutine.
func (u *user) turnOff(title string) error {
	s, ok := uitest.Beside[*kit.Switch](u.window.content(), title)
	if !ok || !s.On {
		return fmt.Errorf("no switch for %s that is on", title)
	}
	s.Tapped(nil)
	return nil
}

// cells returns what the table of results shows, its heads first. It is called on the UI goroutine.
func (u *user) cells() ([][]string, error) {
	table, ok := uitest.Find(u.window.front, func(t *kit.TableView) bool { return t.Rows() > 0 })
	if !ok {
		return nil, errors.New("no table of results is on show")
	}
	return uitest.Cells(table), nil
}

// readChart checks what the Run page shows after the run.
func (u *user) readChart() error {
	return see(func() error {
		_, plots := uitest.Find(u.window.content(), func(p *uichart.Plot) bool { return p.Size().Width > 0 })
		segments := uitest.Segments(u.window.front)
		if !plots || !slices.Contains(segments, "matmul") || !slices.Contains(segments, "mlp") {
			return fmt.Errorf("a chart %v of %v; want charts of matmul and mlp", plots, segments)
		}
		if !uitest.Says(u.window.content(), "Finished after") {
			return errors.New("the end of the run is not told")
		}
		for i, r := range u.window.Model.Outcome().Results {
			if r.Status != workloads.OK {
				return fmt.Errorf("result %d, %s of %s, is %q: %s", i, r.Variant, r.Case, r.Status, r.Failure.Text)
			}
			// The kernels shared the processor with the window, which therefore drew between samples.
			if ticks, redraws := r.Number(workloads.OwnTicks), r.Number(workloads.OwnRedraws); ticks != 0 || redraws != 0 {
				return fmt.Errorf("result %d had %g readings and %g redraws a second among its samples", i, ticks, redraws)
			}
		}
		return nil
	})
}

// readResults goes from the chart to the table of all results.
func (u *user) readResults() error {
	want := see(func() int { return len(u.window.Model.Outcome().Results) })
	if err := u.click(u.button(fmt.Sprintf("All Results (%d)", want))); err != nil {
		return err
	}
	if err := until("the table", 10*time.Second, func() bool {
		_, err := u.cells()
		return err == nil && u.window.pages[u.window.at].Name == desk.PageResults
	}); err != nil {
		return err
	}
	cells, err := see2(u.cells)
	if err == nil && (len(cells)-1 != want || want < 4) {
		err = fmt.Errorf("%d rows of %d results, want 4 or more", len(cells)-1, want)
	}
	return err
}

// export saves the run through the dialog and compares the file with the results.
func (u *user) export() error {
	fyne.DoAndWait(func() { u.window.Settings.Store.SetString("export.folder", u.dir) })
	if err := u.answerSave(); err != nil {
		return err
	}
	path := see(func() string { return filepath.Join(u.dir, u.window.Model.Outcome().Run.Meta.ID+".csv") })
	if err := until("the message", 10*time.Second, func() bool {
		return uitest.Says(u.window.content(), "Exported ")
	}); err != nil {
		return err
	}
	return u.compare(path)
}

// answerSave requests an export and presses Save in the dialog. Nobody can press the panel that macOS has instead.
func (u *user) answerSave() error {
	if runtime.GOOS == "darwin" {
		fyne.DoAndWait(func() {
			u.window.AskBy(&uitest.Chooser{Path: filepath.Join(u.dir, u.window.Model.Outcome().Run.Meta.ID+".csv")})
			u.window.export(report.CSV())
		})
		return nil
	}
	if err := u.press("e", func() { u.window.export(report.CSV()) }); err != nil {
		return err
	}
	if err := until("the save dialog", 10*time.Second, u.window.Modal); err != nil {
		return err
	}
	save := uiFind(u, func(b *widget.Button) bool { return b.Text == "Save" && b.Size().Width > 0 })
	if save == nil {
		return errors.New("the dialog has no Save")
	}
	return u.click(save)
}

// compare checks that the file has a row for each result, with the same content as the table of results.
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
	cells, err := see2(u.cells)
	if err != nil {
		return err
	}
	if len(rows) != len(cells) {
		return fmt.Errorf("%s has %d rows below its head, the table %d", path, len(rows)-1, len(cells)-1)
	}
	for i, row := range rows[1:] {
		if err := compareRow(columns(rows[0], row), columns(cells[0], cells[i+1])); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	return nil
}

// columns returns the fields of a row by the names of their columns.
func columns(names, row []string) map[string]string {
	byName := map[string]string{}
	for i, name := range names {
		byName[name] = row[i]
	}
	return byName
}

// compareRow compares a row of the file with one of the table.
func compareRow(file, shown map[string]string) error {
	seconds, err := strconv.ParseFloat(file["time_s"], 64)
	if err != nil {
		return err
	}
	want := []string{shown["Case"], shown["Variant"], shown["Time"], shown["Samples"]}
	got := []string{file["case"], file["variant"], view.Quantity(seconds, "s"), file["samples"]}
	if !slices.Equal(got, want) {
		return fmt.Errorf("the file has %v, the table %v", got, want)
	}
	return nil
}

// visit goes to every page by mouse, and back to the first by key.
func (u *user) visit() error {
	for i, p := range u.window.pages {
		if err := u.click(u.window.rail.Options[i]); err != nil {
			return err
		}
		if err := until(p.Title, 10*time.Second, func() bool {
			return u.window.at == i && u.window.rooms[i].Visible() && u.window.front.Size().Width > 0
		}); err != nil {
			return err
		}
	}
	if err := u.press("1", func() { u.window.showPage(0) }); err != nil {
		return err
	}
	return until("the first page", 10*time.Second, func() bool { return u.window.at == 0 })
}

// enlarge shows every page with the largest text: the window keeps its size, and its content ends where the window does.
func (u *user) enlarge() error {
	if race.On { // laying out all pages takes many seconds, on one goroutine
		fyne.DoAndWait(func() { u.window.showPage(0) })
		return nil
	}
	canvas := u.window.Window.Canvas()
	before := see(canvas.Size)
	fyne.DoAndWait(func() { u.window.SetTextSize(kit.MaxTextSize) })
	for i, p := range u.window.pages {
		fyne.DoAndWait(func() { u.window.showPage(i) })
		time.Sleep(300 * time.Millisecond) // for Fyne to find new minimum sizes, and the window manager to answer
		content := see(u.window.content)
		end := see(func() fyne.Size {
			at := fyne.CurrentApp().Driver().AbsolutePositionForObject(content)
			return content.Size().AddWidthHeight(at.X, at.Y)
		})
		if now := see(canvas.Size); now != before || end != now {
			return fmt.Errorf("%s: the window was %v and is %v; its content ends at %v", p.Title, before, now, end)
		}
	}
	fyne.DoAndWait(func() { u.window.SetTextSize(kit.UsualTextSize); u.window.showPage(0) })
	return nil
}

// stop starts a long run and stops it.
func (u *user) stop() error {
	fyne.DoAndWait(func() {
		u.window.SetQuick(false)
		u.window.do(desk.ResetForm)
	})
	if err := u.press("r", u.window.StartRun); err != nil {
		return err
	}
	if err := until("progress", 30*time.Second, func() bool {
		o := u.window.Model.Outcome()
		return o.Phase == desk.Running && o.Progress.Total > 0
	}); err != nil {
		return err
	}
	asked := time.Now()
	if err := u.click(u.button("Stop")); err != nil {
		return err
	}
	if err := until("the end", 10*time.Second, func() bool { return u.window.Model.Outcome().Phase == desk.Stopped }); err != nil {
		return err
	}
	fmt.Printf("          stopped %.0f ms after the mouse began to move to Stop\n", time.Since(asked).Seconds()*1e3)
	return nil
}

// quit closes the window while a run is in progress.
func (u *user) quit() error {
	if err := u.press("r", u.window.StartRun); err != nil {
		return err
	}
	if err := until("a run", 30*time.Second, func() bool { return u.window.Model.Outcome().Phase == desk.Running }); err != nil {
		return err
	}
	id := see(func() string { return u.window.Model.Outcome().Meta.ID })
	if err := u.press("q", u.window.quit); err != nil {
		return err
	}
	<-u.window.closed
	data, err := os.ReadFile(filepath.Join(u.dir, "runs", id+bundle.Extension, "run.json"))
	if err != nil {
		return err
	}
	if !strings.Contains(string(data), `"stopped"`) {
		return fmt.Errorf("the bundle of the run that was going on does not say stopped: %s", data)
	}
	return nil
}
