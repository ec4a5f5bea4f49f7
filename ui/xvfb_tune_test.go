package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
	"assay/ui/uitest"
)

// tunePoints is how many settings the user drags a slider to; a full measurement wants 20.
const tunePoints = 6

// tune drags the upper thumb of the matrix sizes to one stop after another, and waits for a point at each.
func (u *user) tune() error {
	span := uiFind(u, func(*kit.Range) bool { return true })
	if span == nil {
		return errors.New("no range is on show")
	}
	u.watch(span)
	var took []time.Duration
	stops := []float64{10, 11, 9, 11, 8, 11} // 2¹¹ rows is the default
	for i := range tunePoints {
		d, err := u.tuneTo(span, stops[i%len(stops)])
		if err != nil {
			return err
		}
		took = append(took, d)
	}
	slices.Sort(took)
	fmt.Printf("          a point is drawn %d ms after the slider moved, in the median of %d; at worst %d ms\n",
		took[len(took)/2].Milliseconds(), len(took), took[len(took)-1].Milliseconds())
	return u.clearPoints()
}

// tuneTo drags the upper thumb to a stop and returns how long it took from there to the point.
func (u *user) tuneTo(span *kit.Range, stop float64) (time.Duration, error) {
	before := see(func() time.Time { return u.newestPoint() })
	if u.tool == "" {
		fyne.DoAndWait(func() { span.OnChanged(span.Lo, stop) })
	} else if err := u.drag(span, see(func() float64 { return span.Hi }), stop); err != nil {
		return 0, err
	}
	end := time.Now().Add(20 * time.Second)
	for ; see(func() time.Time { return u.newestPoint() }).Equal(before); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			return 0, fmt.Errorf("no point came of %v rows: %s", 1<<int(stop), see(func() string { return u.window.Model.Tuning().Failure }))
		}
	}
	fyne.DoAndWait(func() {}) // then the frame with the point has been drawn
	took := time.Since(u.moved)
	own := see(func() time.Duration { return u.window.Model.Tuning().Newest.Took })
	fmt.Printf("          %d rows: %d ms, of which the measurement %d ms\n", 1<<int(stop), took.Milliseconds(), own.Milliseconds())
	if u.tool != "" {
		return took, u.xdotool("mouseup", "1")
	}
	return took, nil
}

// watch notes when a range changes its value.
func (u *user) watch(span *kit.Range) {
	fyne.DoAndWait(func() {
		tell := span.OnChanged
		span.OnChanged = func(lo, hi float64) {
			u.moved = time.Now()
			tell(lo, hi)
		}
	})
}

// newestPoint returns when the newest point was requested. It is called on the UI goroutine.
func (u *user) newestPoint() time.Time {
	if p := u.window.Model.Tuning().Newest; p != nil {
		return p.At
	}
	return time.Time{}
}

// drag grabs a thumb and moves it to a stop in steps, without letting go.
func (u *user) drag(span *kit.Range, from, to float64) error {
	id, err := u.windowID()
	if err != nil {
		return err
	}
	place := func(at float64) (x, y string) {
		p := see(func() fyne.Position {
			const thumb = 18
			left := fyne.CurrentApp().Driver().AbsolutePositionForObject(span)
			part := float32((at - span.Min) / (span.Max - span.Min))
			return left.AddXY(thumb/2+part*(span.Size().Width-thumb), span.Size().Height/2)
		})
		scale := u.window.Window.Canvas().Scale()
		return strconv.Itoa(int(p.X * scale)), strconv.Itoa(int(p.Y * scale))
	}
	x, y := place(from)
	args := []string{"mousemove", "--window", id, x, y, "sleep", "0.05", "mousedown", "1"}
	for i := 1; i <= 8; i++ {
		x, y = place(from + (to-from)*float64(i)/8)
		args = append(args, "sleep", "0.02", "mousemove", "--window", id, x, y)
	}
	return u.xdotool(args...)
}

// clearPoints clears the points of live tuning and restores them.
func (u *user) clearPoints() error {
	if err := u.click(u.button("Clear Points")); err != nil {
		return err
	}
	if err := until("no points", 5*time.Second, func() bool { return len(u.window.Model.Tuning().Points) == 0 }); err != nil {
		return err
	}
	if err := u.click(u.button("Undo")); err != nil {
		return err
	}
	return until("the points", 5*time.Second, func() bool {
		return len(u.window.Model.Tuning().Points) > 0 && uitest.Says(u.window.content(), "matmul ")
	})
}
