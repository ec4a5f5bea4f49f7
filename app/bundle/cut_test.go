package bundle

import (
	"bytes"
	"hash/crc32"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/app/internal/runstest"
)

// shorten truncates a file of a bundle to n bytes; a negative n removes -n bytes.
func shorten(t *testing.T, b *Bundle, name string, n int64) {
	t.Helper()
	path := filepath.Join(b.Dir(), name)
	if info, err := os.Stat(path); n < 0 {
		runstest.Check(t, err)
		n += info.Size()
	}
	runstest.Check(t, os.Truncate(path, n))
}

// lastLine is the length of the last line of a file of a bundle, in bytes.
func lastLine(t *testing.T, b *Bundle, name string) int64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.Dir(), name))
	runstest.Check(t, err)
	lines := strings.SplitAfter(string(data), "\n")
	return int64(len(lines[len(lines)-2]))
}

// finished is a bundle of a completed run; an old one does not record its contents.
func finished(t *testing.T, old bool) *Bundle {
	t.Helper()
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	if old {
		b.run.Meta.Written = nil
		runstest.Check(t, b.writeMeta())
	}
	return b
}

// Results truncated after the run are damage, wherever the cut is.
func TestCutResultsAreDamage(t *testing.T) {
	const counted, torn = "results.csv is cut off: it has %d of 3 results", "results.csv is cut off: it ends in the middle of a line"
	for name, c := range map[string]struct {
		old   bool
		bytes func(b *Bundle) int64
		want  string
	}{
		"in a line":          {false, func(*Bundle) int64 { return -5 }, strings.Replace(counted, "%d", "2", 1)},
		"a whole line":       {false, func(b *Bundle) int64 { return -lastLine(t, b, resultsFile) }, strings.Replace(counted, "%d", "2", 1)},
		"in the header":      {false, func(*Bundle) int64 { return 100 }, strings.Replace(counted, "%d", "0", 1)},
		"old, in a line":     {true, func(*Bundle) int64 { return -5 }, torn},
		"old, in the header": {true, func(*Bundle) int64 { return 100 }, torn},
	} {
		b := finished(t, c.old)
		shorten(t, b, resultsFile, c.bytes(b))
		if _, err := Load(b.Dir()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: loading it is %v, want %q", name, err, c.want)
		}
		if s := Summarize(b.Dir()); s.State != Damaged || s.Problem != c.want {
			t.Errorf("%s: state %s, problem %q, want %q", name, s.State, s.Problem, c.want)
		}
	}
}

// Truncating the other files is not fatal: the results can still be read.
func TestCutLogsAreNoted(t *testing.T) {
	for _, name := range []string{samplesFile, monitorFile, eventsFile} {
		for _, c := range []struct {
			old, line bool
			want      string
		}{{false, true, " of "}, {false, false, "it ends in the middle of a line"}, {true, false, "it ends in the middle of a line"}} {
			b := finished(t, c.old)
			cut := int64(-3)
			if c.line {
				cut = -lastLine(t, b, name)
			}
			shorten(t, b, name, cut)
			r, err := Load(b.Dir())
			runstest.Check(t, err)
			if len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], name+" is cut off: ") || !strings.Contains(r.Notes[0], c.want) || len(r.Results) != 3 {
				t.Errorf("%s: notes %q, %d results, want %q", name, r.Notes, len(r.Results), c.want)
			}
			if s := Summarize(b.Dir()); s.State != Finished || len(r.Notes) == 1 && s.Problem != r.Notes[0] {
				t.Errorf("%s: state %s, problem %q, want that of the notes, %q", name, s.State, s.Problem, r.Notes)
			}
		}
	}
}

// A kill leaves at most a torn line, which is not damage. Neither is a complete bundle of any version.
func TestWholeBundlesAreNotCut(t *testing.T) {
	killed := writeBundle(t, t.TempDir())
	for _, name := range []string{resultsFile, samplesFile, monitorFile, eventsFile} {
		shorten(t, killed, name, -3)
	}
	for i, b := range []*Bundle{killed, finished(t, false), finished(t, true)} {
		r, err := Load(b.Dir())
		runstest.Check(t, err)
		if s := Summarize(b.Dir()); s.Problem != "" || len(r.Notes) > 0 || len(r.Results) < 2 {
			t.Errorf("bundle %d: problem %q, notes %q, %d results", i, s.Problem, r.Notes, len(r.Results))
		}
	}
	want := &Written{3, map[string]int64{}, map[string]uint32{}}
	b := finished(t, false)
	for _, name := range []string{resultsFile, samplesFile, monitorFile, eventsFile} {
		data, err := os.ReadFile(filepath.Join(b.Dir(), name))
		runstest.Check(t, err)
		want.Bytes[name], want.Sums[name] = int64(len(data)), crc32.ChecksumIEEE(data)
	}
	if r, err := Load(b.Dir()); err != nil || !reflect.DeepEqual(r.Meta.Written, want) {
		t.Errorf("the bundle says %+v, want %+v (%v)", r.Meta.Written, want, err)
	}
}

// A changed figure can be read, and every reader of the file reports it.
func TestChangedFilesAreNoted(t *testing.T) {
	for name, change := range map[string][2]string{
		resultsFile: {"f32", "f23"}, samplesFile: {"f32", "f23"}, monitorFile: {"21:45:0", "21:45:3"}, eventsFile: {"21:45:0", "21:45:3"},
	} {
		b := finished(t, false)
		path := filepath.Join(b.Dir(), name)
		data, err := os.ReadFile(path)
		runstest.Check(t, err)
		changed := bytes.Replace(data, []byte(change[0]), []byte(change[1]), 1)
		if bytes.Equal(changed, data) {
			t.Errorf("%s has no %s", name, change[0])
		}
		runstest.Check(t, os.WriteFile(path, changed, 0o600))
		want := name + " has changed since the run ended: its checksum differs"
		r, err := Load(b.Dir())
		runstest.Check(t, err)
		if !slices.Equal(r.Notes, []string{want}) {
			t.Errorf("%s: notes %q", name, r.Notes)
		}
		s := Summarize(b.Dir())
		if counted := name == resultsFile || name == eventsFile; s.State != Finished || counted != (s.Problem == want) {
			t.Errorf("%s: state %s, problem %q", name, s.State, s.Problem)
		}
	}
}
