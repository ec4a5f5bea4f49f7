package bundle

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/internal/plain"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/measure"
)

// States in a list of runs in addition to those in run.json.
const (
	CutOff  State = "cut off" // it says running, but no process is writing it
	Damaged State = "damaged" // run.json or its results cannot be read completely
)

// Summary is a bundle in a list of runs. Unknown times are zero.
type Summary struct {
	ID, Dir           string
	Started, Finished time.Time
	State             State
	Version           string // of Assay
	Engine, Device    string
	Simulated         bool
	NotTiming         string // why no time counts; empty: they do
	Tuning            bool   // points of live tuning, not a run
	Workloads         []string
	Watch             string // what was watched, which is also among Workloads: "watch python3"; empty: it is a run of workloads
	Jobs              []Job
	Quick, Tuned      bool
	Commit            *Commit // nil: not recorded
	Energy            *RunEnergy
	Purpose           string // why the advisor measured it; empty: the user asked for it
	Again             string // ID of the run that results were taken over from; empty: none

	Results     int
	Verified    int // verified
	Disturbed   int // verified, but their times support no conclusion
	Failed      int // wrong
	Errors      int // could not be run
	Unsupported int
	Leaks       int // found and not withdrawn

	Labels
	Size    int64  // bytes of its files
	Problem string // what could not be read; empty: nothing
	Failure string // why the run failed, in one line; empty if it did not

	Elsewhere bool // it lies outside the library's folder and was opened there
}

// Duration returns how long the run took; false if its end is unknown.
func (s *Summary) Duration() (time.Duration, bool) {
	if s.Started.IsZero() || s.Finished.IsZero() {
		return 0, false
	}
	return s.Finished.Sub(s.Started), true
}

// Limits on reading one bundle for a list.
const (
	maxMetaFile  = 16 << 20
	maxCountFile = 256 << 20
)

// Summarize reads what a list of runs shows about the bundle in a folder. It never fails: Problem says what is wrong.
func Summarize(dir string) Summary {
	s := Summary{Dir: dir, State: Damaged, Labels: Labels{Tags: []string{}}}
	s.ID = strings.TrimSuffix(filepath.Base(dir), Extension)
	s.Size = sizeOf(dir)
	var problems []error
	note := func(err error) {
		if err != nil {
			problems = append(problems, err)
		}
	}
	meta, err := s.readMeta()
	note(err)
	if err == nil {
		err := s.readPart(&meta, resultsFile, s.countResults)
		var changed changedError
		if err != nil && s.State != Running && !errors.Is(err, errTooLong) && !errors.As(err, &changed) {
			s.State = Damaged
		}
		note(err)
		note(s.readPart(&meta, eventsFile, func(in io.Reader) error { return s.countLeaks(&meta, in) }))
		note(wholeLog(&meta, dir, samplesFile))
		note(wholeLog(&meta, dir, monitorFile))
		if meta.hasPoolLog() {
			note(wholeLog(&meta, dir, poolFile))
		}
	}
	labels, err := ReadLabels(dir)
	note(err)
	s.Labels = labels
	_, err = ReadReferences(dir)
	note(err)
	if err := errors.Join(problems...); err != nil {
		s.Problem = plain.Text(strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return s
}

// Resolve turns Running into CutOff if no process is writing the bundle.
func (s *Summary) Resolve() {
	if s.State == Running && !Alive(s.Dir) {
		s.State = CutOff
	}
}

// IsBundle reports whether a folder contains a run, or has the name of one.
func IsBundle(dir string) bool {
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return false
	}
	_, err = os.Stat(filepath.Join(dir, runFile))
	return err == nil || strings.HasSuffix(dir, Extension)
}

// sizeOf returns the total size of the files of a folder.
func sizeOf(dir string) int64 {
	entries, _ := os.ReadDir(dir)
	var size int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && !temporary(e.Name()) {
			size += info.Size()
		}
	}
	return size
}

func (s *Summary) readMeta() (m Meta, err error) {
	path := filepath.Join(s.Dir, runFile)
	f, err := openFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, fmt.Errorf("no %s in it: not a run of Assay", runFile)
	}
	if err != nil {
		return m, fmt.Errorf("cannot read %s: %w", runFile, cause(err))
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxMetaFile+1))
	if err != nil {
		return m, fmt.Errorf("cannot read %s: %w", runFile, cause(err))
	}
	if len(data) > maxMetaFile {
		return m, fmt.Errorf("%s is larger than %s", runFile, si.Bytes(maxMetaFile))
	}
	if m, err = parseMeta(data); err != nil {
		if rest, of := strings.CutPrefix(err.Error(), "it "); of { // a sentence about the file
			return m, fmt.Errorf("%s %s", runFile, rest)
		}
		return m, fmt.Errorf("%s: %w", runFile, err)
	}
	s.ID, s.State, s.Version = m.ID, m.State, m.Version
	s.Started, s.Finished = m.Started, m.Finished
	s.Engine, s.Device, s.Simulated = m.Engine.Engine, m.Engine.Device, m.Engine.Simulated
	s.NotTiming = m.NotTiming()
	s.Tuning, s.Jobs, s.Quick, s.Commit, s.Again, s.Tuned = m.Tuning, m.Jobs, m.Quick, m.Commit, m.Again, m.Tuned
	s.Energy, s.Purpose = m.RunEnergy, m.Purpose
	if s.State == Failed {
		s.Failure = firstLine(m.Error)
	}
	for _, j := range m.Jobs {
		if !slices.Contains(s.Workloads, j.Workload) {
			s.Workloads = append(s.Workloads, j.Workload)
		}
	}
	if m.Watch != nil {
		s.Watch = m.Watch.Title()
		s.Workloads = append(s.Workloads, s.Watch)
	}
	return m, nil
}

// firstLine is the first nonempty line of an error.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return plain.Text(strings.TrimSpace(line))
}

// readPart reads a file of the bundle line by line. A missing file is not an error while the run is in progress.
func (s *Summary) readPart(m *Meta, name string, read func(io.Reader) error) error {
	f, err := openFile(filepath.Join(s.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		if m.State == Running {
			return nil
		}
		return fmt.Errorf("%s is missing", name)
	}
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxCountFile {
		return fmt.Errorf("%s %w than %s, and is not counted", name, errTooLong, si.Bytes(maxCountFile))
	}
	in, part, err := wholeReader(f, lineEnd(f, name))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	cut := m.cutOff(name, part)
	changed, err := m.readSummed(name, in, part, read)
	if err == nil && name == resultsFile {
		err = m.lostResults(s.Results, cut)
	} else if err == nil {
		err = cutError(cut)
	}
	if err == nil && changed != "" {
		err = changedError(changed)
	}
	return err
}

// changedError is the error of a file that has changed but can be read.
type changedError string

func (e changedError) Error() string { return string(e) }

// errTooLong is the error of a file too large to count.
var errTooLong = errors.New("is larger")

// wholeLog returns an error if a file that a list does not read was truncated.
func wholeLog(m *Meta, dir, name string) error {
	f, err := openFile(filepath.Join(dir, name))
	if err != nil {
		return nil // its reader will report it
	}
	defer f.Close()
	_, part, err := wholeReader(f, lineEnd(f, name))
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	return cutError(m.cutOff(name, part))
}

func cutError(cut string) error {
	if cut == "" {
		return nil
	}
	return errors.New(cut)
}

func (s *Summary) countResults(in io.Reader) error {
	r := csv.NewReader(in)
	r.ReuseRecord = true
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	status, kinds := slices.Index(header, "status"), slices.Index(header, "warning_kinds")
	if err != nil || status < 0 {
		return fmt.Errorf("%s: no column \"status\" in the header", resultsFile)
	}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", resultsFile, err)
		}
		s.Results++
		switch workloads.Status(row[status]) {
		case workloads.OK:
			s.Verified++
			if kinds >= 0 && slices.Contains(strings.Split(row[kinds], separator), string(measure.Disturbed)) {
				s.Disturbed++
			}
		case workloads.Failed:
			s.Failed++
		case workloads.Errored:
			s.Errors++
		case workloads.Unsupported:
			s.Unsupported++
		}
	}
}

func (s *Summary) countLeaks(m *Meta, in io.Reader) error {
	var events []Event
	err := eachEvent(in, func(e Event) {
		if e.Kind == LeakFound || e.Kind == LeakWithdrawn || e.Kind == AlertCleared {
			events = record(events, e)
		}
	})
	s.Leaks = len(leaks(upgradeEvents(m, events)))
	return err
}
