package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
)

func poolRows() []PoolRow {
	at := time.Date(2026, 11, 24, 10, 0, 0, 123, time.UTC)
	return []PoolRow{
		{Time: at, Until: at, Op: PoolAllocated, Buffer: 1, Count: 1, Size: 4096, Requested: 4000, Label: "weights", Case: "a, \"b\""},
		{Time: at, Until: at, Op: PoolAcquired, Buffer: 1, Lease: 7, Count: 1, Size: 4096, Requested: 4000, Label: "=1"},
		{Time: at, Until: at.Add(time.Second), Op: PoolReleased, Count: 12345, Size: 4096},
	}
}

func readPoolLog(t *testing.T, r *Run) (rows []PoolRow) {
	t.Helper()
	runstest.Check(t, r.EachPoolRow(t.Context(), func(row *PoolRow) error { rows = append(rows, *row); return nil }))
	return rows
}

func TestPoolLogRoundTrip(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	want := poolRows()
	runstest.Check(t, b.PoolLog(want[:1]...))
	if got := readPoolLog(t, b.Run()); !reflect.DeepEqual(got, want[:1]) { // during the run
		t.Errorf("got %+v", got)
	}
	runstest.Check(t, b.PoolLog(want[1:]...))
	runstest.Check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	if got := readPoolLog(t, r); !reflect.DeepEqual(got, want) || len(r.Notes) > 0 {
		t.Errorf("got %+v, notes %q", got, r.Notes)
	}
	stop := errors.New("stop")
	if err := r.EachPoolRow(t.Context(), func(*PoolRow) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

func TestNoPoolLog(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	if rows := readPoolLog(t, r); rows != nil || len(r.Notes) > 0 {
		t.Errorf("got %v, notes %q", rows, r.Notes)
	}
}

// A missing, truncated or changed log is reported on loading; one that cannot be read names the place.
func TestDamagedPoolLog(t *testing.T) {
	for want, spoil := range map[string]func(path string, data []byte) error{
		"pool.csv is missing":  func(path string, _ []byte) error { return os.Remove(path) },
		"pool.csv is cut off":  func(path string, data []byte) error { return os.WriteFile(path, data[:len(data)-9], 0o600) },
		"pool.csv has changed": func(path string, data []byte) error { data[len(data)-5]++; return os.WriteFile(path, data, 0o600) },
		"line 2: bytes is \"-4\"": func(path string, data []byte) error {
			return os.WriteFile(path, []byte(strings.Replace(string(data), ",4096,", ",-4,", 1)), 0o600)
		},
	} {
		b := writeBundle(t, t.TempDir())
		runstest.Check(t, b.PoolLog(poolRows()...))
		runstest.Check(t, b.Finish(Finished, nil))
		path := filepath.Join(b.Dir(), poolFile)
		data, err := os.ReadFile(path)
		runstest.Check(t, err)
		runstest.Check(t, spoil(path, data))
		r, err := Load(b.Dir())
		runstest.Check(t, err)
		said := strings.Join(r.Notes, "; ")
		if err := r.EachPoolRow(t.Context(), func(*PoolRow) error { return nil }); err != nil {
			said += err.Error()
		}
		if !strings.Contains(said, want) {
			t.Errorf("got %q, want %q", said, want)
		}
		if s := Summarize(b.Dir()); strings.Contains(want, "cut off") && !strings.Contains(s.Problem, want) {
			t.Errorf("the list of runs says %q, want %q", s.Problem, want)
		}
	}
}
