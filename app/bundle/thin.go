package bundle

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"assay/internal/series"
	"assay/monitor"
)

// LoadThinned is Load with at most a few thousand, evenly spaced snapshots of a long run. It ends early with ctx.
func LoadThinned(ctx context.Context, dir string) (r *Run, every int, err error) {
	every = 1
	if r, err = loadMeta(dir); err == nil {
		err = r.loadFiles(dir, func(in io.Reader) (err error) {
			r.Snapshots, every, err = thinnedSnapshots(until{ctx, in})
			return err
		})
	}
	if err == nil {
		r.thinned = every > 1
		err = r.judgeUnended()
	}
	if err != nil {
		return nil, 0, loadError(dir, err)
	}
	return r, every, nil
}

// EachSnapshot calls each with every snapshot of the run, until it returns an error. If those in memory are thinned, it
// reads the bundle.
func (r *Run) EachSnapshot(each func(*monitor.Snapshot) error) error {
	if r.thinned {
		return r.eachKept(each)
	}
	for i := range r.Snapshots {
		if err := each(&r.Snapshots[i]); err != nil {
			return err
		}
	}
	return nil
}

// eachKept calls each with the snapshots of the bundle.
func (r *Run) eachKept(each func(*monitor.Snapshot) error) error {
	f, err := openFile(filepath.Join(r.Dir, monitorFile))
	if err != nil {
		return err
	}
	defer f.Close()
	in, _, err := wholeReader(f, lineEnd(f, monitorFile))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(context.Background())
	defer stop(nil)
	err = eachSnapshot(until{ctx, in}, func(s monitor.Snapshot) {
		if ctx.Err() == nil {
			if err := each(&s); err != nil {
				stop(err)
			}
		}
	})
	return cmp.Or(context.Cause(ctx), err)
}

// until reads until ctx ends.
type until struct {
	ctx context.Context
	in  io.Reader
}

// Read is part of io.Reader.
func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.in.Read(p)
}

// thinnedSnapshots reads monitor.csv and keeps at most maxSnapshots, evenly: every second one, every fourth …
func thinnedSnapshots(in io.Reader) (kept []monitor.Snapshot, every int, err error) {
	var t series.Thinner[monitor.Snapshot]
	err = eachSnapshot(in, func(s monitor.Snapshot) { t.Add(s, maxSnapshots) })
	return t.Kept, t.Every(), err
}
