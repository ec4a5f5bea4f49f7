package bundle

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"time"
)

// poolFile is the log of the run's buffer pool. A run whose pool did nothing has none; neither do runs of older versions.
const poolFile = "pool.csv"

// PoolOp is what happened to a buffer of the pool. It is stable: bundles contain it.
type PoolOp string

// Operations of a pool.
const (
	PoolAllocated PoolOp = "allocated"
	PoolFreed     PoolOp = "freed"
	PoolAcquired  PoolOp = "acquired"
	PoolReleased  PoolOp = "released"
)

// PoolRow is a row of pool.csv: one operation, or the sum of several with the same kind and size.
type PoolRow struct {
	Time, Until time.Time // of the first and the last
	Op          PoolOp
	Buffer      uint64 // number within the run; 0: a sum
	Lease       uint64 // of an acquire or a release
	Count       int64  // 1, or how many were summed up
	Size        int64  // of each buffer, in bytes; 0: several sizes
	Requested   int64  // requested bytes; 0: unknown
	Label, Case string
}

func poolColumns() []string {
	return []string{"time", "until", "operation", "buffer", "lease", "count", "bytes", "requested_bytes", "label", "case"}
}

// orNone returns an empty cell for 0.
func orNone[T uint64 | int64](v T) Cell {
	if v == 0 {
		return nil
	}
	return int(v)
}

func (r *PoolRow) cells() []Cell {
	var until Cell
	if r.Count != 1 {
		until = r.Until
	}
	return []Cell{
		r.Time, until, string(r.Op), orNone(r.Buffer), orNone(r.Lease), int(r.Count), orNone(r.Size), orNone(r.Requested), r.Label, r.Case,
	}
}

// PoolLog adds rows to pool.csv.
func (b *Bundle) PoolLog(rows ...PoolRow) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over || len(rows) == 0 {
		return nil
	}
	if b.err != nil {
		return b.err
	}
	var lines []byte
	if b.pool == nil {
		var err error
		if b.pool, err = createLog(filepath.Join(b.run.Dir, poolFile), csvLine(cells(poolColumns())...)); err != nil {
			return err
		}
	}
	for i := range rows {
		row := rows[i]
		row.Time, row.Until = b.steady(row.Time), b.steady(row.Until)
		lines = append(lines, flatLine(row.cells()...)...)
	}
	return b.pool.append(lines, false)
}

// hasPoolLog reports whether the run ended with a log of its pool.
func (m *Meta) hasPoolLog() bool {
	if m.Written == nil {
		return false
	}
	_, is := m.Written.Bytes[poolFile]
	return is
}

// EachPoolRow calls each with every row of the pool's log in the run's folder, until it returns an error or ctx ends. A run without
// a log, or without a folder, has none.
func (r *Run) EachPoolRow(ctx context.Context, each func(*PoolRow) error) error {
	if r.Dir == "" {
		return nil
	}
	f, err := openFile(filepath.Join(r.Dir, poolFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	in, _, err := wholeReader(f, lineEnd(f, poolFile))
	if err != nil {
		return err
	}
	return eachPoolRow(until{ctx, in}, each)
}

func eachPoolRow(in io.Reader, each func(*PoolRow) error) error {
	t, err := openTable(poolFile, in, "time", "operation", "count")
	if err != nil {
		return err
	}
	t.reader.ReuseRecord = true
	texts := interner{}
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		row, err := parsePoolRow(t, texts)
		if err = cmp.Or(err, each(&row)); err != nil {
			return err
		}
	}
}

func parsePoolRow(t *table, texts interner) (r PoolRow, err error) {
	r = PoolRow{
		Op: PoolOp(texts.one(t.text("operation"))), Label: texts.one(t.text("label")), Case: texts.one(t.text("case")),
	}
	if r.Time, err = t.time("time"); err != nil {
		return r, err
	}
	if r.Until = r.Time; t.text("until") != "" {
		if r.Until, err = t.time("until"); err != nil {
			return r, err
		}
	}
	for column, to := range map[string]*int64{"count": &r.Count, "bytes": &r.Size, "requested_bytes": &r.Requested} {
		if *to, err = amount(t, column); err != nil {
			return r, err
		}
	}
	for column, to := range map[string]*uint64{"buffer": &r.Buffer, "lease": &r.Lease} {
		n, err := amount(t, column)
		if err != nil {
			return r, err
		}
		*to = uint64(n)
	}
	return r, nil
}

// amount returns a non-negative whole number; 0 if the cell is empty.
func amount(t *table, column string) (int64, error) {
	n, err := t.int(column)
	if err == nil && n < 0 {
		err = t.bad(column, "a whole number of 0 or more, or nothing")
	}
	return int64(n), err
}
