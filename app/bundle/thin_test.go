package bundle

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app/internal/runstest"
	"assay/internal/race"
	"assay/monitor"
)

// A case's end is recorded with its results.
func TestBundleNotesCases(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Results())
	runstest.Check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	var cases []string
	for _, e := range r.Events {
		if e.Kind == CaseOver {
			cases = append(cases, e.Workload+" "+e.Case)
		}
	}
	if got := strings.Join(cases, ", "); got != "sweep size 64, sweep size 128" {
		t.Errorf("cases noted: %s", got)
	}
	if lines := r.Happenings(); len(lines) != 2 {
		t.Errorf("what happened: %+v", lines)
	}
}

// longMonitor is monitor.csv of n ticks, one a second.
func longMonitor(n int) []byte {
	var buf bytes.Buffer
	w, _ := NewMonitorCSV(&buf)
	s := runstest.Snapshot()
	for i := range n {
		s.Time = runstest.Began().Add(time.Duration(i) * time.Second)
		_ = w.Write(s) // into memory
	}
	return buf.Bytes()
}

func TestThinnedSnapshots(t *testing.T) {
	if race.On {
		t.Skip("reads on one goroutine: nothing to race with")
	}
	for _, test := range []struct{ n, every int }{
		{0, 1}, {1, 1}, {maxSnapshots, 1}, {maxSnapshots + 1, 2}, {2 * maxSnapshots, 2}, {2*maxSnapshots + 1, 4}, {5 * maxSnapshots, 8},
	} {
		kept, every, err := thinnedSnapshots(bytes.NewReader(longMonitor(test.n)))
		runstest.Check(t, err)
		if want := (test.n + test.every - 1) / test.every; every != test.every || len(kept) != want {
			t.Errorf("of %d: %d kept, every %d; want %d, every %d", test.n, len(kept), every, want, test.every)
		}
		for i := range kept {
			if at := kept[i].Time.Sub(runstest.Began()).Seconds(); at != float64(i*every) || len(kept[i].Readings) != 3 {
				t.Fatalf("of %d: snapshot %d is at %v s with %d readings", test.n, i, at, len(kept[i].Readings))
			}
		}
	}
}

// All snapshots of a long run are in its bundle, and available one by one.
func TestEachSnapshotOfALongRun(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	runstest.Check(t, os.WriteFile(filepath.Join(b.Dir(), monitorFile), longMonitor(maxSnapshots+2), 0o600))
	r, every, err := LoadThinned(t.Context(), b.Dir())
	runstest.Check(t, err)
	var seen []time.Time
	runstest.Check(t, r.EachSnapshot(func(s *monitor.Snapshot) error {
		seen = append(seen, s.Time)
		return nil
	}))
	if every != 2 || len(seen) != maxSnapshots+2 || seen[1].Sub(seen[0]) != time.Second {
		t.Errorf("every %d in memory, %d of %d seen", every, len(seen), maxSnapshots+2)
	}
	for _, run := range []*Run{r, {Snapshots: r.Snapshots}} {
		n, enough := 0, errors.New("enough")
		err := run.EachSnapshot(func(*monitor.Snapshot) error {
			n++
			return enough
		})
		if !errors.Is(err, enough) || n != 1 {
			t.Errorf("an error at the first: %v after %d", err, n)
		}
	}
}

func TestWholeReader(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	for in, want := range map[string]string{
		"": "", "torn": "", "a\n": "a\n", "a\nb": "a\n", "a\n\x00\x00": "a\n", "a\n" + long: "a\n", long + "\n" + long: long + "\n", long + long: "",
	} {
		path := filepath.Join(t.TempDir(), "f")
		runstest.Check(t, os.WriteFile(path, []byte(in), 0o644))
		f, err := os.Open(path)
		runstest.Check(t, err)
		r, p, err := wholeReader(f, []byte("\n"))
		runstest.Check(t, err)
		var got bytes.Buffer
		_, err = got.ReadFrom(r)
		runstest.Check(t, err)
		runstest.Check(t, f.Close())
		if got.String() != want || p != (part{int64(len(in)), int64(len(want))}) {
			t.Errorf("of %d bytes: %d, %+v; want %d", len(in), got.Len(), p, len(want))
		}
	}
}

func BenchmarkReplayOfHours(b *testing.B) {
	data := longMonitor(4 * 3600)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for range b.N {
		if _, _, err := thinnedSnapshots(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}

// A record of results.csv may have line breaks in its texts: only CRLF ends it.
func TestWholeRecords(t *testing.T) {
	split := strings.Repeat("x", 1<<16-2) + "\r"
	for in, want := range map[string]string{
		"h\r\n": "h\r\n", "h\r\n\"a\nb": "h\r\n", "h\r\n\"a\nb\"\r\n": "h\r\n\"a\nb\"\r\n", "h\na\nb": "h\na\n",
		"h\r\na\r\n" + split: "h\r\na\r\n", "h\r\n" + split + "\n" + strings.Repeat("y", 1<<16-1): "h\r\n" + split + "\n",
	} {
		path := filepath.Join(t.TempDir(), resultsFile)
		runstest.Check(t, os.WriteFile(path, []byte(in), 0o600))
		f, err := os.Open(path)
		runstest.Check(t, err)
		_, p, err := wholeReader(f, lineEnd(f, resultsFile))
		runstest.Check(t, err)
		runstest.Check(t, f.Close())
		if p.whole != int64(len(want)) {
			t.Errorf("of %d bytes %d are whole, want %d", len(in), p.whole, len(want))
		}
	}
}
