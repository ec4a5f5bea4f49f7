package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/gpu"
	"assay/monitor"
	"assay/workloads/quant/weightfile"
)

// LoadRequest says which weights to load into buffers of an engine, and how.
type LoadRequest struct {
	Paths  []string // see Open
	Engine string   // empty: "auto"
	// Resident keeps a buffer for each tensor until the end, as inference does. Otherwise everything goes through one buffer of
	// LoadPart.
	Resident bool
}

// LoadPart is the largest part of a tensor that is loaded at once, unless tensors are resident.
const LoadPart = 32 << 20

// Load is what it took to load a model into buffers.
type Load struct {
	Name      string      `json:"file"`
	Engine    string      `json:"engine"` // including the device
	Resident  bool        `json:"resident"`
	Tensors   int         `json:"tensors"`
	Bytes     int64       `json:"bytes"` // of them
	Seconds   float64     `json:"seconds"`
	Before    int64       `json:"process_bytes_before"`
	Peak      int64       `json:"process_bytes_peak"`
	Buffers   int64       `json:"buffer_bytes_peak"`
	Points    []LoadPoint `json:"points"` // in chronological order
	Footprint string      `json:"process_bytes_not_available,omitempty"`
}

// LoadPoint is the state at one time while a model is being loaded.
type LoadPoint struct {
	Seconds float64 `json:"seconds"`
	Bytes   int64   `json:"bytes_loaded"`
	Process int64   `json:"process_bytes"`
	Buffers int64   `json:"buffer_bytes"`
}

// Rate returns the bytes loaded per second.
func (l *Load) Rate() float64 { return float64(l.Bytes) / max(l.Seconds, 1e-9) }

// Load reads a model into buffers of an engine, in parts, and reports how long that took and how much memory. An error names the
// tensor, and the byte of the file or the limit of the engine. As with Survey, only one runs at a time, and none during a run.
func (w *Weights) Load(ctx context.Context, r LoadRequest, told func(SurveyProgress)) (*Load, error) {
	ctx, end, err := w.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	return w.load(ctx, r, told)
}

// StartLoad is Load in the background, reported by SurveyUpdates.
func (w *Weights) StartLoad(r LoadRequest) error {
	ctx, end, err := w.begin(w.session.ctx)
	if err != nil {
		return err
	}
	w.session.work.Go(func() { // begin refuses a closed session
		found, err := w.load(ctx, r, func(p SurveyProgress) { w.session.publish(SurveyUpdate{SurveyProgress: p}) })
		end()
		w.session.publish(SurveyUpdate{Ended: true, Load: found, Err: err})
	})
	return nil
}

// load opens the files and the engine, and loads.
func (w *Weights) load(ctx context.Context, r LoadRequest, told func(SurveyProgress)) (_ *Load, err error) {
	name := r.Engine
	if name == "" {
		name = "auto"
	}
	engine, _, err := w.session.engines.get(name)
	if err != nil {
		return nil, err
	}
	f, err := weightfile.OpenPaths(r.Paths)
	if err != nil {
		return nil, err
	}
	info := engine.Info()
	l := &loading{
		Load: &Load{Name: f.Name(), Engine: info.Engine + " on " + info.Device, Resident: r.Resident}, engine: engine, file: f, told: told, begun: time.Now(),
	}
	l.sample(true)
	l.Before = l.Peak
	err = l.all(ctx)
	err = errors.Join(err, l.release(), f.Close())
	if err != nil {
		return nil, err
	}
	return l.Load, nil
}

// loading is a model being loaded.
type loading struct {
	*Load
	engine  gpu.Engine
	file    *weightfile.File
	buffers []gpu.Buffer // currently held
	held    int64        // bytes of them
	staging []byte       // if the host cannot see the buffers' memory
	told    func(SurveyProgress)
	begun   time.Time
	next    time.Time     // of a sample
	every   time.Duration // between samples
	total   int64
	tensor  string
}

// Memory samples: the initial interval, and the maximum number.
const (
	loadInterval = 20 * time.Millisecond
	maxLoadPoint = 400
)

// sample records the state at intervals, or always.
func (l *loading) sample(always bool) {
	now := time.Now()
	if !always && now.Before(l.next) {
		return
	}
	l.every = max(l.every, loadInterval)
	l.next = now.Add(l.every)
	process, err := monitor.Footprint(context.Background())
	if err != nil {
		l.Footprint = err.Error()
	}
	l.Peak, l.Buffers = max(l.Peak, process), max(l.Buffers, l.held)
	l.Points = append(l.Points, LoadPoint{now.Sub(l.begun).Seconds(), l.Bytes, process, l.held})
	if len(l.Points) > maxLoadPoint {
		l.thin()
	}
	if l.total > 0 {
		l.told(SurveyProgress{l.Bytes, l.total, l.tensor, surveyLeft(now.Sub(l.begun), l.Bytes, l.total)})
	}
}

// thin keeps the one with more memory of every two samples, and halves the sampling rate from now on.
func (l *loading) thin() {
	kept := l.Points[:0]
	for pair := range slices.Chunk(l.Points, 2) {
		p := pair[0]
		if len(pair) == 2 && pair[1].Process > p.Process {
			p = pair[1]
		}
		kept = append(kept, p)
	}
	l.Points, l.every = kept, 2*l.every
}

// all loads every tensor.
func (l *loading) all(ctx context.Context) error {
	tensors := l.file.Tensors()
	for i := range tensors {
		l.total += tensors[i].Bytes()
	}
	for i := range tensors {
		if err := l.one(ctx, &tensors[i]); err != nil {
			return err
		}
	}
	l.sample(true)
	l.Seconds = time.Since(l.begun).Seconds()
	return nil
}

// one loads a tensor: into a buffer of its own, or in parts through the shared one.
func (l *loading) one(ctx context.Context, t *weightfile.Tensor) error {
	l.tensor = t.Name
	l.Tensors++
	size := t.Bytes()
	if size == 0 {
		return nil
	}
	buffer, err := l.buffer(t, size)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	for at := int64(0); at < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := min(size-at, loadReaders*loadRead)
		off := 0
		if l.Resident {
			off = int(at)
		} else {
			off = int(at % LoadPart)
			n = min(n, LoadPart-int64(off))
		}
		if err := l.read(t, buffer, off, at, n); err != nil {
			return err
		}
		at += n
		l.Bytes += n
		l.sample(false)
	}
	return nil
}

// Reads of a tensor: the size of each, and how many run in parallel; with only one, a disk waits for the host.
const (
	loadRead    = 4 << 20
	loadReaders = 8
)

// read reads n bytes of a tensor, from byte at on, into the buffer; without a copy if the host sees its memory.
func (l *loading) read(t *weightfile.Tensor, b gpu.Buffer, off int, at, n int64) error {
	if memory := b.Bytes(); memory != nil {
		return l.sideBySide(t, memory[off:off+int(n)], at)
	}
	if l.staging == nil {
		l.staging = make([]byte, loadReaders*loadRead)
	}
	if err := l.sideBySide(t, l.staging[:n], at); err != nil {
		return err
	}
	if err := b.Write(off, l.staging[:n]); err != nil {
		return fmt.Errorf("tensor %q: %w", t.Name, err)
	}
	return nil
}

// sideBySide reads bytes of a tensor, from byte at on, with parallel readers.
func (l *loading) sideBySide(t *weightfile.Tensor, to []byte, at int64) error {
	var readers sync.WaitGroup
	errs := make([]error, loadReaders)
	for i := range errs {
		from := min(i*loadRead, len(to))
		piece := to[from:min(from+loadRead, len(to))]
		readers.Go(func() { errs[i] = l.file.ReadBytesAt(t, piece, at+int64(from)) })
	}
	readers.Wait()
	return errors.Join(errs...)
}

// buffer returns the buffer for a tensor of that many bytes.
func (l *loading) buffer(t *weightfile.Tensor, size int64) (gpu.Buffer, error) {
	label := "weights " + t.Name
	if !l.Resident {
		if size, label = LoadPart, "weights in parts"; len(l.buffers) > 0 {
			return l.buffers[0], nil
		}
	}
	b, err := l.engine.NewBuffer(int(size), gpu.Shared, label)
	if err != nil {
		return nil, err
	}
	l.buffers = append(l.buffers, b)
	l.held += size
	return b, nil
}

// release frees the buffers.
func (l *loading) release() error {
	var errs []error
	for _, b := range l.buffers {
		errs = append(errs, b.Release())
	}
	return errors.Join(errs...)
}
