package gputest

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"assay/gpu"
)

func programRequirements() []requirement {
	return []requirement{
		{name: "a program runs as often as it is told", run: programRepeats},
		{name: "a repeat below one is refused", run: programRepeatRefused},
		{name: "a program costs what its commands cost", run: programCost},
		{name: "copies and fills run in order", run: programCopies},
		{name: "bad copies and fills are refused", run: programBadCopies},
		{name: "a program may be in flight many times", run: programInFlight},
		{name: "a released program is refused", run: programReleased},
		{name: "a program keeps what it uses", run: programKeeps},
		{name: "a program of an ended lease is refused", run: programLease},
		{name: "many programs run", run: programMany},
		{name: "submissions need not wait for each other", run: programsOverlap},
		{name: "events order the work of two queues", run: eventsOrder},
		{name: "events that could wait for ever are refused", run: eventsRefused},
		{name: "another engine's programs and events are refused", run: programForeign},
	}
}

// program is n steps of the chain; n is even, so that each run continues where the previous one ended.
func (c *chain) program(n int) gpu.Program {
	c.r.t.Helper()
	p := c.r.prepare(gpu.Launches(c.steps(n)...)...)
	c.done -= n
	return p
}

func programRepeats(r *rig) {
	c := r.newChain(10007)
	p := c.program(2)
	for _, repeat := range []int{1, 7, 100} {
		r.runs(p, repeat)
		c.done += 2 * repeat
		c.check()
	}
	r.ok(p.Release(), "release")
	c.release()
}

func programRepeatRefused(r *rig) {
	p := r.prepare()
	for _, repeat := range []int{0, -1} {
		_, err := r.q().Submit(p, repeat)
		r.fails(err, fmt.Sprintf("repeat %d", repeat), kind(gpu.ErrInvalid), "repeat", fmt.Sprint(repeat), "1")
	}
	r.runs(p, 1)
	r.ok(p.Release(), "release")
}

func programCost(r *rig) {
	c := r.newChain(1000)
	commands := append(gpu.Launches(c.steps(2)...), gpu.Fill{To: gpu.Binding{Buffer: c.y}, Bytes: 40},
		gpu.Copy{From: gpu.Binding{Buffer: c.x}, To: gpu.Binding{Buffer: c.y}, Bytes: 400})
	p := r.prepare(commands...)
	if got, want := p.Cost(), gpu.CostOf(commands...); got != want || want.Bytes <= 840 {
		r.t.Errorf("the program costs %+v, its commands %+v", got, want)
	}
	if p.Launches() != 2 {
		r.t.Errorf("%d launches, want 2", p.Launches())
	}
	r.ok(p.Release(), "release")
	c.release()
}

func at(b gpu.Buffer, offset int) gpu.Binding { return gpu.Binding{Buffer: b, Offset: offset} }

// holds checks that the bytes of b equal want.
func (r *rig) holds(b gpu.Buffer, want []byte, what string) {
	r.t.Helper()
	got := make([]byte, b.Size())
	r.ok(b.Read(0, got), "read")
	if i := firstDiff(got, want); i >= 0 {
		r.t.Errorf("%s holds %d at byte %d, want %d", what, got[i], i, want[i])
	}
}

func programCopies(r *rig) {
	for _, s := range storages() {
		const n = 3<<20 + 28 // more than engines transfer at once
		a, err := r.engine.NewBuffer(n, s, "a")
		r.ok(err, "allocate")
		b, err := r.engine.NewBuffer(n, s, "b")
		r.ok(err, "allocate")
		p := r.prepare(
			gpu.Fill{To: at(a, 0), Bytes: n, Value: 1},
			gpu.Fill{To: at(b, 0), Bytes: n, Value: 9},
			gpu.Fill{To: at(a, 12), Bytes: 8, Value: 2},
			gpu.Copy{From: at(a, 4), To: at(b, 20), Bytes: n - 40},
			gpu.Fill{To: at(a, 0), Bytes: 16, Value: 3},        // after it was copied
			gpu.Copy{From: at(b, 0), To: at(b, n-8), Bytes: 8}, // within one buffer
			gpu.Copy{From: at(b, 0), To: at(a, 0), Bytes: 0},
		)
		r.runs(p, 2)
		wantA, wantB := bytes.Repeat([]byte{1}, n), bytes.Repeat([]byte{9}, n)
		copy(wantA[12:], bytes.Repeat([]byte{2}, 8))
		copy(wantB[20:], wantA[4:n-36])
		copy(wantA, bytes.Repeat([]byte{3}, 16))
		r.holds(a, wantA, fmt.Sprintf("%v a", s))
		r.holds(b, wantB, fmt.Sprintf("%v b", s))
		r.ok(p.Release(), "release")
		r.release(a, b)
	}
}

func programBadCopies(r *rig) {
	a, b := r.buffer(100), r.buffer(64)
	for _, c := range []struct {
		name    string
		kind    error
		words   []string
		command gpu.Command
	}{
		{"no command", gpu.ErrInvalid, nil, nil},
		{"fill without a buffer", gpu.ErrInvalid, []string{"fill"}, gpu.Fill{Bytes: 4}},
		{"fill beyond the end", gpu.ErrRange, []string{"fill", "100", "8"}, gpu.Fill{To: at(a, 96), Bytes: 8}},
		{"fill before the start", gpu.ErrRange, []string{"fill"}, gpu.Fill{To: at(a, -4), Bytes: 4}},
		{"negative size", gpu.ErrRange, []string{"fill", "-4"}, gpu.Fill{To: at(a, 0), Bytes: -4}},
		{"odd size", gpu.ErrInvalid, []string{"fill", "6", "4"}, gpu.Fill{To: at(a, 0), Bytes: 6}},
		{"odd offset", gpu.ErrInvalid, []string{"copy", "2", "4"}, gpu.Copy{From: at(a, 2), To: at(b, 0), Bytes: 4}},
		{"copy from nowhere", gpu.ErrInvalid, []string{"copy", "from"}, gpu.Copy{To: at(b, 0), Bytes: 4}},
		{"copy of too much", gpu.ErrRange, []string{"copy", "68", "64"}, gpu.Copy{From: at(a, 0), To: at(b, 0), Bytes: 68}},
		{"copy onto itself", gpu.ErrInvalid, []string{"copy", "overlap"}, gpu.Copy{From: at(a, 0), To: at(a, 8), Bytes: 12}},
		{"signal of nothing", gpu.ErrInvalid, []string{"signal"}, gpu.Signal{}},
		{"await of nothing", gpu.ErrInvalid, []string{"await"}, gpu.Await{}},
	} {
		_, err := r.engine.Prepare(c.command)
		r.fails(err, c.name, kind(c.kind), c.words...)
	}
	r.release(b)
	_, err := r.engine.Prepare(gpu.Copy{From: at(a, 0), To: at(b, 0), Bytes: 4})
	r.fails(err, "copy to a released buffer", kind(gpu.ErrReleased), "copy")
	r.release(a)
}

func programInFlight(r *rig) {
	c := r.newChain(50_021)
	p := c.program(2)
	var last gpu.Submission
	for range 10 {
		s, err := r.q().Submit(p, 5)
		r.ok(err, "submit")
		last = s
	}
	r.ok(p.Release(), "release in flight")
	_, err := last.Wait(context.Background())
	r.ok(err, "wait")
	c.done += 100
	c.check()
	c.release()
}

func programReleased(r *rig) {
	p := r.prepare()
	r.ok(p.Release(), "release")
	r.fails(p.Release(), "a second Release", kind(gpu.ErrReleased))
	_, err := r.q().Submit(p, 1)
	r.fails(err, "a released program", kind(gpu.ErrReleased), "program")
}

func programKeeps(r *rig) {
	a, b := r.buffer(400), r.buffer(400)
	p := r.prepare(gpu.Fill{To: at(a, 0), Bytes: 400, Value: 5}, gpu.Copy{From: at(a, 0), To: at(b, 0), Bytes: 400})
	r.release(a)
	if m := r.engine.Memory(); m.Buffers != 2 {
		r.t.Errorf("a program uses what was released, yet Memory is %+v", m)
	}
	r.runs(p, 3)
	r.holds(b, bytes.Repeat([]byte{5}, 400), "the copy")
	r.ok(p.Release(), "release")
	if m := r.engine.Memory(); m.Buffers != 1 {
		r.t.Errorf("the program is gone, yet Memory is %+v", m)
	}
	r.release(b)
}

func programLease(r *rig) {
	pool := gpu.NewPool(r.engine, gpu.PoolOptions{})
	lease, err := pool.Acquire(400, "lease")
	r.ok(err, "acquire")
	p := r.prepare(gpu.Fill{To: at(lease, 0), Bytes: 400, Value: 5})
	r.runs(p, 1)
	r.holds(lease, bytes.Repeat([]byte{5}, 400), "the lease")
	r.ok(lease.Release(), "release the lease")
	_, err = r.q().Submit(p, 1)
	r.fails(err, "a program of a lease that has ended", kind(gpu.ErrReleased))
	r.ok(p.Release(), "release")
	r.ok(pool.Close(), "close the pool")
}

// programMany has more programs alive, and more submissions in flight, than a queue takes at once.
func programMany(r *rig) {
	const n = gpu.QueueDepth + 50
	b := r.buffer(4 * n)
	var all []gpu.Submission
	for i := range n {
		p := r.prepare(gpu.Fill{To: at(b, 4*i), Bytes: 4, Value: byte(i)})
		defer func() { r.ok(p.Release(), "release") }()
		s, err := r.q().Submit(p, 1)
		r.ok(err, "submit")
		all = append(all, s)
	}
	want := make([]byte, 4*n)
	for i, s := range all {
		_, err := s.Wait(context.Background())
		r.ok(err, "wait")
		for j := range 4 {
			want[4*i+j] = byte(i)
		}
	}
	r.holds(b, want, "the buffer")
	r.release(b)
}

// programsOverlap submits while work is running that takes far longer than a submission.
func programsOverlap(r *rig) {
	const (
		long = 500 * time.Millisecond
		most = 2000 // engines time only so many stages
	)
	c := r.newChain(100_003)
	p := c.program(2)
	start := time.Now()
	r.runs(p, 1)
	repeat := min(int(long/max(time.Since(start), time.Microsecond))+1, most)
	first, err := r.q().Submit(p, repeat)
	r.ok(err, "submit")
	const others = 20
	var last gpu.Submission
	for range others {
		last, err = r.q().Submit(p, 1)
		r.ok(err, "submit behind it")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := first.Wait(ctx); err == nil {
		r.t.Errorf("%d runs, of about %v, had ended when %d more were submitted", repeat, long, others)
	}
	_, err = last.Wait(context.Background())
	r.ok(err, "wait")
	c.done += 2 * (1 + repeat + others)
	c.check()
	r.ok(p.Release(), "release")
	c.release()
}

// eventsOrder makes one queue write a buffer repeatedly, and another copy it each time before it is overwritten.
func eventsOrder(r *rig) {
	const n, rounds = 1 << 18, 12
	shared, kept := r.buffer(n), r.buffer(n*rounds)
	full, err := r.engine.NewEvent("full")
	r.ok(err, "new event")
	empty, err := r.engine.NewEvent("empty")
	r.ok(err, "new event")
	reader, err := r.engine.NewQueue("reader")
	r.ok(err, "new queue")
	var last gpu.Submission
	for i := range rounds {
		var fill []gpu.Command
		if i > 0 {
			fill = append(fill, gpu.Await{Event: empty})
		}
		fill = append(fill, gpu.Fill{To: at(shared, 0), Bytes: n, Value: byte(i + 1)}, gpu.Signal{Event: full})
		_, err := Submit(r.engine, r.q(), fill...)
		r.ok(err, "submit the writer")
		last, err = Submit(r.engine, reader, gpu.Await{Event: full},
			gpu.Copy{From: at(shared, 0), To: at(kept, i*n), Bytes: n}, gpu.Signal{Event: empty})
		r.ok(err, "submit the reader")
	}
	_, err = last.Wait(context.Background())
	r.ok(err, "wait")
	for i := range rounds {
		part := make([]byte, n)
		r.ok(kept.Read(i*n, part), "read")
		if at := firstDiff(part, bytes.Repeat([]byte{byte(i + 1)}, n)); at >= 0 {
			r.t.Errorf("copy %d holds %d at byte %d", i+1, part[at], at)
		}
	}
	r.ok(reader.Close(), "close")
	r.ok(full.Release(), "release")
	r.ok(empty.Release(), "release")
	r.release(shared, kept)
}

func eventsRefused(r *rig) {
	e, err := r.engine.NewEvent("done")
	r.ok(err, "new event")
	other, err := r.engine.NewQueue("other")
	r.ok(err, "new queue")
	signal, await := r.prepare(gpu.Signal{Event: e}), r.prepare(gpu.Await{Event: e})
	_, err = other.Submit(await, 1)
	r.fails(err, "an await before any signal", kind(gpu.ErrInvalid), "done", "1", "0")
	r.runs(signal, 2)
	_, err = other.Submit(await, 3)
	r.fails(err, "three awaits after two signals", kind(gpu.ErrInvalid), "done", "3", "2")
	_, err = r.q().Submit(await, 1)
	r.fails(err, "an await on the queue that signals", kind(gpu.ErrInvalid), "done")
	s, err := other.Submit(await, 2)
	r.ok(err, "two awaits after two signals")
	_, err = s.Wait(context.Background())
	r.ok(err, "wait")
	_, err = other.Submit(signal, 1)
	r.fails(err, "a signal by another queue", kind(gpu.ErrInvalid), "done")
	r.ok(e.Release(), "release")
	r.fails(e.Release(), "a second Release", kind(gpu.ErrReleased), "done")
	_, err = r.engine.Prepare(gpu.Signal{Event: e})
	r.fails(err, "a released event", kind(gpu.ErrReleased), "done")
	r.runs(signal, 1) // the program keeps its event
	r.ok(other.Close(), "close")
	r.ok(signal.Release(), "release")
	r.ok(await.Release(), "release")
}

func programForeign(r *rig) {
	second := r.newEngine()
	theirs, err := second.Prepare()
	r.ok(err, "prepare on a second engine")
	_, err = r.q().Submit(theirs, 1)
	r.fails(err, "another engine's program", kind(gpu.ErrInvalid))
	_, err = r.q().Submit(nil, 1)
	r.fails(err, "no program", kind(gpu.ErrInvalid))
	e, err := second.NewEvent("theirs")
	r.ok(err, "new event on a second engine")
	_, err = r.engine.Prepare(gpu.Signal{Event: e})
	r.fails(err, "another engine's event", kind(gpu.ErrInvalid))
	r.ok(e.Release(), "release")
	r.ok(theirs.Release(), "release")
	r.ok(second.Close(), "close the second engine")
}
