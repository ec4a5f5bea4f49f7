package own

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"assay/gpu/msl"
	"assay/internal/regular"
)

// Results is the folder of reports next to a description.
const Results = "results"

// SourcePath is the path of the .metal file.
func (d *Description) SourcePath() string { return beside(d.Folder(), d.Source) }

// Read reads a kernel's description and source. The source is empty if it cannot be read; Parse and Check report what is wrong with
// the texts.
func Read(path string) (Files, *Description, error) {
	text, err := regular.Read(path, "a description", maxDescription)
	if err != nil {
		return Files{Path: path}, nil, err
	}
	f := Files{Path: path, Description: string(text)}
	d, _ := Parse(path, f.Description)
	if d.Source != "" {
		f.Source, _ = msl.ReadFile(d.SourcePath())
	}
	return f, d, nil
}

// As returns the example under another name in a folder, and the path for its source.
func (e *Example) As(folder, name string) (Files, string) {
	if name == "" {
		name = e.Name
	}
	f := e.Files
	f.Path = filepath.Join(folder, name+ending)
	return f, filepath.Join(folder, name+".metal")
}

// Keep adds a report to a folder of results. An untrusted kernel may come with links and pipes of these names: they are an error.
func Keep(folder string, r *Report) error {
	results, err := openResults(folder)
	if err != nil {
		return err
	}
	defer results.Close()
	b, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := renameio.WriteFile(filepath.Join(folder, r.Name+".json"), append(b, '\n'), 0o644); err != nil {
		return err
	}
	return keepRows(results, r)
}

// openResults opens a folder in its parent folder, and creates it there.
func openResults(folder string) (*os.Root, error) {
	parent, err := os.OpenRoot(filepath.Dir(folder))
	if err != nil {
		return nil, err
	}
	defer parent.Close()
	name := filepath.Base(folder)
	if err := parent.Mkdir(name, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
		return nil, err
	}
	if info, err := parent.Lstat(name); err != nil || !info.IsDir() {
		return nil, errors.Join(err, fmt.Errorf("%s is not a folder: nothing is written through it", folder))
	}
	return parent.OpenRoot(name)
}

// openRows opens a regular file to append to.
func openRows(results *os.Root, name string) (*os.File, error) {
	if info, err := results.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file: nothing is written through it", filepath.Join(results.Name(), name))
	}
	return results.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o644)
}

// keepRows appends a row for each time, after a header in a new file.
func keepRows(results *os.Root, r *Report) (err error) {
	f, err := openRows(results, r.Name+".csv")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := csv.NewWriter(f)
	if info, err := f.Stat(); err == nil && info.Size() == 0 {
		_ = w.Write([]string{
			"when", "kernel", "entry", "hash", "engine", "device", "on_cpu", "verified", "sizes", "time_s", "time_lo_s", "time_hi_s", "samples",
		})
	}
	for _, p := range r.Points {
		_ = w.Write(p.row(r))
	}
	w.Flush()
	return w.Error()
}

func (p *Point) row(r *Report) []string {
	lo, hi := "", ""
	if p.Time.Bounded {
		lo, hi = decimal(p.Time.Lo), decimal(p.Time.Hi)
	}
	return []string{
		time.Now().UTC().Format(time.RFC3339), r.Name, r.Entry, r.Hash, r.Engine, r.Device, strconv.FormatBool(r.OnCPU), strconv.FormatBool(p.Verified),
		p.Sizes.String(), decimal(p.Time.Median), lo, hi, fmt.Sprint(p.Samples),
	}
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }
