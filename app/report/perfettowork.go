package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/measure"
)

// slice is an interval on a track of a trace; times are seconds since the start of the run. Deeper ones are drawn inside others.
type slice struct {
	from, to       float64
	depth          int
	name, category string
	notes          message
}

// Depths of slices.
const (
	depthJob = iota
	depthCase
	depthPhase
	depthPart
)

// slices writes a track of slices, each cut at the end of its parent, and at the beginning of the next slice of its depth.
func (t *trace) slices(track string, list []slice) {
	on := t.track(track)
	slices.SortStableFunc(list, func(a, b slice) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.depth, b.depth)) })
	var open []slice
	end := func(before float64, depth int) {
		for n := len(open) - 1; n >= 0 && (open[n].to <= before || open[n].depth >= depth); n-- {
			t.event(min(open[n].to, before), eventOf(sliceEnd, on))
			open = open[:n]
		}
	}
	for _, s := range list {
		end(s.from, s.depth)
		if n := len(open); n > 0 {
			s.to = min(s.to, open[n-1].to)
		}
		s.to = max(s.from, s.to)
		t.event(s.from, eventOf(sliceBegin, on).text(eventName, s.name).text(eventCategory, s.category).raw(s.notes))
		open = append(open, s)
	}
	end(math.Inf(1), 0)
}

// workSlices are the jobs, the cases in them, and the phases in those. Discarded work and waits are beside the cases.
func workSlices(p *Replay) []slice {
	list := phaseSlices(p.Phases)
	for _, j := range p.Jobs {
		from := j.From
		for i := range p.Phases {
			if p.Phases[i].Workload == j.Workload && p.Phases[i].From >= 0 {
				from = min(from, p.Phases[i].From)
			}
		}
		list = append(list, slice{from: from, to: j.To, depth: depthJob, name: j.Workload, category: "workload"})
	}
	for i := range p.Cases {
		c := &p.Cases[i]
		s := slice{from: c.From, to: c.To, depth: depthCase, name: c.Case, category: "case"}
		for k := range p.Run.Results {
			if r := &p.Run.Results[k]; r.Workload == c.Workload && r.Case == c.Case && p.at(r.Started) == c.From {
				s.notes = s.notes.note(r.Variant, timeInWords(r))
			}
		}
		list = append(list, s)
	}
	return list
}

// timeInWords is a result's time, or why it has none.
func timeInWords(r *workloads.Result) string {
	if r.Status != workloads.OK {
		return r.WithoutTime()
	}
	return FormatInterval(r.Time()) + ", " + si.Counted(len(r.Samples), "sample")
}

// phaseGap is the maximum gap between parts of one phase, in seconds.
const phaseGap = 1e-3

// phaseSlices are phases with their parts: variants, laps.
func phaseSlices(phases []Phase) (list []slice) {
	for from := 0; from < len(phases); {
		first, to := &phases[from], from+1
		for to < len(phases) && phases[to].continues(&phases[to-1]) {
			to++
		}
		whole := slice{
			from: first.From, to: phases[to-1].To, depth: depthPhase, name: string(first.Name), category: "phase",
			notes: message{}.note("case", first.Case),
		}
		if to-from == 1 && first.Variant == "" {
			whole.notes = first.notes()
		}
		list = append(list, whole)
		for i := from; i < to && (to-from > 1 || first.Variant != ""); i++ {
			ph := &phases[i]
			list = append(list, slice{from: ph.From, to: ph.To, depth: depthPart, name: ph.part(i - from), category: "phase", notes: ph.notes()})
		}
		from = to
	}
	return list
}

// continues reports whether a phase continues the one before it, for instance with another variant.
func (p *Phase) continues(before *Phase) bool {
	return p.Name == before.Name && p.Case == before.Case && p.Workload == before.Workload && p.From-before.To < phaseGap
}

// part names part n of a phase.
func (p *Phase) part(n int) string {
	if p.Variant != "" {
		return p.Variant
	}
	return fmt.Sprintf("lap %d", n+1)
}

func (p *Phase) notes() message {
	m := message{}.note("case", p.Case).note("why", p.Why)
	if p.Count > 0 {
		m = m.note("command buffers", fmt.Sprint(p.Count)).note("they took", si.Time(p.Busy))
	}
	if p.Idle > 0 {
		m = m.note("idle, as asked for", si.Time(p.Idle))
	}
	if p.Merged > 0 {
		m = m.note("summed up", fmt.Sprintf("%s, %s of them other phases", si.Counted(p.Merged+1, "span"), si.Time(p.Other)))
	}
	return m
}

// flights writes the command buffers that are known individually: in the queue and, if its clock is known, on the device.
func (t *trace) flights(p *Replay) {
	var queue, device []slice
	why := p.Run.Meta.Engine.GapWhy
	for i := range p.Phases {
		ph := &p.Phases[i]
		for k := range ph.Flights {
			f := &ph.Flights[k]
			at := ph.since + f.From
			name := cmp.Or(f.Variant, string(ph.Name))
			notes := message{}.note("variant", f.Variant).note("dispatches", fmt.Sprint(f.Launches)).note("phase", string(ph.Name))
			took, began := f.Device != nil, f.Device != nil && f.Gap != nil
			if took {
				notes = notes.note("on the device", si.Time(*f.Device))
			}
			if !began {
				notes = notes.note("begin on the device", "not available: "+cmp.Or(why, "it was timed by the host"))
			} else {
				device = append(device, slice{
					from: at + *f.Gap, to: at + *f.Gap + *f.Device, name: name, category: "dispatch",
					notes: message{}.note("dispatches", fmt.Sprint(f.Launches)).note("phase", string(ph.Name)),
				})
			}
			queue = append(queue, slice{from: at, to: at + f.Wall, name: measure.CommandBuffer, category: "queue", notes: notes})
		}
	}
	t.lanes("Queue", queue)
	t.lanes("Device", device)
}

// lanes writes slices that may overlap, on as many tracks as needed.
func (t *trace) lanes(track string, list []slice) {
	slices.SortStableFunc(list, func(a, b slice) int { return cmp.Compare(a.from, b.from) })
	var lanes [][]slice
	for _, s := range list {
		n := slices.IndexFunc(lanes, func(l []slice) bool { return l[len(l)-1].to <= s.from })
		if n < 0 {
			n, lanes = len(lanes), append(lanes, nil)
		}
		lanes[n] = append(lanes[n], s)
	}
	for i, lane := range lanes {
		name := track
		if i > 0 {
			name = fmt.Sprintf("%s %d", track, i+1)
		}
		t.slices(name, lane)
	}
}
