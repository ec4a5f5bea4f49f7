package bundle

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"assay/app/internal/runstest"
	"assay/internal/plain"
	"assay/workloads"
)

// bundleFile is a file of a real bundle, as a seed.
func bundleFile(f *testing.F, name string) []byte {
	f.Helper()
	b, err := Create(f.TempDir(), plainMeta0(), []workloads.Workload{runstest.Workload()})
	if err == nil {
		err = b.Results(runstest.Verified(64, 8), runstest.Failed())
	}
	if err == nil {
		err = b.Event(Event{Time: runstest.Began(), Kind: LeakFound, Title: "Leak", Text: "why"})
	}
	if err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(b.Dir(), name))
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// A loaded run can be written, and loads again as the same run.
func FuzzLoadResults(f *testing.F) {
	f.Add(bundleFile(f, resultsFile))
	f.Add([]byte("workload,case,variant,status,time_s,param_size\r\nsweep,'=a,\"b\",ok,1e-3,'-7\r\n"))
	f.Add([]byte("workload,case,variant,status\r\n\"torn"))
	f.Fuzz(func(t *testing.T, data []byte) {
		meta := plainMeta0()
		meta.Complete([]workloads.Workload{runstest.Workload()})
		first, err := parseResults(bytes.NewReader(data), &meta)
		if err != nil {
			return
		}
		var buf, again bytes.Buffer
		runstest.Check(t, WriteRows(&buf, Columns(&meta), first))
		second, err := parseResults(bytes.NewReader(buf.Bytes()), &meta)
		if err != nil {
			t.Fatalf("%v in what was written:\n%s", err, buf.Bytes())
		}
		runstest.Check(t, WriteRows(&again, Columns(&meta), second))
		if len(first) != len(second) || !bytes.Equal(buf.Bytes(), again.Bytes()) {
			t.Fatalf("written twice:\n%s\n%s", buf.Bytes(), again.Bytes())
		}
	})
}

func FuzzEvents(f *testing.F) {
	f.Add(bundleFile(f, eventsFile))
	f.Add([]byte("{\"kind\":\"finding\"}\n{\"ki"))
	f.Fuzz(func(t *testing.T, data []byte) {
		events, err := parseEvents(bytes.NewReader(wholeLines(data)))
		if err != nil {
			return
		}
		if n := len(findings(events)); n > len(events) {
			t.Fatalf("%d findings in %d events", n, len(events))
		}
	})
}

func FuzzRunJSON(f *testing.F) {
	f.Add(bundleFile(f, runFile))
	f.Add([]byte(`{"schema":1,"run_id":"a","jobs":[{"workload":"w","params":{"x":1e400,"y":10.0,"z":null}}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := parseMeta(data)
		if err != nil {
			return
		}
		if m.Schema < 1 || m.Schema > Schema || m.ID == "" {
			t.Fatalf("accepted %+v", m)
		}
		Columns(&m) // must not panic on any parameters
	})
}

// Whatever the files contain, the list of runs describes them in one line of plain text.
func FuzzSummarize(f *testing.F) {
	f.Add([]byte(`{"schema":1,"run_id":"x","state":"running"}`), []byte("status\nok\n"), []byte("{}\n"), []byte(`{"tags":["a"]}`))
	f.Add([]byte(`{"schema":1,"run_id":"x","state":"finished"}`), []byte("a,status\n1,failed\n\"2"), []byte(`{"kind":"leak"}`), []byte(`[]`))
	f.Add([]byte("\x00"), []byte("\x00"), []byte("\xff\n"), []byte("null"))
	f.Fuzz(func(t *testing.T, meta, results, events, labels []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{runFile: meta, resultsFile: results, eventsFile: events, labelsFile: labels} {
			runstest.Check(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
		}
		s := Summarize(dir)
		s.Resolve()
		if s.State == Damaged && s.Problem == "" || s.Problem != plain.Text(s.Problem) {
			t.Errorf("state %s, problem %q", s.State, s.Problem)
		}
		if s.Results < s.Verified+s.Failed+s.Errors+s.Unsupported {
			t.Errorf("counts %+v", s)
		}
		if tidy, err := s.Labels.Tidy(); err != nil || len(tidy.Tags) != len(s.Tags) {
			t.Errorf("labels %+v exceed their limits: %v", s.Labels, err)
		}
	})
}
