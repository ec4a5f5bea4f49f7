//go:build (darwin || metalsim) && cgo

package metal

import (
	"sync"
	"unsafe"

	"assay/gpu"
)

// stageBytes is the size of the staging buffer, through which larger transfers are made in pieces.
const stageBytes = 8 << 20

// copier moves bytes between the host and private buffers, one transfer at a time, on a queue of its own.
type copier struct {
	engine *engine
	queue  commandQueue

	mu    sync.Mutex
	stage memory // shared; made when first used
	ready bool
}

func newCopier(e *engine) (*copier, error) {
	q, err := e.newCommandQueue("transfers")
	if err != nil {
		return nil, err
	}
	return &copier{engine: e, queue: q}, nil
}

func (c *copier) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ready {
		c.stage.release()
	}
	c.queue.release()
}

// prepare allocates the staging buffer. It is not in the ledger, since it belongs to the engine and not to a caller.
func (c *copier) prepare() error {
	if c.ready {
		return nil
	}
	m, err := c.engine.device.newMemory(stageBytes, false, "staging")
	if err != nil {
		return c.engine.noMemory(stageBytes, "staging", err)
	}
	c.stage, c.ready = m, true
	return nil
}

func (c *copier) bytes() []byte { return unsafe.Slice((*byte)(c.stage.contents), stageBytes) }

// upload writes src at off. If it begins or ends within a word, the word's other bytes are read first.
func (c *copier) upload(b *buffer, off int, src []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pieces(off, len(src), func(at, from, n, whole int) error {
		head := from - (off + at) // ≤ 0: bytes of the first word before what is written
		if head != 0 || whole != n {
			if err := c.fetch(b, from, whole); err != nil {
				return err
			}
		}
		copy(c.bytes()[-head:], src[at:at+n])
		return c.wait(b, "upload", func(label string) (run, error) {
			return c.queue.copy(c.stage, 0, b.memory, from, whole, label)
		})
	})
}

// download reads from off into dst.
func (c *copier) download(b *buffer, off int, dst []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pieces(off, len(dst), func(at, from, n, whole int) error {
		if err := c.fetch(b, from, whole); err != nil {
			return err
		}
		copy(dst[at:at+n], c.bytes()[off+at-from:])
		return nil
	})
}

// pieces splits a transfer of n bytes at off into parts that fit into the staging buffer. It calls f with each part's window
// of whole words, which begins at from in the buffer, and with the part's offset in the transfer and its size.
func (c *copier) pieces(off, n int, f func(at, from, bytes, whole int) error) error {
	if err := c.prepare(); err != nil {
		return err
	}
	for at := 0; at < n; {
		from, _ := window(off+at, 1)
		bytes := min(n-at, from+stageBytes-(off+at))
		_, whole := window(off+at, bytes)
		if err := f(at, from, bytes, whole); err != nil {
			return err
		}
		at += bytes
	}
	return nil
}

func (c *copier) fetch(b *buffer, from, bytes int) error {
	return c.wait(b, "download", func(label string) (run, error) {
		return c.queue.copy(b.memory, from, c.stage, 0, bytes, label)
	})
}

// fill sets the whole buffer; its memory is whole words.
func (c *copier) fill(b *buffer, v byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, whole := window(0, b.Size())
	return c.wait(b, "fill", func(label string) (run, error) {
		return c.queue.fill(b.memory, 0, whole, v, label)
	})
}

// touch submits minimal work to the device and ignores the outcome.
func (c *copier) touch() {
	m, err := c.engine.device.newMemory(4, true, "touched")
	if err != nil {
		return
	}
	defer m.release()
	r, err := c.queue.fill(m, 0, 4, 0, "touch")
	if err != nil {
		return
	}
	defer r.release()
	r.wait(c.engine.options.Timeout.Seconds())
}

// wait starts a transfer and waits for it, no longer than the timeout of a command buffer.
func (c *copier) wait(b *buffer, what string, begin func(label string) (run, error)) error {
	e := c.engine
	if err := e.lossError(what, ""); err != nil {
		return err
	}
	e.resident.commit()
	label := what + " " + b.Label()
	r, err := begin(label)
	if err != nil {
		return gpu.Errorf(refusal(err), what, "", "%q, %d B: %v", b.Label(), b.Size(), err)
	}
	defer r.release()
	if !r.wait(e.timeout().Seconds()) {
		return e.hang(what, label)
	}
	return e.verdict(r.outcome(), what, label)
}
