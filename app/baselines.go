package app

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
)

// Baseline is a named run that other runs on the same device are compared with.
type Baseline struct {
	Name   string    `json:"name"`
	Engine string    `json:"engine"`
	Device string    `json:"device"`
	Run    string    `json:"run"` // its folder
	Saved  time.Time `json:"saved"`
}

// Is reports whether the baseline is that run, which then has nothing to be compared with.
func (b *Baseline) Is(run *bundle.Run) bool {
	return filepath.Clean(b.Run) == filepath.Clean(run.Dir) && b.Engine == run.Meta.Engine.Engine && b.Device == run.Meta.Engine.Device
}

// baselinePrefix precedes a baseline's name where a run is meant.
const baselinePrefix = "baseline:"

// BaselineName returns the name of a baseline's run where a run, or figures, are named.
func BaselineName(name string) string { return baselinePrefix + name }

var validBaseline = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$`)

// Baselines returns the named baselines, sorted by name and device.
func (l *Library) Baselines() ([]Baseline, error) {
	var list []Baseline
	err := l.kept(baselinesFile).Read(&list)
	return list, err
}

// SaveBaseline names a run. Each device has its own baseline of that name.
func (l *Library) SaveBaseline(name, dir string) (Baseline, error) {
	if !validBaseline.MatchString(name) {
		return Baseline{}, fmt.Errorf("invalid name %q: want up to 40 letters, digits, dots, dashes and underscores", name)
	}
	s := bundle.Summarize(dir)
	if s.State == bundle.Damaged || s.State == bundle.Running {
		return Baseline{}, fmt.Errorf("%s is not a finished run", dir)
	}
	if s.NotTiming != "" {
		return Baseline{}, fmt.Errorf("%s is not a baseline: %w (%s)", dir, ErrNotTiming, s.NotTiming)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Baseline{}, err
	}
	b := Baseline{Name: name, Engine: s.Engine, Device: s.Device, Run: dir, Saved: time.Now().Round(time.Second)}
	file := l.kept(baselinesFile)
	return b, file.Change(func() error {
		list, err := l.Baselines()
		if err != nil {
			return err
		}
		list = append(slices.DeleteFunc(list, func(o Baseline) bool { return o.Name == name && o.Engine == b.Engine && o.Device == b.Device }), b)
		slices.SortFunc(list, func(a, b Baseline) int {
			return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Engine, b.Engine), strings.Compare(a.Device, b.Device))
		})
		return file.Write(list)
	})
}

// RemoveBaseline forgets a name on all devices; its runs stay.
func (l *Library) RemoveBaseline(name string) error {
	file := l.kept(baselinesFile)
	return file.Change(func() error {
		list, err := l.Baselines()
		if err != nil {
			return err
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(b Baseline) bool { return b.Name == name })
		if len(rest) == len(list) {
			return noBaseline(name, list)
		}
		return file.Write(rest)
	})
}

// FindBaseline returns the baseline of that name on a device. Without a device, the name must be unique.
func (l *Library) FindBaseline(name string, device *gpu.Info) (Baseline, error) {
	list, err := l.Baselines()
	if err != nil {
		return Baseline{}, err
	}
	var found []Baseline
	for _, b := range list {
		if b.Name == name && (device == nil || b.Engine == device.Engine && b.Device == device.Device) {
			found = append(found, b)
		}
	}
	switch {
	case len(found) == 1 && !bundle.IsBundle(found[0].Run):
		return Baseline{}, fmt.Errorf("the run of baseline %s is gone: %s", name, found[0].Run)
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return Baseline{}, fmt.Errorf("%d devices have a baseline %s: name its run", len(found), name)
	case device != nil:
		return Baseline{}, fmt.Errorf("no baseline %s on %s (%s engine): save one with \"assay baseline save\"", name, device.Device, device.Engine)
	}
	return Baseline{}, noBaseline(name, list)
}

func noBaseline(name string, list []Baseline) error {
	var names []string
	for _, b := range list {
		if !slices.Contains(names, b.Name) {
			names = append(names, b.Name)
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("no baseline %q: none is saved", name)
	}
	return fmt.Errorf("no baseline %q: there are %s", name, strings.Join(names, ", "))
}
