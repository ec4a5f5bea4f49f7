package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/app/internal/trash"
)

// Library lists the runs in a folder, and runs added from elsewhere. Its methods are safe for concurrent use.
type Library struct {
	dir string
	own func() string // folder of this session's run; empty if none is in progress

	mu    sync.Mutex
	cache map[string]cachedRun // by folder
	bests map[string]runBests  // by folder
	added []string             // folders of runs from elsewhere
}

// cachedRun is a summary for one state of the bundle's files.
type cachedRun struct {
	stamp   string
	summary bundle.Summary
}

// NewLibrary returns the library of a folder, which need not exist yet.
func NewLibrary(dir string) *Library {
	return &Library{dir: dir, own: func() string { return "" }, cache: map[string]cachedRun{}, bests: map[string]runBests{}}
}

// Library returns the library of the session's folder for runs. It knows that the session's run is in progress even on file
// systems without locks.
func (s *Session) Library() *Library {
	l := NewLibrary(s.runsDir())
	l.own = func() string {
		if run := s.open(); run != nil {
			return run.bundle.Dir()
		}
		return ""
	}
	return l
}

// isOwn reports whether a folder is that of the session's run.
func (l *Library) isOwn(dir string) bool {
	own, err := os.Stat(l.own())
	if err != nil {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(own, info)
}

// Dir returns the library's folder.
func (l *Library) Dir() string { return l.dir }

// Add also lists the bundle in a folder elsewhere, which stays where it is, as long as this library is used. It does nothing for
// a bundle inside the library's folder.
func (l *Library) Add(dir string) {
	abs, err := filepath.Abs(dir)
	if err != nil || l.holds(abs) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.added, abs) {
		l.added = append(l.added, abs)
	}
}

// holds reports whether an absolute path lies directly in the library's folder, under any name.
func (l *Library) holds(abs string) bool {
	root, err := os.Stat(l.dir)
	if err != nil {
		return false
	}
	parent, err := os.Stat(filepath.Dir(abs))
	return err == nil && os.SameFile(root, parent)
}

// elsewhere returns the added folders that still hold a run.
func (l *Library) elsewhere() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.added), func(dir string) bool { return !bundle.IsBundle(dir) })
}

// List lists the runs, newest first. It rereads only what has changed. A damaged bundle is listed with its Problem;
// files, and folders that are not bundles, are skipped. It fails if the folder cannot be read or ctx ends.
func (l *Library) List(ctx context.Context) ([]bundle.Summary, error) {
	return l.ListTelling(ctx, func(int, int) {})
}

// ListTelling is List with progress: told is called before each folder is read, with the number already read and the total.
func (l *Library) ListTelling(ctx context.Context, told func(read, all int)) ([]bundle.Summary, error) {
	dirs, err := l.bundles()
	if err != nil {
		return nil, err
	}
	inside := len(dirs)
	dirs = append(dirs, l.elsewhere()...)
	var out []bundle.Summary
	found := make(map[string]cachedRun, len(dirs))
	for i, dir := range dirs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		told(i, len(dirs))
		if i < inside && !l.isOwn(dir) && bundle.Sweep(dir) {
			continue
		}
		run := l.read(dir)
		found[dir] = run
		if !l.isOwn(dir) {
			run.summary.Resolve()
		}
		run.summary.Elsewhere = i >= inside
		run.summary.Tags = slices.Clone(run.summary.Tags)
		out = append(out, run.summary)
	}
	l.mu.Lock()
	l.cache = found // drop deleted runs
	l.mu.Unlock()
	slices.SortStableFunc(out, func(a, b bundle.Summary) int {
		return cmp.Or(when(&b).Compare(when(&a)), strings.Compare(b.ID, a.ID))
	})
	return out, nil
}

// bundles returns the bundles in the library's own folder.
func (l *Library) bundles() ([]string, error) {
	entries, err := os.ReadDir(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, &bundle.FolderError{Folder: l.dir, Err: err}
	}
	var out []string
	for _, e := range entries {
		dir := filepath.Join(l.dir, e.Name())
		if !strings.HasPrefix(e.Name(), ".") && !e.Type().IsRegular() && bundle.IsBundle(dir) {
			out = append(out, dir)
		}
	}
	return out, nil
}

// read returns the bundle's summary, from the cache if its files are unchanged.
func (l *Library) read(dir string) cachedRun {
	stamp := stampOf(dir)
	l.mu.Lock()
	run, ok := l.cache[dir]
	l.mu.Unlock()
	if ok && run.stamp == stamp && stamp != "" {
		return run
	}
	return cachedRun{stamp, bundle.Summarize(dir)}
}

// stampOf changes whenever a file of the folder does; empty if it cannot be read.
func stampOf(dir string) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name())) // of a link's target
		if err != nil {
			continue
		}
		fmt.Fprintf(&b, "%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
	}
	return b.String()
}

// when returns the sort key of runs: the start or, for a damaged one, the time in its name.
func when(s *bundle.Summary) time.Time {
	if !s.Started.IsZero() {
		return s.Started
	}
	const layout = "20060102-150405"
	t, _ := time.ParseInLocation(layout, s.ID[:min(len(s.ID), len(layout))], time.Local)
	return t
}

// Search lists the runs that MatchRun finds, newest first.
func (l *Library) Search(ctx context.Context, query string) ([]bundle.Summary, error) {
	all, err := l.List(ctx)
	return slices.DeleteFunc(all, func(s bundle.Summary) bool { return !MatchRun(&s, query) }), err
}

// MatchRun reports whether every word of the query is in the run's ID, workloads, engine, device, state, tags, note,
// purpose or date, in upper or lower case. The date is both 2026-11-20 and 20 November 2026, in local time. An empty query matches
// all.
func MatchRun(s *bundle.Summary, query string) bool {
	words := strings.Fields(strings.ToLower(query))
	if len(words) == 0 {
		return true
	}
	parts := slices.Concat([]string{s.ID, s.Engine, s.Device, string(s.State), s.Note, s.Purpose}, s.Workloads, s.Tags)
	if s.Simulated {
		parts = append(parts, "simulated")
	}
	if s.Tuning {
		parts = append(parts, "live tuning")
	}
	if s.NotTiming != "" {
		parts = append(parts, s.NotTiming)
	}
	if !s.Started.IsZero() {
		parts = append(parts, s.Started.Local().Format("2006-01-02 15:04 Monday 2 January 2006"))
	}
	text := strings.ToLower(strings.Join(parts, "\n"))
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
}

// Labels returns the tags and the note of the run in a folder.
func (l *Library) Labels(dir string) (bundle.Labels, error) { return bundle.ReadLabels(dir) }

// SetLabels sets the tags and the note of the run in a folder. The error names what exceeds a limit.
func (l *Library) SetLabels(dir string, labels bundle.Labels) error {
	return bundle.WriteLabels(dir, labels)
}

// Deleted is a run in the system's trash.
type Deleted struct {
	Dir  string // where it was
	item trash.Item
}

// Delete moves a run of the library to the system's trash. It fails for a run in progress, and for a folder that is not
// a run.
func (l *Library) Delete(dir string) (Deleted, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Deleted{}, err
	}
	root, err := filepath.Abs(l.dir)
	if err != nil {
		return Deleted{}, err
	}
	id := strings.TrimSuffix(filepath.Base(abs), bundle.Extension)
	switch {
	case filepath.Dir(abs) != root || !bundle.IsBundle(abs):
		return Deleted{}, fmt.Errorf("cannot delete %s: not a run in %s", dir, l.dir)
	case l.isOwn(abs) || bundle.Alive(abs):
		return Deleted{}, fmt.Errorf("cannot delete run %s: it is in progress; stop it first", id)
	}
	item, err := trash.Put(abs)
	if err != nil {
		return Deleted{}, fmt.Errorf("cannot delete run %s: %w", id, err)
	}
	return Deleted{Dir: abs, item: item}, nil
}

// Restore moves a run from the trash back to where it was. It replaces nothing.
func (l *Library) Restore(d Deleted) error {
	if d.Dir == "" {
		return errors.New("nothing to restore")
	}
	if err := d.item.Restore(); err != nil {
		return fmt.Errorf("cannot restore %s: %w", d.Dir, err)
	}
	return nil
}
