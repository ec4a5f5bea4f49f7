package desk

import (
	"testing"
	"testing/synctest"
	"time"

	"assay/app"
	"assay/workloads"
)

// TestUIQueueDeliversThreeTimesASecond floods the queue as a run of short samples does, with readings and results between.
func TestUIQueueDeliversThreeTimesASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const seconds = 10
		var at []time.Time
		results := 0
		queue := make(chan func(), 1)
		defer close(queue)
		go func() { // the UI goroutine: deliveries never run side by side
			for f := range queue {
				f()
			}
		}()
		h := newUIQueue(func(f func()) { queue <- f }, func(items []any) {
			at = append(at, time.Now())
			for _, i := range items {
				if _, ok := i.(app.ResultUpdate); ok {
					results++
				}
			}
		})
		defer h.close()
		for i := range seconds * 2000 {
			h.push(progress(i))
			if i%100 == 0 {
				h.push(app.ResultUpdate{Result: workloads.Result{}})
			}
			if i%500 == 0 {
				h.push(app.TickUpdate{})
			}
			time.Sleep(time.Second / 2000)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if n := len(at); n < 3*seconds-1 || n > 3*seconds+2 {
			t.Errorf("%d deliveries in %d s, want 3 a second", n, seconds)
		}
		for i := 1; i < len(at); i++ {
			if gap := at[i].Sub(at[i-1]); gap < redrawInterval {
				t.Fatalf("delivery %d came %v after the one before, want %v or more", i, gap, redrawInterval)
			}
		}
		if results != seconds*20 {
			t.Errorf("%d results came, want %d", results, seconds*20)
		}
	})
}
