package monitor

import "context"

// coreUseReader reads who uses the cores: everyone, Assay, others, and other virtual machines.
type coreUseReader struct {
	times                    func(context.Context) (cpuTime, error)
	clock                    coreClock
	all, own, others, stolen Reading
	steals                   bool // the system counts steal time
}

func newCoreUseReader(source string, times func(context.Context) (cpuTime, error), steals bool) coreUseReader {
	return coreUseReader{
		times: times, steals: steals, all: Template(HostCPU, source), own: Template(ProcessShare, source+", getrusage"),
		others: Template(HostOthers, source+" minus getrusage"), stolen: Template(HostSteal, source),
	}
}

// read appends the readings.
func (r *coreUseReader) read(ctx context.Context, to []Reading) []Reading {
	now, err := r.times(ctx)
	if err != nil {
		return r.each(to, func(one Reading) Reading { return one.without(err) })
	}
	own, err := OwnTime()
	if err != nil {
		return r.each(to, func(one Reading) Reading { return one.failed(err.Error()) })
	}
	use, why := r.clock.next(now, own)
	if why != "" {
		return r.each(to, func(one Reading) Reading { return one.unavailable(why) })
	}
	to = append(to, r.all.ok(use.busy), r.own.ok(use.own), r.others.estimated(use.others))
	if r.steals {
		to = append(to, r.stolen.ok(use.steal))
	}
	return to
}

// each appends the readings without values.
func (r *coreUseReader) each(to []Reading, of func(Reading) Reading) []Reading {
	to = append(to, of(r.all), of(r.own), of(r.others))
	if r.steals {
		to = append(to, of(r.stolen))
	}
	return to
}

// coreClock turns counts of core time into shares of the time between them.
type coreClock struct {
	times cpuTime
	own   float64
	has   bool
}

// next returns the use since the previous counts, or why it is not known.
func (c *coreClock) next(now cpuTime, own float64) (u coreUse, why string) {
	prev := *c
	*c = coreClock{now, own, true}
	if !prev.has {
		return coreUse{}, needsTwo
	}
	u, ok := now.useSince(prev.times, own-prev.own)
	if !ok {
		return coreUse{}, stale
	}
	return u, ""
}
