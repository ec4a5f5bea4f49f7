package precision

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"assay/gpu"
	"assay/shaders"
	"assay/shaders/blocks"
	"assay/workloads/bench"
	"assay/workloads/quant"
)

// blockGEMM has weights in blocks that contain their scales, and activations in f32.
func (l *layer) blockGEMM(t shaders.Type, f quant.Format, sets int) ([][]gpu.Launch, *quant.Errors, error) {
	weights, lost, err := l.blockRing(t, f, sets)
	if err != nil {
		return nil, nil, err
	}
	out, err := l.Outputs(shaders.F32.Bytes(l.batch*l.rows), sets, "out "+t.String())
	if err != nil {
		return nil, nil, err
	}
	p := blocks.BlockMatmulParams{M: uint32(l.batch), N: uint32(l.rows), K: uint32(l.cols)}
	d, err := l.Dispatch(shaders.Pick{Op: "matmul_blocks", Type: t}, nil, p, l.x, weights.Buffer, out.Buffer)
	if err != nil {
		return nil, nil, err
	}
	return bench.Rotate(d, weights, out), lost, nil
}

// blockRing returns sets of weights in blocks, and the format's errors.
func (l *layer) blockRing(t shaders.Type, f quant.Format, sets int) (ring bench.Ring, lost *quant.Errors, err error) {
	if err := f.Check(l.cols); err != nil {
		return ring, nil, err
	}
	key := fmt.Sprintf("%v of %s", t, l.key)
	w, err := bench.Cached(l.Scope, key, func(s *bench.Scope) (*packed, error) { return l.inBlocks(s, t, f) })
	if err != nil {
		return ring, nil, err
	}
	ring, err = l.copies(key, w.codes, t.Bytes(l.rows*l.cols), sets, "weights "+t.String())
	return ring, w.lost, err
}

// inBlocks returns the weights in blocks, in a buffer of s: encoded by the engine if it has a kernel for that, otherwise by the host.
// The engine's output is verified.
func (l *layer) inBlocks(s *bench.Scope, t shaders.Type, f quant.Format) (*packed, error) {
	if err := l.needScratch(); err != nil {
		return nil, err
	}
	w, err := s.Buffer(t, l.rows*l.cols, "weights "+t.String())
	if err != nil {
		return nil, err
	}
	p := blocks.BlockParams{Rows: uint32(l.rows), Cols: uint32(l.cols)}
	dequantize, err := l.Dispatch(shaders.Pick{Op: "dequantize_blocks", Type: t}, nil, p, w, l.scratch)
	if err != nil {
		return nil, err
	}
	launches := []gpu.Launch{dequantize}
	if pick := (shaders.Pick{Op: "quantize_blocks", Type: t}); l.Supports(pick) == nil {
		quantize, err := l.Dispatch(pick, nil, p, l.weights, w)
		if err != nil {
			return nil, err
		}
		launches = []gpu.Launch{quantize, dequantize}
	} else if err := l.encode(w, t, f); err != nil {
		return nil, err
	}
	if err := l.Verify(launches...); err != nil {
		return nil, err
	}
	lost, err := l.losses(l.scratch, shaders.F32)
	return &packed{codes: w, lost: lost}, err
}

// encode encodes blocks on the host, in pieces on all cores: the scales of some formats are found by search.
func (l *layer) encode(to gpu.Buffer, t shaders.Type, f quant.Format) error {
	const piece = bench.Chunk // whole blocks
	original, n, workers := l.Floats(l.weights, shaders.F32), l.rows*l.cols, runtime.GOMAXPROCS(0)
	for at := 0; at < n; at += workers * piece {
		l.Progress(at, n)
		errs := make([]error, workers)
		encoded := make([]*quant.Packed, workers)
		var all sync.WaitGroup
		for i := range workers {
			first := at + i*piece
			if first >= n {
				break
			}
			w := make([]float32, min(piece, n-first))
			if err := errors.Join(original(w, first), l.Context().Err()); err != nil {
				errs[i] = err
				break
			}
			all.Go(func() { encoded[i], _, errs[i] = f.Encode(w, 1, len(w)) })
		}
		all.Wait()
		if err := errors.Join(errs...); err != nil {
			return err
		}
		for i, p := range encoded {
			if p == nil {
				break
			}
			if err := to.Write(t.Bytes(at+i*piece), p.Planes[0]); err != nil {
				return err
			}
		}
	}
	return nil
}
