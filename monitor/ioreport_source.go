package monitor

import "context"

// reportReader samples the channels of IOReport that wantedChannel selects.
type reportReader interface {
	sample() (reportSample, error)
}

// reportSource reads energy and the GPU's states from IOReport.
type reportSource struct {
	open   func() (reportReader, error)
	tables func() ([]voltageTable, error)
	opened bool
	reader reportReader
	err    error // why there is no reader

	rails    []rail
	channels map[channelKey]*energyChannel
	clocks   []float64 // of the GPU's states, Hz
	noClocks error
	times    gpuTimes // of the previous sample
	throttle gpuThrottle
	out      []Reading
}

func newReportSource(open func() (reportReader, error), tables func() ([]voltageTable, error)) *reportSource {
	return &reportSource{open: open, tables: tables, rails: rails(), channels: map[channelKey]*energyChannel{}}
}

func (s *reportSource) Name() string { return "IOReport" }

func (s *reportSource) Read(context.Context) []Reading {
	if !s.opened {
		s.opened = true
		s.reader, s.err = s.open()
		s.clocks, s.noClocks = s.readClocks()
	}
	sample, err := reportSample{}, s.err
	if err == nil {
		sample, err = s.reader.sample()
	}
	s.out = s.energy(s.out[:0], &sample, err)
	s.out = s.gpu(s.out, &sample, err)
	return s.out
}

func (s *reportSource) readClocks() ([]float64, error) {
	tables, err := s.tables()
	if err != nil {
		return nil, err
	}
	return gpuClocks(tables)
}

// energy appends the power of each rail, and of the chip.
func (s *reportSource) energy(to []Reading, sample *reportSample, err error) []Reading {
	sum := Template(PowerSoC, "IOReport "+energyGroup).ok(0)
	for i := range s.rails {
		r := s.power(&s.rails[i], sample, err)
		to = append(to, r)
		if r.Metric != PowerGPUSRAM { // part of the GPU's power on some chips
			sum = plus(sum, r)
		}
	}
	return append(to, sum)
}

// plus adds a reading to a sum. If one has no value, neither has the sum, because a part would look like the whole.
func plus(sum, r Reading) Reading {
	switch {
	case sum.Status != OK:
	case r.Status != OK:
		sum.Value, sum.Provenance = 0, ""
		sum.Status, sum.Reason = r.Status, r.Reason
	default:
		sum.Value += r.Value
		if r.Provenance == Estimated {
			sum.Provenance = Estimated
		}
	}
	return sum
}

// power is the power of a rail if all its channels have a value.
func (s *reportSource) power(rail *rail, sample *reportSample, err error) Reading {
	r := Template(rail.metric, "IOReport "+energyGroup)
	if err != nil {
		return r.without(err)
	}
	rows := rail.rows(sample.rows)
	if len(rows) == 0 {
		return r.unavailable("no such energy counter on this machine")
	}
	r = r.ok(0)
	for n, i := range rows {
		row := &sample.rows[i]
		c := s.channel(rail, row.channel, twins(sample.rows, rows[:n], row.channel))
		r = plus(r, c.reading(row, sample))
	}
	return r
}

// twins counts the rows of a name among some.
func twins(rows []reportRow, among []int, name string) (n int) {
	for _, i := range among {
		if rows[i].channel == name {
			n++
		}
	}
	return n
}

// channelKey identifies a channel: some chips publish several with the same name.
type channelKey struct {
	name  string
	twins int
}

// channel is the state of a channel.
func (s *reportSource) channel(rail *rail, name string, twins int) *energyChannel {
	key := channelKey{name, twins}
	c := s.channels[key]
	if c == nil {
		c = &energyChannel{rail: rail}
		s.channels[key] = c
	}
	return c
}

// gpu appends how busy the GPU was, its clock, and whether that hints at throttling.
func (s *reportSource) gpu(to []Reading, sample *reportSample, err error) []Reading {
	const source = "IOReport " + gpuStates
	busy, clock, share := Template(GPUBusy, source), Template(GPUClock, source), Template(GPUClockShare, source)
	held := Template(Throttling, "GPU clock under load, relative to the best seen")
	spent, err := s.spent(sample, err)
	if err != nil {
		return append(to, busy.without(err), clock.without(err), share.without(err), held.without(err))
	}
	busy = busy.ok(spent.busy())
	mean, err := s.mean(spent)
	if err != nil {
		return append(to, busy, clock.without(err), share.without(err), held.without(err))
	}
	part := mean / s.clocks[len(s.clocks)-1]
	dropped, err := s.throttle.next(busy.Value, part)
	if err != nil {
		held = held.without(err)
	} else {
		held = held.estimated(dropped)
	}
	return append(to, busy, clock.ok(mean), share.ok(part), held)
}

// spent is the GPU's times since the previous sample.
func (s *reportSource) spent(sample *reportSample, err error) (gpuTimes, error) {
	if err != nil {
		return gpuTimes{}, err
	}
	now, ok := decodeGPUTimes(sample.rows)
	if !ok {
		return gpuTimes{}, absent("the GPU's driver does not publish state times")
	}
	before := s.times
	s.times = now
	if before.clock == nil {
		return gpuTimes{}, absent(needsTwo)
	}
	spent, ok := now.since(before)
	if !ok {
		return gpuTimes{}, absent(stale)
	}
	return spent, nil
}

func (s *reportSource) mean(spent gpuTimes) (float64, error) {
	if s.noClocks != nil {
		return 0, s.noClocks
	}
	return spent.mean(s.clocks)
}
