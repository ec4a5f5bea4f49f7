package drill

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"
	"unsafe"

	"assay/app"
	"assay/app/bundle"
)

// stepBack is how far the wall clock jumps.
const stepBack = -time.Hour

// stepped returns what time.Now would return after the wall clock was set: another wall time, and the same monotonic one. Package
// time cannot make such a time; its first word has the wall clock's seconds above 30 bits of nanoseconds. ok is false if this Go
// stores times differently.
func stepped(t time.Time, by time.Duration) (out time.Time, ok bool) {
	out = t
	*(*uint64)(unsafe.Pointer(&out)) += uint64(by/time.Second) << 30
	return out, out.Sub(t) == 0 && out.Round(0).Sub(t.Round(0)) == by
}

// steppingClock is a wall clock that is set back on request.
type steppingClock struct{ back atomic.Bool }

func (c *steppingClock) now() time.Time {
	now := time.Now()
	if c.back.Load() {
		now, _ = stepped(now, stepBack)
	}
	return now
}

// clockStep sets the wall clock back in the middle of a run, once it has a result.
func clockStep(ctx context.Context, s *stage) (string, error) {
	if _, ok := stepped(time.Now(), stepBack); !ok {
		return "", absent("the times of this version of Go cannot be set")
	}
	var clock steppingClock
	c := s.Config
	c.Now, c.Interval = clock.now, 100*time.Millisecond
	session, err := app.New(c)
	if err != nil {
		return "", err
	}
	defer session.Subscribe(onResult(func() { clock.back.Store(true) }))()
	session.Start()
	saw, err := s.acrossStep(ctx, session, &clock)
	return saw, errors.Join(err, session.Close())
}

// onResult calls f with each result.
func onResult(f func()) func(app.Update) {
	return func(u app.Update) {
		if _, is := u.(app.ResultUpdate); is {
			f()
		}
	}
}

func (s *stage) acrossStep(ctx context.Context, session *app.Session, clock *steppingClock) (string, error) {
	request, err := s.request()
	if err != nil {
		return "", err
	}
	began := time.Now()
	run, err := session.Runs().Do(ctx, request)
	took := time.Since(began)
	switch {
	case err != nil:
		return "", err
	case !clock.back.Load():
		return "", errors.New("the run ended before the clock was set")
	case measured(run) < len(run.Results):
		return "", fmt.Errorf("%d of %d results were measured", measured(run), len(run.Results))
	}
	loaded, err := sameOnDisk(run)
	if err != nil {
		return "", err
	}
	if err := inOrder(loaded, took); err != nil {
		return "", err
	}
	return fmt.Sprintf("The wall clock was set back by an hour after the first result. All %d results, %d readings of the monitor and %d events are in the bundle, in order, and the run took %.1f s there as in fact",
		len(loaded.Results), len(loaded.Snapshots), len(loaded.Events), loaded.Meta.Finished.Sub(loaded.Meta.Started).Seconds()), nil
}

// inOrder refuses a run whose times do not match a run of that duration.
func inOrder(run *bundle.Run, took time.Duration) error {
	const about, setUp = 2 * time.Second, 30 * time.Second // on a busy machine, setup and teardown take long, and count in took
	began, length := run.Meta.Started, run.Meta.Finished.Sub(run.Meta.Started)
	if length < took-setUp || length > took+about {
		return fmt.Errorf("the run took %.1f s, and the bundle says %.1f s", took.Seconds(), length.Seconds())
	}
	inside := func(what string, at, after time.Time) error {
		switch {
		case at.Before(after):
			return fmt.Errorf("%s is at %s, before what came before it", what, at.Format(time.TimeOnly))
		case at.Before(began.Add(-about)) || at.After(run.Meta.Finished.Add(about)):
			return fmt.Errorf("%s is at %s, outside of the run", what, at.Format(time.TimeOnly))
		}
		return nil
	}
	var last time.Time
	for i := range run.Results {
		r := &run.Results[i]
		if err := inside("result "+r.ID, r.Started, last); err != nil {
			return err
		}
		last = r.Started
	}
	last = time.Time{}
	for i := range run.Snapshots {
		if err := inside("a reading of the monitor", run.Snapshots[i].Time, last); err != nil {
			return err
		}
		last = run.Snapshots[i].Time
	}
	for i := range run.Events {
		e := &run.Events[i]
		if err := inside("event “"+e.Title+"”", e.Time, e.From); err != nil {
			return err
		}
	}
	return nil
}
