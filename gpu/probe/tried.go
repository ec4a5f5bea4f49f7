package probe

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"assay/gpu"
	"assay/internal/si"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
)

// Abilities that are tried. Results are checked: an ability that computes something else does not count.

const (
	kernel   = "add_f32"
	elements = 4096
	// returned is how long memory may take to be returned after its buffer was released.
	returned = 2 * time.Second
)

// noCopy makes the device fill memory of the process.
func noCopy(ctx context.Context, e gpu.Engine) (string, error) {
	engine, err := offered[gpu.NoCopier](e, "the engine uses only memory it allocated")
	if err != nil {
		return "", err
	}
	page := os.Getpagesize()
	pages, err := unix.Mmap(-1, 0, 2*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return "", fmt.Errorf("mmap %d B: %w", 2*page, err)
	}
	given := make(chan struct{})
	b, err := engine.Wrap(pages, "probe pages", func() { close(given) })
	if err != nil {
		return "", errors.Join(err, unix.Munmap(pages))
	}
	want := append(bytes.Repeat([]byte{0xA5}, page), make([]byte, page)...)
	err = fill(ctx, e, b, page, 0xA5)
	if seen := bytes.Equal(pages, want); err == nil && !seen {
		err = errors.New("the process's memory lacks what the device wrote")
	}
	err = errors.Join(err, b.Release())
	select {
	case <-given:
		err = errors.Join(err, unix.Munmap(pages))
	case <-time.After(returned): // the device may still write there: the pages are kept
		err = errors.Join(err, fmt.Errorf("the memory was not released within %v", returned))
	}
	return fmt.Sprintf("the device filled %s of the process's memory", si.Bytes(float64(page))), err
}

func fill(ctx context.Context, e gpu.Engine, b gpu.Buffer, n int, value byte) error {
	p, err := e.Prepare(gpu.Fill{To: gpu.Binding{Buffer: b}, Bytes: n, Value: value})
	if err != nil {
		return err
	}
	_, err = submit(ctx, e, p)
	return errors.Join(err, p.Release())
}

// submit runs p once on its own queue and waits for it.
func submit(ctx context.Context, e gpu.Engine, p gpu.Program) (gpu.Submission, error) {
	q, err := e.NewQueue("probe")
	if err != nil {
		return nil, err
	}
	s, err := q.Submit(p, 1)
	if err == nil {
		_, err = s.Wait(ctx)
	}
	return s, errors.Join(err, q.Close())
}

func stageTimes(ctx context.Context, e gpu.Engine) (string, error) {
	s, err := sums(ctx, e, gpu.Encoding{Stages: true})
	if err != nil {
		return "", err
	}
	stages, err := gpu.Stages(ctx, s)
	if err != nil {
		return "", err
	}
	total, why := 0.0, ""
	for _, stage := range stages {
		if total += stage.Seconds; stage.Why != "" {
			why = stage.Why
		}
	}
	if why != "" || len(stages) == 0 {
		return "", fmt.Errorf("a stage has no time: %s", why)
	}
	return fmt.Sprintf("%d dispatches took %s together", len(stages), si.Time(total)), nil
}

func concurrent(ctx context.Context, e gpu.Engine) (string, error) {
	_, err := sums(ctx, e, gpu.Encoding{Concurrent: true})
	return "two dispatches side by side, then a third in order", err
}

// sums runs two independent launches, out = 1 + 2 and other = 2 + 2, and a third that needs both, last = out + other.
func sums(ctx context.Context, e gpu.Engine, how gpu.Encoding) (s gpu.Submission, err error) {
	engine, err := offered[gpu.Encoder](e, "the engine encodes programs in one way only")
	if err != nil {
		return nil, err
	}
	k, err := e.Kernel(catalog.MustFind(kernel))
	if err != nil {
		return nil, err
	}
	b, err := newBuffers(e, 1, 2, 0, 0, 0)
	defer func() { err = errors.Join(err, b.release()) }()
	if err != nil {
		return nil, err
	}
	add := func(x, y, out int) gpu.Command {
		return gpu.Launch{Kernel: k, Params: elementwise.ElementwiseParams{N: elements}, Bindings: gpu.Bind(b[x], b[y], b[out])}
	}
	p, err := engine.PrepareWith(how, add(0, 1, 2), add(1, 1, 3), add(2, 3, 4))
	if err != nil {
		return nil, err
	}
	s, err = submit(ctx, e, p)
	if err := errors.Join(err, p.Release()); err != nil {
		return nil, err
	}
	return s, b.check(4, 7)
}

// buffers have `elements` floats each.
type buffers []gpu.Buffer

func newBuffers(e gpu.Engine, values ...float64) (buffers, error) {
	var all buffers
	for i, value := range values {
		b, err := e.NewBuffer(4*elements, gpu.Shared, fmt.Sprintf("probe %d", i))
		if err != nil {
			return all, err
		}
		all = append(all, b)
		v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*elements)}
		for j := range elements {
			v.Set(j, value)
		}
		if err := b.Write(0, v.Data); err != nil {
			return all, err
		}
	}
	return all, nil
}

func (b buffers) check(i int, want float64) error {
	v := shaders.View{Type: shaders.F32, Data: make([]byte, 4*elements)}
	if err := b[i].Read(0, v.Data); err != nil {
		return err
	}
	for j := range elements {
		if got := v.At(j); got != want {
			return fmt.Errorf("element %d of the sums is %g, want %g", j, got, want)
		}
	}
	return nil
}

func (b buffers) release() error {
	var errs []error
	for _, one := range b {
		errs = append(errs, one.Release())
	}
	return errors.Join(errs...)
}
