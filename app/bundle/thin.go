package bundle

import (
	"context"
	"io"

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
	if err != nil {
		return nil, 0, loadError(dir, err)
	}
	return r, every, nil
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
