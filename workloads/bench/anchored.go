package bench

import (
	"context"
	"time"

	"assay/workloads"
	"assay/workloads/measure"
)

// batch holds cases whose results wait for the anchor's next reading.
type batch struct {
	bench  *Bench
	cases  []Case
	first  int // case
	spans  []batched
	read   bool // the anchor was read after the newest case
	drift  measure.Drift
	tries  int // that were discarded
	cooled time.Duration
}

// batched holds the results of one case.
type batched struct {
	from, to int
	measured bool // not taken over from an earlier run
}

// anchored measures cases, and measures again those that the anchor shows to have been slowed down.
func (b *Bench) anchored(ctx context.Context, cases []Case, kept [][]workloads.Result) error {
	w := batch{bench: b, cases: cases}
	for i := 0; i < len(cases); i++ {
		from := len(b.results)
		if len(kept[i]) > 0 {
			b.add(kept[i]...)
		} else if err := b.measure(ctx, &cases[i], w.sampled(i == len(cases)-1)); err != nil {
			w.hold(from, true)
			w.release()
			return err
		}
		w.hold(from, len(kept[i]) == 0)
		again, err := w.judge(ctx)
		switch {
		case err != nil:
			return err
		case again:
			i = w.first - 1
		}
	}
	w.release()
	return nil
}

// sampled returns a function that reads the anchor at the end of a case's samples, if a reading is due.
func (w *batch) sampled(last bool) func(context.Context) {
	a := w.bench.Anchor
	if a == nil {
		return nil
	}
	return func(ctx context.Context) {
		if a.Due(last) {
			w.bench.Spans.Enter(measure.Anchoring, "")
			d, err := a.Read(ctx)
			w.drift, w.read = d, err == nil
		}
	}
}

// hold adds the results of a case, starting at an index.
func (w *batch) hold(from int, measured bool) {
	w.spans = append(w.spans, batched{from, len(w.bench.results), measured})
	if measured {
		w.bench.done++
	}
}

// judge releases the results if the anchor is unchanged or not used. Otherwise it reports that the cases must be measured again.
func (w *batch) judge(ctx context.Context) (again bool, err error) {
	b := w.bench
	switch {
	case b.Anchor == nil:
		w.release()
		return false, nil
	case !w.read:
		return false, nil
	case w.drift.Steady():
		w.release()
		return false, nil
	}
	if !b.Anchor.MayCool(w.tries) {
		w.say(workloads.Kept, 0)
		w.release()
		if w.drift.Faster() && b.Anchor.Rebase(ctx) != nil { // with the slow start as reference, a device that slows down later would seem steady
			return false, ctx.Err()
		}
		return false, nil
	}
	return true, w.again(ctx)
}

// again discards the results and waits until the device is back at its original speed.
func (w *batch) again(ctx context.Context) error {
	b := w.bench
	w.say(workloads.Discarded, 0)
	fast := w.drift.Faster()
	if fast { // the start was slow, and so may be what has been measured since
		if err := b.Anchor.Rebase(ctx); err != nil {
			w.release()
			return ctx.Err()
		}
	}
	last := &w.cases[w.first+len(w.spans)-1]
	b.Spans.Of(b.Workload.Name, last.Name)
	defer b.Spans.End()
	b.Spans.Enter(measure.Cooling, "")
	b.Spans.Tell(w.drift.String())
	now, waited, err := b.Anchor.Cool(ctx, w.drift, func(now measure.Drift, left time.Duration) {
		b.progress(last, measure.Progress{Phase: measure.Cooling, Why: now.String(), Estimate: left})
	})
	if err != nil {
		w.release() // with what is known of the drift
		return ctx.Err()
	}
	w.drift = now
	switch {
	case fast:
	case b.Anchor.Stays():
		w.say(workloads.Stayed, waited)
	default:
		w.say(workloads.Recovered, waited)
	}
	w.discard()
	w.cooled += waited
	return nil
}

// discard drops the results of the batch.
func (w *batch) discard() {
	b := w.bench
	b.results = b.results[:w.spans[0].from]
	for _, s := range w.spans {
		if s.measured {
			b.done--
		}
	}
	w.spans, w.read = nil, false
	w.tries++
}

// say tells the run about the drift.
func (w *batch) say(act workloads.DriftAct, waited time.Duration) {
	if w.bench.Drifted == nil {
		return
	}
	d := workloads.Drifted{Act: act, Drift: w.drift, Waited: waited}
	for i, s := range w.spans {
		if s.measured {
			d.Cases = append(d.Cases, w.cases[w.first+i].Name)
		}
	}
	w.bench.Drifted(d)
}

// release reports the results, with what is known about the anchor, and starts another batch.
func (w *batch) release() {
	b := w.bench
	for _, s := range w.spans {
		for i := s.from; i < s.to && s.measured; i++ {
			w.note(&b.results[i])
		}
		b.tell(s.to - s.from)
	}
	w.first += len(w.spans)
	w.spans, w.read, w.tries, w.cooled = nil, false, 0, 0
}

// note adds what is known about the anchor to a result.
func (w *batch) note(r *workloads.Result) {
	if r.Status == workloads.Unsupported {
		return // never measured
	}
	counted(&r.Values, workloads.TimesAgain, float64(w.tries))
	counted(&r.Values, workloads.CooledBefore, w.cooled.Seconds())
	if !w.read || r.Status != workloads.OK {
		return
	}
	r.Values.SetNumber(workloads.AnchorDrift, w.drift.Change)
	switch {
	case w.drift.Faster():
		r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: the device was slow when the run began: afterward the anchor was "+w.drift.String())
	case w.drift.Slower():
		r.Warn(workloads.WarningKind(measure.Disturbed), "disturbed: the anchor was then "+w.drift.String())
	}
}
