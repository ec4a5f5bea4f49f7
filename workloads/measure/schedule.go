package measure

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Schedule is a fixed sequence of steps that replaces sampling until the intervals are narrow. A step is one sample of each variant.
// The zero value: no schedule.
type Schedule struct {
	Wait   int // steps that run and are not recorded
	Warmup int // discarded steps after that
	Active int // counted steps after that
	Repeat int // number of repetitions of all these
}

// Limits of a schedule: on all steps, and on those that count.
const (
	MaxSteps       = 1_000_000
	MaxActiveSteps = 100_000
)

// Fixed reports whether there is a schedule.
func (s Schedule) Fixed() bool { return s != Schedule{} }

func (s Schedule) String() string {
	if !s.Fixed() {
		return ""
	}
	return fmt.Sprintf("wait=%d,warmup=%d,active=%d,repeat=%d", s.Wait, s.Warmup, s.Active, s.Repeat)
}

// ParseSchedule reads the output of String. Active is required; if omitted, repeat is 1 and the others are 0.
func ParseSchedule(text string) (Schedule, error) {
	s := Schedule{Repeat: 1}
	fields := map[string]*int{"wait": &s.Wait, "warmup": &s.Warmup, "active": &s.Active, "repeat": &s.Repeat}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		field := fields[name]
		if field == nil {
			return Schedule{}, fmt.Errorf("schedule %q: %q is not wait, warmup, active or repeat, each once with its number, as in wait=1,warmup=1,active=3,repeat=2", text, part)
		}
		delete(fields, name)
		n, err := strconv.Atoi(value)
		if err != nil {
			return Schedule{}, fmt.Errorf("schedule %q: %s must be a whole number (you entered %q)", text, name, value)
		}
		*field = n
	}
	return s, s.Check()
}

// Check returns an error that names the value outside its limits.
func (s Schedule) Check() error {
	if !s.Fixed() {
		return nil
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{{"wait", s.Wait, 0}, {"warmup", s.Warmup, 0}, {"active", s.Active, 1}, {"repeat", s.Repeat, 1}} {
		if f.value < f.least || f.value > MaxSteps {
			return fmt.Errorf("schedule: %s must be between %d and %d (you entered %d)", f.name, f.least, MaxSteps, f.value)
		}
	}
	if n := s.Active * s.Repeat; n > MaxActiveSteps {
		return fmt.Errorf("schedule: active steps in all repetitions must be %d at most (you entered %d)", MaxActiveSteps, n)
	}
	if n := s.steps(); n > MaxSteps {
		return fmt.Errorf("schedule: steps in all repetitions must be %d at most (you entered %d)", MaxSteps, n)
	}
	return nil
}

func (s Schedule) steps() int { return s.Repeat * (s.Wait + s.Warmup + s.Active) }

// counted returns how many of the steps before a pass count.
func (s Schedule) counted(pass int) int {
	round := s.Wait + s.Warmup + s.Active
	return pass/round*s.Active + max(0, pass%round-s.Wait-s.Warmup)
}

// A step is what happens to a sample.
type step int

const (
	counts step = iota
	discarded
	unrecorded
)

// step returns what happens to the samples of a pass. Without a schedule all count.
func (s Schedule) step(pass int) step {
	if !s.Fixed() {
		return counts
	}
	switch at := pass % (s.Wait + s.Warmup + s.Active); {
	case at < s.Wait:
		return unrecorded
	case at < s.Wait+s.Warmup:
		return discarded
	}
	return counts
}

// step takes a sample of subject i, in a pass.
func (p *pipeline) step(ctx context.Context, pass, i int) {
	res := &p.results[i]
	switch p.o.Schedule.step(pass) {
	case counts:
		p.progress(Sampling, i)
		p.push(ctx, i, func(t float64) { res.Samples = append(res.Samples, t) })
	case discarded:
		p.progress(WarmingUp, i)
		p.push(ctx, i, func(float64) { res.Warmups++ })
	default:
		p.progress(WarmingUp, i)
		p.push(ctx, i, func(float64) {})
	}
}
