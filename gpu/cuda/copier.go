//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"sync"
	"unsafe"
)

// stageBytes is the size of each of the two staging buffers: while the device copies one, the host copies the other.
const stageBytes = 4 << 20

// copier moves bytes between the host and the device, one transfer at a time, on its own queue.
type copier struct {
	engine *engine
	stream stream

	mu     sync.Mutex
	stages [2]stage
}

// stage is a staging buffer in pinned host memory, and the copy that is using it.
type stage struct {
	memory memory
	busy   bool
	run    run
}

func (s *stage) bytes() []byte { return unsafe.Slice((*byte)(s.memory.host), stageBytes) }

func newCopier(e *engine) (*copier, error) {
	s, err := e.device.newStream()
	return &copier{engine: e, stream: s}, err
}

func (c *copier) free() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.stages {
		if c.stages[i].memory.host != nil {
			c.engine.device.freeHost(c.stages[i].memory)
		}
	}
	if c.stream.c != nil {
		c.stream.free()
	}
}

// prepare allocates the staging buffers. They are not in the ledger, since they belong to the engine and not to a caller.
func (c *copier) prepare() error {
	for i := range c.stages {
		if c.stages[i].memory.host != nil {
			continue
		}
		m, err := c.engine.device.newHostMemory(stageBytes)
		if err != nil {
			return c.engine.noMemory(stageBytes, "staging", err)
		}
		c.stages[i].memory = m
	}
	return nil
}

// upload writes src to a device address.
func (c *copier) upload(label string, to uint64, src []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.prepare()
	for i := 0; err == nil && len(src) > 0; i++ {
		s := &c.stages[i%2]
		n := min(len(src), stageBytes)
		if err = c.wait(s, "upload "+label); err == nil {
			copy(s.bytes(), src[:n])
			err = c.start(s, "upload "+label, func(limit float64) (run, error) { return c.stream.copy(to, s.memory.address, n, limit) })
		}
		to, src = to+uint64(n), src[n:]
	}
	return c.drain("upload "+label, err)
}

// download reads from a device address into dst.
func (c *copier) download(label string, from uint64, dst []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.prepare()
	if err == nil {
		err = c.fetch(0, label, from, dst)
	}
	for i := 0; err == nil && len(dst) > 0; i++ {
		n := min(len(dst), stageBytes)
		if err = c.fetch(i+1, label, from+uint64(n), dst[n:]); err == nil {
			if err = c.wait(&c.stages[i%2], "download "+label); err == nil {
				copy(dst[:n], c.stages[i%2].bytes())
			}
		}
		from, dst = from+uint64(n), dst[n:]
	}
	return c.drain("download "+label, err)
}

// fetch starts to copy the beginning of what goes to dst into stage i, if anything remains.
func (c *copier) fetch(i int, label string, from uint64, dst []byte) error {
	if len(dst) == 0 {
		return nil
	}
	s, n := &c.stages[i%2], min(len(dst), stageBytes)
	return c.start(s, "download "+label, func(limit float64) (run, error) { return c.stream.copy(s.memory.address, from, n, limit) })
}

// fill sets bytes of device memory.
func (c *copier) fill(label string, to uint64, bytes int, v byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.stages[0]
	err := c.start(s, "fill "+label, func(limit float64) (run, error) { return c.stream.fill(to, bytes, v, limit) })
	return c.drain("fill "+label, err)
}

// start begins a copy that uses s; begin receives the timeout of a submission, in seconds.
func (c *copier) start(s *stage, what string, begin func(limit float64) (run, error)) error {
	r, err := begin(c.engine.timeout().Seconds())
	if err != nil {
		return c.engine.failed("copy", what, err)
	}
	s.run, s.busy = r, true
	return nil
}

// wait waits until nothing uses s, no longer than the timeout of a submission.
func (c *copier) wait(s *stage, what string) error {
	if !s.busy {
		return nil
	}
	s.busy = false
	defer s.run.free()
	_, _, ended, err := s.run.wait(c.engine.timeout().Seconds())
	if !ended {
		return c.engine.hang("copy", what)
	}
	if err != nil {
		return c.engine.failed("copy", what, err)
	}
	return nil
}

// drain waits for both stages, also after an error, which it returns before theirs.
func (c *copier) drain(what string, err error) error {
	for i := range c.stages {
		if other := c.wait(&c.stages[i], what); err == nil {
			err = other
		}
	}
	return err
}
