package desk

import (
	"testing"
	"testing/synctest"
	"time"

	"assay/app"
)

// While a run in quiet mode times something, the window draws nothing but what the user waits for; what came meanwhile is drawn at the end.
func TestQuietWindowDrawsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := make(chan func(), 10)
		defer close(queue)
		go func() {
			for f := range queue {
				f()
			}
		}()
		var drawn []int // items of each delivery
		h := newUIQueue(func(f func()) { queue <- f }, func(items []any) {
			drawn = append(drawn, len(items))
			for _, i := range items {
				if f, ok := i.(func()); ok {
					f()
				}
			}
		})
		defer h.close()
		h.push(app.TickUpdate{})
		h.quiet(true)
		synctest.Wait()
		if len(drawn) != 1 || drawn[0] != 2 {
			t.Fatalf("when it becomes quiet %v was drawn, want the reading before it", drawn)
		}
		for i := range 100 {
			h.push(app.TickUpdate{})
			h.push(progress(i))
			h.call(func() {})
			time.Sleep(100 * time.Millisecond)
		}
		synctest.Wait()
		if len(drawn) != 1 {
			t.Errorf("%d redraws while quiet", len(drawn)-1)
		}
		asked := false
		h.callHeld(func() { asked = true })
		time.Sleep(time.Second)
		synctest.Wait()
		if !asked || len(drawn) != 2 || drawn[1] != 100+1+100+1 {
			t.Errorf("what the user asked for: %v, drawn %v", asked, drawn)
		}
		h.push(app.TickUpdate{})
		time.Sleep(time.Second)
		h.quiet(false)
		time.Sleep(time.Second)
		synctest.Wait()
		if len(drawn) != 3 || drawn[2] != 1 {
			t.Errorf("at the end %v was drawn", drawn)
		}
		h.push(app.TickUpdate{})
		time.Sleep(time.Second)
		synctest.Wait()
		if len(drawn) != 4 {
			t.Error("nothing is drawn afterward")
		}
	})
}

// A window that does not answer is waited for a moment only.
func TestQuietDoesNotWaitForAStuckWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newUIQueue(func(func()) {}, func([]any) {})
		began := time.Now()
		h.quiet(true)
		if d := time.Since(began); d != maxDraw {
			t.Errorf("waited %v", d)
		}
		h.close()
		h.quiet(false)
	})
}
