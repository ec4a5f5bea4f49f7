package bundle

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"assay/internal/plain"
	"assay/workloads"
)

// NewID names a run by its start and its workloads: 20261120-214501-batching-3f2a. The ending is random.
func NewID(started time.Time, jobs []Job) string {
	name := "run"
	switch {
	case len(jobs) == 1:
		name = jobs[0].Workload
	case len(jobs) > 1:
		name = "suite"
	}
	return fmt.Sprintf("%s-%s-%s", started.Format("20060102-150405"), name, random())
}

// NewWatchID names the watch of a program by its start.
func NewWatchID(started time.Time) string {
	return fmt.Sprintf("%s-watch-%s", started.Format("20060102-150405"), random())
}

func random() string {
	var b [2]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Create makes the folder root/<run id>.assayrun and its files. If another run has that name, the ID gets a new suffix.
// The bundle is never nil: if the folder cannot be written it is removed, the run stays in memory, and its methods return the same
// error.
func Create(root string, meta Meta, all []workloads.Workload) (*Bundle, error) {
	meta.Schema, meta.State = Schema, Running
	if meta.Go == "" {
		meta.Go = runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	}
	if meta.ID == "" {
		meta.ID = NewID(meta.Started, meta.Jobs)
	}
	meta.Axes, meta.Measured, meta.Metrics = nil, nil, nil
	meta.Complete(all)
	b := &Bundle{run: Run{Meta: meta}}
	b.results, b.samples, b.monitor, b.events = &log{}, &log{}, &log{}, &log{}
	b.err = b.open(root)
	b.cols = Columns(&b.run.Meta)
	if b.err == nil {
		b.err = b.start()
	}
	if b.err != nil {
		b.abandon()
	}
	b.flusher = newFlusher(b.monitor, b.events)
	return b, b.err
}

// open creates the run's folder.
func (b *Bundle) open(root string) error {
	if id := b.run.Meta.ID; !plainName(id) {
		return fmt.Errorf("run ID %q cannot name a folder", id)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return &FolderError{root, err}
	}
	id := b.run.Meta.ID
	for range 100 {
		dir := filepath.Join(root, b.run.Meta.ID+Extension)
		err = os.Mkdir(dir, 0o755)
		if err == nil {
			b.run.Dir = dir
			return nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
		b.run.Meta.ID = id + "-" + random()
	}
	return &FolderError{root, err}
}

// plainName reports whether an ID is a plain folder name.
func plainName(id string) bool {
	return id == filepath.Base(id) && !strings.HasPrefix(id, ".") && !strings.Contains(id, `\`) && id == plain.Text(id)
}

// start writes the initial files, run.json first: a folder that has it can be loaded.
func (b *Bundle) start() error {
	err := b.writeMeta()
	create := func(l **log, name string, header []byte) {
		if err == nil {
			*l, err = createLog(filepath.Join(b.run.Dir, name), header)
		}
	}
	create(&b.results, resultsFile, headLine(b.cols))
	create(&b.samples, samplesFile, csvLine(cells(sampleColumns())...))
	create(&b.monitor, monitorFile, csvLine(cells(monitorColumns())...))
	create(&b.events, eventsFile, nil)
	if err != nil {
		return err
	}
	lock(b.events.file)
	return nil
}

// abandon removes the folder of a run that could not be started: it could not be loaded.
func (b *Bundle) abandon() {
	for _, l := range []**log{&b.results, &b.samples, &b.monitor, &b.events} {
		if (*l).file != nil {
			_ = (*l).file.Close() // nothing in it is kept
		}
		*l = &log{}
	}
	if b.run.Dir != "" {
		_ = os.RemoveAll(b.run.Dir)
		b.run.Dir = ""
	}
}
