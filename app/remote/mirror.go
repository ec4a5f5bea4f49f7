package remote

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"assay/app/bundle"
)

// originFile marks a bundle as a copy of a certain job's, so that nothing else is overwritten.
const originFile = ".origin"

// mirror writes what a job sends: bundles into the folder for runs, and output to a writer.
type mirror struct {
	runs, origin string
	print        io.Writer // for the job's output while it runs
	have         map[string]int64
	open         map[string]*os.File // growing files
	dirs         []string            // the bundles on this machine
}

func newMirror(runs, origin string, print io.Writer) *mirror {
	return &mirror{runs: runs, origin: origin, print: print, have: map[string]int64{}, open: map[string]*os.File{}}
}

// take writes a message.
func (m *mirror) take(f *frame) error {
	folder, name, err := place(f.File)
	if err != nil {
		return err
	}
	if folder == "" {
		return m.said(name, f)
	}
	dir, err := m.folder(folder)
	if err != nil {
		return err
	}
	if f.Whole && m.ours(dir, name) {
		return nil
	}
	if f.Whole {
		return bundle.ReplaceFile(filepath.Join(dir, name), f.Data)
	}
	return m.add(f, filepath.Join(dir, name))
}

// Files of a run that people edit: its tags and note, and the figures beside it.
const (
	labelsFile     = "labels.json"
	referencesFile = "references.json"
)

// ours reports whether a local file must stay as it is, because people may edit it here.
func (m *mirror) ours(dir, name string) bool {
	if name != labelsFile && name != referencesFile {
		return false
	}
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}

// said passes the job's output on; the final output is generated here, from the bundle.
func (m *mirror) said(name string, f *frame) error {
	if err := m.inOrder(f); err != nil {
		return err
	}
	m.have[f.File] += int64(len(f.Data))
	if name != errorsFile || m.print == nil {
		return nil
	}
	_, err := m.print.Write(f.Data)
	return err
}

func (m *mirror) inOrder(f *frame) error {
	if f.At != m.have[f.File] {
		return fmt.Errorf("the other Assay sent byte %d of %s, want %d", f.At, f.File, m.have[f.File])
	}
	return nil
}

// add appends to a growing file.
func (m *mirror) add(f *frame, path string) error {
	if err := m.inOrder(f); err != nil {
		return err
	}
	file := m.open[f.File]
	if file == nil {
		var err error
		if file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644); err != nil {
			return err
		}
		m.open[f.File] = file
		// While it is locked, the run counts as running here too. A file system without locks does without.
		syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:errcheck
	}
	if _, err := file.WriteAt(f.Data, f.At); err != nil {
		return err
	}
	m.have[f.File] += int64(len(f.Data))
	return nil
}

// folder returns the local folder of a bundle: a new one, or the copy of the same run.
func (m *mirror) folder(name string) (string, error) {
	dir := filepath.Join(m.runs, name)
	for _, known := range m.dirs {
		if known == dir {
			return dir, nil
		}
	}
	mark := filepath.Join(dir, originFile)
	err := os.MkdirAll(m.runs, 0o755)
	if err == nil {
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		if text, read := os.ReadFile(mark); read != nil || string(text) != m.origin {
			return "", fmt.Errorf("%s is another run's folder here: rename it, and fetch the run again", dir)
		}
	} else if err != nil {
		return "", err
	}
	m.dirs = append(m.dirs, dir)
	return dir, os.WriteFile(mark, []byte(m.origin), 0o644)
}

// wrong names a file that differs from the original; empty if none does.
func (m *mirror) wrong(sums map[string]string) (string, error) {
	for file, want := range sums {
		folder, name, err := place(file)
		if err != nil {
			return "", err
		}
		if folder == "" || name == labelsFile || name == referencesFile {
			continue
		}
		if got, err := sum(filepath.Join(m.runs, folder, name)); err != nil || got != want {
			return file, nil
		}
	}
	return "", nil
}

// forget requests a file again from its beginning.
func (m *mirror) forget(file string) {
	if f := m.open[file]; f != nil {
		f.Close() //nolint:errcheck // its content comes again
	}
	delete(m.open, file)
	m.have[file] = 0
}

// close closes the files; then the bundles count as ended.
func (m *mirror) close() error {
	var err error
	for _, f := range m.open {
		err = errors.Join(err, f.Close())
	}
	clear(m.open)
	return err
}
