package bench

import (
	"context"
	"slices"

	"assay/gpu"
	"assay/workloads/measure"
)

// paceTime is the maximum duration of a Pacer's command buffer, in seconds, unless it has a single launch.
const paceTime = 0.1

// Pacer runs launches repeatedly, each time on what the previous time left. It divides them into command buffers of about
// paceTime, so that the device is never busy for long and the work can be stopped.
type Pacer struct {
	scope    *Scope
	launches []gpu.Launch
	seconds  []float64 // of each launch; nil: not known yet
	parts    []part
}

// part is a command buffer: the launches from one index up to another.
type part struct {
	from, to int
	program  gpu.Program
}

// Pace returns a pacer for launches.
func (s *Scope) Pace(launches []gpu.Launch) *Pacer { return &Pacer{scope: s, launches: launches} }

// Run runs the launches a number of times. The first time, each is a separate command buffer, which is timed.
func (p *Pacer) Run(ctx context.Context, times int) error {
	all := times
	for times > 0 {
		p.scope.part(measure.Preparing, all-times, all)
		if p.seconds == nil {
			if err := p.try(ctx); err != nil {
				return err
			}
			times--
			continue
		}
		repeat := min(times, p.repeat())
		if err := p.once(ctx, repeat); err != nil {
			return err
		}
		times -= repeat
	}
	return nil
}

// try does each launch once and alone.
func (p *Pacer) try(ctx context.Context) error {
	var seconds []float64
	for i := range p.launches {
		t, err := p.scope.timed(ctx, 1, p.launches[i])
		if err != nil {
			return err
		}
		seconds = append(seconds, t.Device)
	}
	p.seconds = seconds
	return nil
}

// repeat returns how many times fit into a command buffer: one, if the launches are divided.
func (p *Pacer) repeat() int {
	total := 0.0
	for _, s := range p.seconds {
		total += s
	}
	most := max(1, maxLaunches/max(1, len(p.launches)))
	if total*float64(most) <= paceTime {
		return most
	}
	return max(1, int(paceTime/total))
}

// once runs the launches `repeat` times: together, or part by part if they take too long.
func (p *Pacer) once(ctx context.Context, repeat int) error {
	if p.parts == nil {
		p.parts = divided(p.seconds)
		for i := range p.parts {
			var err error
			at := &p.parts[i]
			if at.program, err = p.scope.prepare(gpu.Launches(p.launches[at.from:at.to]...)...); err != nil {
				p.parts = nil
				return err
			}
		}
	}
	for i := range p.parts {
		if _, err := p.scope.submitted(ctx, p.parts[i].program, repeat); err != nil {
			return err
		}
	}
	return nil
}

// divided returns stretches of launches that together take no more than paceTime, or are single launches.
func divided(seconds []float64) []part {
	parts, total := []part{{}}, 0.0
	for i, s := range seconds {
		last := &parts[len(parts)-1]
		if total += s; total > paceTime && last.from < i {
			last.to, total = i, s
			parts = append(parts, part{from: i})
		}
	}
	parts[len(parts)-1].to = len(seconds)
	return parts
}

// Like copies the launch times that another pacer found for the same launches on other buffers.
func (p *Pacer) Like(other *Pacer) {
	if other != nil {
		p.seconds = slices.Clone(other.seconds)
	}
}

// timed runs commands a number of times and returns their time.
func (s *Scope) timed(ctx context.Context, repeat int, commands ...gpu.Command) (gpu.Timing, error) {
	program, err := s.prepare(commands...)
	if err != nil {
		return gpu.Timing{}, err
	}
	return s.submitted(ctx, program, repeat)
}

// submitted runs a program a number of times in one command buffer.
func (s *Scope) submitted(ctx context.Context, program gpu.Program, repeat int) (gpu.Timing, error) {
	wait, err := s.bench.start(ctx, s.bench.Queue, program, repeat)
	if err != nil {
		return gpu.Timing{}, err
	}
	return wait()
}
