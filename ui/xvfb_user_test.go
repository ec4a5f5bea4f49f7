package ui

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"assay/app"
	"assay/assets"
	"assay/gpu/cpu"
	"assay/gpu/metal"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
	"assay/ui/uitest"
	"assay/workloads/suite"
)

// user plays a user in a real window.
type user struct {
	window  *window
	session *app.Session
	dir     string
	tool    string // xdotool, empty without it
	began   time.Time
	moved   time.Time // when the watched slider last changed its value
}

// inWindow opens the window, lets a user use it, and returns an exit code. interval is that of readings; 0: the app's own.
func inWindow(dir string, interval time.Duration, play func(*user) error) int {
	s, err := app.New(app.Config{
		OwnProgram: []string{os.Args[0], serveOwn}, Version: assets.Version, RunsDir: filepath.Join(dir, "runs"), Workloads: suite.All(), Sources: monitor.Sources(),
		Interval: interval,
		Probe:    func() app.Probe { return monitor.NewProbe() },
		Engines: []app.Engine{
			{Name: "metal", Title: "Metal", Open: metal.Open},
			{Name: "cpu", Title: "CPU", Open: cpu.Open},
		},
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s.Start()
	a := fyneapp.NewWithID(assets.ID)
	store := desk.NewFileStore(app.SettingsFile())
	defer store.Flush()
	d := open(a, desk.SessionOf(s), desk.Settings{Store: store}, fyne.Do, native.ScreenSize)
	d.Window.SetTitle(testTitle())
	d.listen()
	u := &user{window: d, session: s, dir: dir, began: time.Now()}
	u.tool, _ = exec.LookPath("xdotool") // absent: widgets are tapped directly
	failure := make(chan error, 1)
	go func() {
		err := play(u)
		if err != nil {
			fyne.Do(d.quit)
		}
		failure <- err
	}()
	d.Window.ShowAndRun()
	if err := errors.Join(<-failure, s.Close()); err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	if n, cost, ok := d.Cost(); ok {
		fmt.Printf("%d updates of the window, %.2f ms each\n", n, cost*1e3)
	}
	fmt.Println("the window has closed")
	return 0
}

// see evaluates f on the UI goroutine.
func see[T any](f func() T) T {
	var v T
	fyne.DoAndWait(func() { v = f() })
	return v
}

// see2 is see for functions that may fail.
func see2[T any](f func() (T, error)) (v T, err error) {
	fyne.DoAndWait(func() { v, err = f() })
	return v, err
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
		scale := u.window.Window.Canvas().Scale()
		return spot{int(p.X * scale), int(p.Y * scale)}
	})
	id, err := u.windowID()
	if err != nil {
		return err
	}
	return u.xdotool("mousemove", "--window", id, strconv.Itoa(at.x), strconv.Itoa(at.y), "sleep", "0.1", "click", "1")
}

// testTitle distinguishes this window from others on the display.
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

// uiFind returns what fits in the window or the dialog on top; nil if nothing does.
func uiFind[T fyne.CanvasObject](u *user, fits func(T) bool) T {
	return see(func() T {
		found, ok := uitest.Find(u.window.content(), fits)
		if top := u.window.Window.Canvas().Overlays().Top(); !ok && top != nil {
			found, _ = uitest.Find(top, fits)
		}
		return found
	})
}

func (u *user) button(name string) *kit.Button {
	return uiFind(u, func(b *kit.Button) bool { return b.Text == name && b.Size().Width > 0 })
}
