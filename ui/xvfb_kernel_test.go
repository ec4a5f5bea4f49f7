package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/gpu/msl/clang"
	"assay/ui/editor"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// serveOwn makes this binary the child that runs a user's kernel.
const serveOwn = "serve-a-kernel"

// serves is that child, and returns its exit code.
func serves() int {
	if err := app.ServeOwn(context.Background(), app.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// writeKernel goes to the user's own kernel, makes a mistake, sees it marked, undoes it, looks for a word, and runs the kernel.
func (u *user) writeKernel() error {
	if _, err := clang.Find(); err != nil {
		fmt.Println("no kernel is written:", err)
		return nil
	}
	if err := u.goToYours(); err != nil {
		return err
	}
	text := uiFind(u, func(e *editor.Editor) bool { return !e.ReadOnly && e.Size().Width > 0 && e.Visible() })
	if text == nil {
		return errors.New("no editor")
	}
	fyne.DoAndWait(func() { text.GoTo(4, 1) })
	if err := u.mistake(text); err != nil {
		return err
	}
	if err := u.press("f", u.window.find); err != nil {
		return err
	}
	if err := until("the field of what to find", 5*time.Second, func() bool {
		_, ok := u.window.Window.Canvas().Focused().(*kit.Entry)
		return ok
	}); err != nil {
		return err
	}
	return u.runKernel()
}

func (u *user) goToYours() error {
	for i, p := range u.window.pages {
		if p.Title == "Kernels" {
			fyne.DoAndWait(func() { u.window.showPage(i) })
		}
	}
	var yours *kit.Option
	if err := until("the part Yours", 5*time.Second, func() bool {
		var ok bool
		yours, ok = uitest.Option(u.window.front, "Yours")
		return ok && yours.Size().Width > 0
	}); err != nil {
		return err
	}
	if err := u.click(yours); err != nil {
		return err
	}
	return u.told("compile without problems", 30*time.Second)
}

// told waits for words on the visible page.
func (u *user) told(words string, limit time.Duration) error {
	return until(words, limit, func() bool { return uitest.Says(u.window.front, words) })
}

// mistake types something that does not compile, waits until it is marked, and undoes it.
func (u *user) mistake(text *editor.Editor) error {
	was := see(text.Text)
	if u.tool == "" {
		fyne.DoAndWait(func() {
			for _, r := range "flot q;" {
				text.TypedRune(r)
			}
		})
	} else if err := u.xdotool("type", "--delay", "20", "flot q;"); err != nil {
		return err
	}
	began := time.Now()
	if err := u.told("1 problem", 20*time.Second); err != nil {
		return err
	}
	fmt.Printf("        marked %.2f s after the last key\n", time.Since(began).Seconds())
	for range 4 {
		if err := u.press("z", func() { text.TypedShortcut(&fyne.ShortcutUndo{}) }); err != nil {
			return err
		}
	}
	if err := until("the text as it was", 5*time.Second, func() bool { return text.Text() == was }); err != nil {
		return err
	}
	return u.told("compile without problems", 20*time.Second)
}

// runKernel runs the kernel and checks that it is correct.
func (u *user) runKernel() error {
	if err := u.click(u.button("Run")); err != nil {
		return err
	}
	return u.told("Correct: its results", 90*time.Second)
}
