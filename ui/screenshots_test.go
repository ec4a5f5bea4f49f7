package ui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
)

var screenshots = flag.String("screenshots", "", "after real runs, write pictures of the pages into this folder: those that it has, or all if it has none")

// picturesVariable makes the test binary a window for taking pictures; its value is the user's home.
const picturesVariable = "ASSAY_TEST_PICTURES"

// folderVariable is the folder for the pictures.
const folderVariable = "ASSAY_TEST_PICTURES_FOLDER"

// TestScreenshots takes the pictures of the README, in a real window after real runs.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("for make screenshots")
	}
	folder, err := filepath.Abs(*screenshots)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	home := t.TempDir() // paths in the pictures begin with ~
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^$")
	c.Env = append(os.Environ(), picturesVariable+"="+home, folderVariable+"="+folder,
		"HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_STATE_HOME="+home)
	out, err := c.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("the window: %v", err)
	}
}

// photograph runs workloads one after another and takes the pictures that the folder has, or of every page if it has none.
func (u *user) photograph() error {
	have, err := filepath.Glob(filepath.Join(os.Getenv(folderVariable), "*.png"))
	if err != nil {
		return err
	}
	if err := u.seeEngines(); err != nil {
		return err
	}
	fyne.DoAndWait(func() { u.window.SetQuick(true) })
	for _, name := range []string{"leak", "fusion", "quantization", "batching"} {
		if err := u.runWhole(name); err != nil {
			return err
		}
	}
	if err := u.pointAway(); err != nil {
		return err
	}
	for _, look := range []kit.Appearance{kit.AlwaysLight, kit.AlwaysDark} {
		fyne.DoAndWait(func() { u.window.SetAppearance(look) })
		for i, p := range u.window.pages {
			name := p.Name + "-" + string(look)
			if len(have) > 0 && !slices.ContainsFunc(have, func(path string) bool { return filepath.Base(path) == name+".png" }) {
				continue
			}
			fyne.DoAndWait(func() { u.window.showPage(i) })
			time.Sleep(2 * time.Second) // a page may fetch what it shows
			if err := u.take(name); err != nil {
				return err
			}
		}
	}
	fyne.DoAndWait(u.window.quit)
	<-u.window.closed
	return nil
}

// pointAway moves the pointer to where nothing reacts.
func (u *user) pointAway() error {
	id, err := u.windowID()
	if err != nil {
		return err
	}
	return u.xdotool("mousemove", "--window", id, "2", "790")
}

// runWhole runs a workload with the defaults of a quick run.
func (u *user) runWhole(name string) error {
	fyne.DoAndWait(func() {
		for i := range u.window.Model.Workloads {
			if u.window.Model.Workloads[i].Name == name {
				u.window.Choose(i)
			}
		}
		u.window.StartRun()
	})
	return until("the end of "+name, 5*time.Minute, func() bool { return u.window.Model.Outcome().Phase == desk.Finished })
}

// take writes a picture of the window from the display; Fyne cannot read back what a real window shows.
func (u *user) take(name string) error {
	folder := os.Getenv(folderVariable)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	id, err := u.windowID()
	if err != nil {
		return err
	}
	path := filepath.Join(folder, name+".png")
	if out, err := exec.Command("import", "-window", id, "-strip", "-define", "png:compression-level=9", path).CombinedOutput(); err != nil {
		return fmt.Errorf("import (of ImageMagick): %w: %s", err, out)
	}
	return nil
}
