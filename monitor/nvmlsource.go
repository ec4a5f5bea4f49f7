package monitor

import "context"

// Follower is a source that reads one of several GPUs.
type Follower interface {
	// Follow makes each reading cover the GPU that current names, by the ID under which other tools know it: an
	// NVIDIA GPU's UUID, "GPU-…". While current returns "", the source stays with the last GPU, initially the system's first.
	Follow(current func() string)
}

// nvmlReader queries NVML.
type nvmlReader interface {
	// choose selects the GPU to read; "" is the first.
	choose(id string) error
	// sample makes all queries; those that take 20 ms only if slow.
	sample(slow bool) *nvmlSample
	// energy queries only the energy.
	energy() nvmlAnswer
	// source names the function for an item, the driver and the GPU.
	source(item nvmlItem) string
}

// nvmlSource reads an NVIDIA GPU.
type nvmlSource struct {
	open    func() (nvmlReader, error)
	library string // as shown to users
	current func() string

	opened  bool
	reader  nvmlReader
	err     error // why there is no reader, or no such GPU
	id      string
	decoder nvmlDecoder
	out     []Reading
}

func (s *nvmlSource) Name() string { return "NVML" }

// Follow is part of Follower.
func (s *nvmlSource) Follow(current func() string) { s.current = current }

func (s *nvmlSource) Read(context.Context) []Reading {
	s.follow()
	s.out = s.out[:0]
	if s.err != nil {
		s.out = nvmlNothing(s.library, s.err, s.out)
	} else {
		s.out = s.decoder.decode(s.reader.sample(s.decoder.slow()), s.out)
	}
	return s.out
}

// follow opens the library on first use, and switches to another GPU if needed.
func (s *nvmlSource) follow() {
	id := s.id
	if s.current != nil {
		if now := s.current(); now != "" {
			id = now
		}
	}
	if s.opened && (id == s.id || s.reader == nil) {
		return
	}
	if !s.opened {
		s.opened = true
		if s.reader, s.err = s.open(); s.err != nil {
			s.reader = nil
			return
		}
	}
	s.id, s.decoder = id, nvmlDecoder{}
	s.err = s.reader.choose(id)
}
