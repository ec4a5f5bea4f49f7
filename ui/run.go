// Package ui is the window. It shows what an app.Session does and lets the user run, stop and export; it measures
// nothing itself. Everything in it runs on the UI goroutine; other goroutines reach it through one queue.
package ui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"

	"assay/app"
	"assay/assets"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/native"
)

// ThemeVariable is the environment variable that forces "light" or "dark".
const ThemeVariable = "ASSAY_THEME"

// IntervalVariable is the environment variable that sets the time between the monitor's ticks, such as 250ms.
const IntervalVariable = "ASSAY_INTERVAL"

// ErrNoDisplay is returned by Open if no window can be opened.
var ErrNoDisplay = errors.New(
	"no display: neither DISPLAY nor WAYLAND_DISPLAY is set; use the command line instead, such as: assay run --quick")

// HasDisplay reports whether a window can be opened: on Linux and the BSDs that needs a display server.
func HasDisplay() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// Open starts the log and a session, and runs the window on it until the user quits. If ctx ends first, for instance by a
// signal, the session is closed, so that a run's bundle is complete, and the process ends.
func Open(ctx context.Context, c app.Config, documents []string) error {
	if err := app.StartLog(app.UserPaths().Logs, c.Version); err != nil {
		fmt.Fprintln(os.Stderr, "assay:", err) // and continue without a log
	}
	if err := setInterval(&c, os.Getenv(IntervalVariable)); err != nil {
		return err
	}
	store := desk.NewFileStore(app.SettingsFile())
	defer store.Flush()
	startAs(&c, desk.Settings{Store: store})
	s, err := app.New(c)
	if err != nil {
		return err
	}
	s.Start()
	defer context.AfterFunc(ctx, func() { _ = s.Close(); store.Flush(); os.Exit(interrupted) })()
	return run(s, store, documents...)
}

// startAs turns on what the settings request from the start. What cannot be turned on is reported and stays off.
func startAs(c *app.Config, s desk.Settings) {
	var err error
	if s.Validates() {
		err = c.Validate()
	}
	if s.Captures() && len(c.Capturing) > 0 {
		err = errors.Join(err, c.AllowCaptures())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "assay:", err)
	}
}

// setInterval parses the monitor's interval; an empty text leaves it unchanged.
func setInterval(c *app.Config, words string) error {
	if words == "" {
		return nil
	}
	d, err := time.ParseDuration(words)
	if err != nil || d < monitor.MinInterval {
		return fmt.Errorf("%s is %q, want a time from %v, such as 250ms", IntervalVariable, words, monitor.MinInterval)
	}
	c.Interval = d
	return nil
}

// interrupted is the exit status of a program that a signal ended.
const interrupted = 130

// run opens the window on a started session, with these documents, and returns when the user has quit. It must be called
// on the main goroutine. Quitting closes the session; closing it again does no harm.
func run(s *app.Session, store *desk.FileStore, documents ...string) error {
	if !HasDisplay() {
		return ErrNoDisplay
	}
	if len(s.Workloads()) == 0 {
		return errors.New("open the window: the session has no workloads")
	}
	native.TuneMalloc()
	fyneapp.SetMetadata(metadata())
	a := fyneapp.NewWithID(assets.ID)
	a.SetIcon(metadata().Icon)
	received := &native.Inbox{}
	native.WatchDocuments(received.Put) // before the window: documents that the app is started with arrive while the window is made
	d, err := tryOpen(a, desk.SessionOf(s), desk.Settings{Store: store})
	if err != nil {
		return err
	}
	store.TellFailure(func(err error) { d.Post(func() { d.Fail("Settings cannot be kept", err) }) })
	d.listen()
	d.settled = newSettler(func() bool { return giveBack(s) }, growHeap)
	defer d.settled.stop()
	received.Connect(func(paths []string) { d.Post(func() { d.handed(paths) }) })
	d.openDocuments(documents)
	d.Window.ShowAndRun()
	d.Shut() // even if the system ended the application
	return nil
}

// metadata is what Fyne is told about the app, for builds that Fyne's packager does not fill in.
func metadata() fyne.AppMetadata {
	return fyne.AppMetadata{
		ID: assets.ID, Name: assets.Name, Version: assets.Version, Build: assets.Build,
		Icon:       fyne.NewStaticResource("Icon256.png", assets.Icon()),
		Migrations: map[string]bool{"fyneDo": true},
	}
}

// giveBack releases the memory that drawing used, unless that would disturb a measurement; it reports whether it did.
func giveBack(s *app.Session) bool {
	if s.Runs().Active() {
		return false
	}
	native.GiveBack()
	return true
}

// tryOpen creates the window of a session, or returns why it cannot: GLFW panics if the named display does not exist.
func tryOpen(a fyne.App, s desk.Session, settings desk.Settings) (d *window, err error) {
	defer func() {
		switch p := recover(); {
		case p == nil:
		case strings.Contains(fmt.Sprint(p), "GLFW"):
			err = fmt.Errorf("the display %s cannot be opened (%v): use the command line instead, such as: assay run --quick",
				cmp.Or(os.Getenv("DISPLAY"), os.Getenv("WAYLAND_DISPLAY")), p)
		default:
			panic(p)
		}
	}()
	return open(a, s, settings, fyne.Do, native.ScreenSize), nil
}

// open creates the window of a session, no larger than the screen.
func open(
	a fyne.App, s desk.Session, settings desk.Settings, do func(func()), screen func(fyne.Window) fyne.Size,
) *window {
	look := settings.Appearance()
	if forced := os.Getenv(ThemeVariable); forced != "" {
		look = kit.ParseAppearance(forced)
	}
	a.Settings().SetTheme(kit.NewSizedLook(look, settings.TextSize()))
	w := a.NewWindow(assets.Name)
	w.SetMaster()
	d := newWindow(a, w, s, settings, do)
	d.layout.screen = screen(w)
	w.Resize(settings.Size().Min(d.layout.screen))
	w.CenterOnScreen()
	return d
}
