package bundle

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/internal/metric"
	"assay/internal/regular"
	"assay/workloads"
)

// Load reads a bundle's folder, even that of a killed run: a torn last line is dropped, and Notes names files that are
// missing or empty. A completed run without all its results is damaged; Notes names its other truncated files. A file
// damaged in any other way is an error that names the place.
func Load(dir string) (*Run, error) {
	r, err := load(dir)
	if err == nil {
		err = r.judgeUnended()
	}
	if err != nil {
		return nil, loadError(dir, err)
	}
	return r, nil
}

func loadError(dir string, err error) error {
	return fmt.Errorf("cannot load the run in %s: %w", dir, err)
}

func load(dir string) (*Run, error) {
	r, err := loadMeta(dir)
	if err != nil {
		return nil, err
	}
	return r, r.loadFiles(dir, r.allSnapshots)
}

// loadMeta reads run.json.
func loadMeta(dir string) (*Run, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, cause(err)
	} else if !info.IsDir() {
		return nil, errors.New("want the run's folder, not a file")
	}
	path := filepath.Join(dir, runFile)
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no %s in it: not a run of Assay", runFile)
	}
	if err != nil {
		return nil, err
	}
	r := &Run{}
	if r.Meta, err = parseMeta(data); err != nil {
		return nil, fmt.Errorf("%s is not a run's %s: %w", path, runFile, err)
	}
	r.Dir, err = filepath.Abs(dir)
	return r, err
}

func (r *Run) allSnapshots(in io.Reader) (err error) {
	r.Snapshots, err = parseSnapshots(in)
	return err
}

// readFile reads a regular file.
func readFile(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// openFile opens a file of a bundle, which must be a regular one.
func openFile(path string) (*os.File, error) {
	f, _, err := regular.Open(path, "a file of a run")
	return f, err
}

// loadFiles reads the files other than run.json; snapshots reads monitor.csv.
func (r *Run) loadFiles(dir string, snapshots func(io.Reader) error) error {
	type file struct {
		name string
		read func(io.Reader) error
	}
	files := []file{
		{resultsFile, func(in io.Reader) (err error) { r.Results, err = parseResults(in, &r.Meta); return err }},
		{samplesFile, func(in io.Reader) error { return attachSamples(in, r.Results) }},
		{monitorFile, snapshots},
		{eventsFile, func(in io.Reader) (err error) { r.Events, err = parseEvents(in); return err }},
	}
	if r.Meta.hasPoolLog() { // it is read on demand
		files = append(files, file{poolFile, func(in io.Reader) error {
			_, err := io.Copy(io.Discard, in)
			return err
		}})
	}
	for _, f := range files {
		if err := r.loadFile(filepath.Join(dir, f.name), f.read); err != nil {
			return err
		}
	}
	r.Labels, _ = ReadLabels(dir) // the list of runs says what is wrong with them
	r.References, _ = ReadReferences(dir)
	r.Events = upgradeEvents(&r.Meta, r.Events)
	r.Findings = upgradeFindings(&r.Meta, findings(r.Events), r.Results)
	for _, f := range r.Findings {
		f.Mark(r.Results)
	}
	r.Meta.Schema = Schema // the run is now as this version would have written it
	return nil
}

// loadFile reads the whole lines of a file of the bundle.
func (r *Run) loadFile(path string, read func(io.Reader) error) error {
	name := filepath.Base(path)
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.Join(r.lacks(name, "missing"), read(bytes.NewReader(nil)))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	in, part, err := wholeReader(f, lineEnd(f, name))
	if err != nil {
		return err
	}
	cut := r.Meta.cutOff(name, part)
	switch {
	case cut != "" && name != resultsFile: // for results, say how many are left
		r.Notes = append(r.Notes, cut)
	case part.size == 0 && name != eventsFile: // not even a header
		if err := r.lacks(name, "empty"); err != nil {
			return err
		}
	}
	changed, err := r.Meta.readSummed(name, in, part, read)
	if changed != "" {
		r.Notes = append(r.Notes, changed)
	}
	if err != nil || name != resultsFile {
		return err
	}
	return r.Meta.lostResults(len(r.Results), cut)
}

// readSummed reads a file. If it has the length that it had when the run ended but other content, changed says so.
func (m *Meta) readSummed(name string, in io.Reader, p part, read func(io.Reader) error) (changed string, err error) {
	w := m.Written
	if m.State == Running || w == nil || p.whole != p.size || p.size != w.Bytes[name] {
		return "", read(in)
	}
	want, known := w.Sums[name]
	if !known {
		return "", read(in)
	}
	sum := crc32.NewIEEE()
	in = io.TeeReader(in, sum)
	err = read(in)
	if _, rest := io.Copy(io.Discard, in); err == nil {
		err = rest
	}
	if err == nil && sum.Sum32() != want {
		changed = name + " has changed since the run ended: its checksum differs"
	}
	return changed, err
}

// part is the readable part of a file.
type part struct {
	size  int64 // bytes of the file
	whole int64 // bytes of its whole lines
}

// cutOff says how a file of a completed run is truncated; empty if it is complete, as far as is known.
func (m *Meta) cutOff(name string, p part) string {
	switch {
	case m.State == Running: // its last line may be torn
	case m.Written != nil && p.whole >= m.Written.Bytes[name]: // results are counted
	case p.whole < p.size:
		return name + " is cut off: it ends in the middle of a line"
	case m.Written != nil:
		return fmt.Sprintf("%s is cut off: it has %d of %d bytes", name, p.size, m.Written.Bytes[name])
	}
	return ""
}

func results(n int) string {
	if n == 1 {
		return "1 result"
	}
	return fmt.Sprintf("%d results", n)
}

// lostResults is the error of results.csv if only n results could be read; cut is the result of cutOff.
func (m *Meta) lostResults(n int, cut string) error {
	switch w := m.Written; {
	case w != nil && n < w.Results:
		return fmt.Errorf("%s is cut off: it has %d of %s", resultsFile, n, results(w.Results))
	}
	return cutError(cut)
}

// lacks notes a file that is missing or empty; for the results of a completed run that is an error.
func (r *Run) lacks(name, how string) error {
	note := name + " is " + how
	if name == resultsFile && r.Meta.State != Running {
		return fmt.Errorf("%s, and the run is %s", note, r.Meta.State)
	}
	r.Notes = append(r.Notes, note)
	return nil
}

// lineEnd is the record terminator of a file: CRLF in results.csv, whose texts may contain line breaks, unless its
// header shows that another program rewrote it.
func lineEnd(f *os.File, name string) []byte {
	if name == resultsFile {
		data := make([]byte, 1<<16)
		n, _ := f.ReadAt(data, 0) // the reader will report the error
		if i := bytes.IndexByte(data[:n], '\n'); i > 0 && data[i-1] == '\r' {
			return []byte("\r\n")
		}
	}
	return []byte("\n")
}

// wholeReader reads the whole lines of a file, and returns their size in bytes. It drops a torn last line, and zeros
// that a power failure can leave at the end.
func wholeReader(f *os.File, eol []byte) (in io.Reader, p part, err error) {
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, p, err
	}
	p.size = end
	const step = 1 << 16
	data := make([]byte, step)
	for end > 0 {
		from := max(0, end-step)
		n, err := f.ReadAt(data[:end-from], from)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, p, err
		}
		if i := bytes.LastIndex(data[:n], eol); i >= 0 {
			end = from + int64(i+len(eol))
			break
		}
		if from == 0 {
			end = 0
			break
		}
		end = from + int64(len(eol)-1) // the step may have split a line end
	}
	p.whole = end
	return io.NewSectionReader(f, 0, end), p, nil
}

// parseResults reads results.csv. Unknown columns become metrics, and are added to Meta.
func parseResults(in io.Reader, meta *Meta) ([]workloads.Result, error) {
	t, err := openTable(resultsFile, in, "workload", "case", "variant", "status")
	if err != nil {
		return nil, err
	}
	meta.Metrics = append(meta.Metrics, unknownMetrics(meta, t)...)
	cols := Columns(meta)
	var results []workloads.Result
	for {
		err := t.next()
		if errors.Is(err, io.EOF) {
			identify(results)
			return results, nil
		}
		if err != nil {
			return nil, err
		}
		r, err := parseResult(t, meta, cols)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
}

// unknownMetrics are the columns of a file unknown to this version and to Meta, in the file's order.
func unknownMetrics(meta *Meta, t *table) metric.List {
	known := map[string]bool{}
	for _, c := range Columns(meta) {
		known[c.Name] = true
	}
	var out metric.List
	for _, c := range t.columns() {
		if old := meta.Schema == 1 && isOldColumn(c); c != "" && !old && !known[c] && !isParam(c) {
			out = append(out, metric.Metric{
				Name: metric.Name(c), Title: c, Shape: metric.Text, About: "A column that this version of Assay does not know.",
			})
		}
	}
	return out
}

func parseResult(t *table, meta *Meta, cols []Column) (workloads.Result, error) {
	var r workloads.Result
	for _, c := range cols {
		if c.put == nil {
			continue
		}
		if err := c.put(t, c.Name, &r); err != nil {
			return r, err
		}
	}
	err := upgradeResult(meta, t, &r)
	meta.Metrics.Derive(&r.Values)
	return r, err
}

// identify gives results without an ID a unique one.
func identify(results []workloads.Result) {
	taken := map[string]bool{}
	for i := range results {
		taken[results[i].ID] = true
	}
	for i := range results {
		r := &results[i]
		for n := i; r.ID == ""; n++ {
			if id := workloads.ResultID(max(0, r.Job), n); !taken[id] {
				r.ID, taken[id] = id, true
			}
		}
	}
}
