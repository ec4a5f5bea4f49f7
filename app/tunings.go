package app

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/severity"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// TunedOn is what a tuned choice applies to: it is not used on anything else.
type TunedOn struct {
	Engine   string `json:"engine"`
	Device   string `json:"device"`
	Cores    int    `json:"cores,omitempty"`
	Features string `json:"features,omitempty"` // includes the driver
	System   string `json:"system"`
	Program  string `json:"program,omitempty"` // of an engine whose kernels are built into Assay
}

// KeptTuning is what a search found, and what it applies to.
type KeptTuning struct {
	On TunedOn `json:"on"`
	workloads.Tuning
	// Sources are hashes of the default's and the chosen kernel's source; for a library, its version.
	Sources [2]string `json:"sources"`
	Run     string    `json:"run,omitempty"` // the one that found it
	// Unused is why the choice is not used on this machine, or no longer is; empty: it is used.
	Unused string `json:"unused,omitempty"`
}

// ID identifies a kept choice by device and call.
func (k *KeptTuning) ID() string {
	key := fmt.Sprintf("%s|%s|%s|%d|%s", k.On.Engine, k.On.Device, k.On.Features, k.On.Cores, k.Call())
	return fmt.Sprintf("%x", sha256.Sum256([]byte(key)))[:8]
}

// Tunings is the service for what searches found: kept by device, driver and source.
type Tunings struct{ session *Session }

// Tunings is the service for what searches found.
func (s *Session) Tunings() *Tunings { return &Tunings{s} }

// DefaultTuningFile is where choices are kept; empty if there is no folder for data.
func DefaultTuningFile() string {
	if data := UserPaths().Data; data != "" {
		return filepath.Join(data, "tuning.json")
	}
	return ""
}

// File is where the choices are kept.
func (t *Tunings) File() string { return cmp.Or(t.session.config.TuningFile, DefaultTuningFile()) }

// List returns what is kept, and why a choice is not used. If necessary, it opens the engines.
func (t *Tunings) List() ([]KeptTuning, error) {
	list, err := readTunings(t.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	engines := map[string]gpu.Engine{}
	for i := range list {
		k := &list[i]
		engine, known := engines[k.On.Engine]
		if !known {
			if found, err := t.session.engines.peek(k.On.Engine); err == nil {
				engine = found.engine
			}
			engines[k.On.Engine] = engine
		}
		k.Unused = t.session.unused(k, engine)
	}
	return list, err
}

// Clear removes the choices with those IDs and returns how many there were; those already gone do not count.
func (t *Tunings) Clear(ids []string) (removed int, err error) {
	err = t.change(func(list []KeptTuning) []KeptTuning {
		return slices.DeleteFunc(list, func(k KeptTuning) bool {
			gone := slices.Contains(ids, k.ID())
			if gone {
				removed++
			}
			return gone
		})
	})
	return removed, err
}

// Import takes over choices from a file that Export wrote: new ones, and those newer than what is kept for the same call on the
// same device. It returns how many it took.
func (t *Tunings) Import(path string) (taken int, err error) {
	more, err := readTunings(path)
	if err != nil {
		return 0, err
	}
	return taken, t.change(func(list []KeptTuning) []KeptTuning {
		for _, k := range more {
			at := slices.IndexFunc(list, func(have KeptTuning) bool { return have.ID() == k.ID() })
			switch {
			case at < 0:
				list, taken = append(list, k), taken+1
			case k.At.After(list[at].At):
				list[at], taken = k, taken+1
			}
		}
		return list
	})
}

// Export writes what is kept into a separate file and returns the number of choices.
func (t *Tunings) Export(path string) (int, error) {
	list, err := readTunings(t.File())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return len(list), writeTunings(path, list)
}

// change reads, modifies and writes what is kept.
func (t *Tunings) change(f func([]KeptTuning) []KeptTuning) error {
	if t.File() == "" {
		return errors.New("there is no folder to keep tuned choices in: HOME is not set")
	}
	return tuningAt(t.File()).Change(func() error {
		list, err := readTunings(t.File())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		list = f(list)
		slices.SortStableFunc(list, func(a, b KeptTuning) int {
			return cmp.Or(strings.Compare(a.On.Device, b.On.Device), strings.Compare(a.Call(), b.Call()))
		})
		return writeTunings(t.File(), list)
	})
}

// keep replaces what is kept for the same call and device.
func (t *Tunings) keep(k *KeptTuning) error {
	return t.change(func(list []KeptTuning) []KeptTuning {
		list = slices.DeleteFunc(list, func(have KeptTuning) bool { return have.ID() == k.ID() })
		return append(list, *k)
	})
}

// tunedOn returns what a choice on an engine applies to.
func (s *Session) tunedOn(e gpu.Engine) TunedOn {
	info := e.Info()
	on := TunedOn{
		Engine: info.Engine, Device: info.Device, Cores: info.Cores, Features: strings.Join(info.Features, ", "),
		System: cmp.Or(s.Host().Platform, runtime.GOOS),
	}
	if info.Engine == "cpu" {
		on.Program = s.config.Version
	}
	return on
}

// kept completes what a run found.
func (s *Session) kept(e gpu.Engine, found workloads.Tuning, byDefault, chosen *shaders.Kernel, run string) *KeptTuning {
	found.At = time.Now().UTC().Truncate(time.Second)
	return &KeptTuning{On: s.tunedOn(e), Tuning: found, Sources: [2]string{sourceOf(e, byDefault), sourceOf(e, chosen)}, Run: run}
}

// sourceOf distinguishes versions of a kernel.
func sourceOf(e gpu.Engine, k *shaders.Kernel) string {
	if k.Impl.Library == shaders.Own {
		return k.Impl.Source.Hash()[:16]
	}
	if namer, named := gpu.As[gpu.LibraryNamer](e); named && namer.LibraryName(*k) != "" {
		return namer.LibraryName(*k)
	}
	return k.Impl.Library.Full()
}

// unused says why a choice does not apply; empty: it does. Without an engine, its device is missing.
func (s *Session) unused(k *KeptTuning, e gpu.Engine) string {
	if e == nil {
		return "the " + k.On.Engine + " engine is not available"
	}
	now := s.tunedOn(e)
	switch {
	case k.On.Device != now.Device || k.On.Cores != now.Cores:
		return "for another device: " + k.On.Device
	case k.On.Features != now.Features:
		return "for another driver or set of features: " + k.On.Features
	case k.On.System != now.System:
		return "for another system: " + k.On.System
	case k.On.Program != now.Program:
		return "for another version of Assay: " + k.On.Program
	}
	for i, id := range []string{k.Default, cmp.Or(k.Choice(), k.Default)} {
		kernel, known := kernelOf(id)
		if !known {
			return "there is no kernel " + id
		}
		if sourceOf(e, &kernel) != k.Sources[i] {
			return kernel.Name + " was changed since"
		}
	}
	return ""
}

// kernelOf returns the kernel with that ID, without its constants.
func kernelOf(id string) (shaders.Kernel, bool) {
	plain, _, _ := strings.Cut(id, "{")
	at := slices.IndexFunc(catalog.All(), func(k shaders.Kernel) bool { return k.ID() == plain })
	if at < 0 {
		return shaders.Kernel{}, false
	}
	return catalog.All()[at], true
}

// tuned returns a function by which a run on an engine finds what is kept; the file is read once.
func (s *Session) tuned(e gpu.Engine) (func(byDefault *shaders.Kernel, params any) (workloads.Tuning, bool), error) {
	list, err := readTunings(s.Tunings().File())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list = slices.DeleteFunc(list, func(k KeptTuning) bool { return !k.Kept() || s.unused(&k, e) != "" })
	return func(byDefault *shaders.Kernel, params any) (workloads.Tuning, bool) {
		for i := range list {
			if list[i].Is(byDefault, params) {
				return list[i].Tuning, true
			}
		}
		return workloads.Tuning{}, false
	}, nil
}

// tuned returns the function by which the run's workloads find tuned choices; nil: they use the defaults.
func (a *activeRun) tuned() (func(*shaders.Kernel, any) (workloads.Tuning, bool), error) {
	if !a.request.Tuned {
		return nil, nil //nolint:nilnil // none is asked for
	}
	return a.session.tuned(a.engine)
}

// keepTuning keeps what a workload of the run found, and notes it.
func (a *activeRun) keepTuning(found workloads.Tuning, byDefault, chosen *shaders.Kernel) error {
	if a.meta.NotTiming() != "" {
		return nil // no time counts
	}
	k := a.session.kept(a.engine, found, byDefault, chosen, a.meta.ID)
	text := found.Call() + ": the default, " + found.Default + ", stays"
	if found.Kept() {
		text = fmt.Sprintf("%s: %s, %s faster than %s", found.Call(), found.Choice(), found.Gain, found.Default)
	}
	if err := a.session.Tunings().keep(k); err != nil {
		a.event(bundle.Event{Kind: bundle.ErrorSeen, Severity: severity.Warning, Title: "Tuning not kept", Text: err.Error()})
		return nil // the run continues, and its finding stands
	}
	a.event(bundle.Event{Kind: bundle.Noted, Title: "Tuning kept", Text: text})
	return nil
}
