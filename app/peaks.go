package app

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/kept"
	"assay/workloads"
)

// peaksFile, in the runs' folder, has the newest peaks of each device, which results are related to.
const peaksFile = "peaks.json"

// maxPeaks is the maximum size of the file, in bytes.
const maxPeaks = 4 << 20

// keptPeaks are the peaks of devices as stored on disk.
type keptPeaks struct {
	mu   sync.Mutex
	read bool
	list []workloads.Peaks
}

// Peaks are the peaks measured on a device; ok is false before the workload “peaks” has run on it.
func (s *Session) Peaks(device gpu.Info) (workloads.Peaks, bool) {
	s.peaks.mu.Lock()
	defer s.peaks.mu.Unlock()
	s.peaks.load(s.peaksPath())
	i := s.peaks.find(device)
	if i < 0 {
		return workloads.Peaks{}, false
	}
	return s.peaks.list[i], true
}

func (s *Session) peaksPath() string { return filepath.Join(s.runsDir(), peaksFile) }

func peaksAt(path string) kept.File {
	return kept.File{Path: path, What: "a file of peaks", Limit: maxPeaks}
}

// load reads the file once. A file that cannot be read counts as empty.
func (k *keptPeaks) load(path string) {
	if k.read {
		return
	}
	k.read = true
	k.list = nil
	if peaksAt(path).Read(&k.list) != nil {
		k.list = nil
	}
}

func (k *keptPeaks) find(device gpu.Info) int {
	return slices.IndexFunc(k.list, func(p workloads.Peaks) bool { return p.Engine == device.Engine && p.Device == device.Device })
}

// keepPeaks keeps what a finished run measured of peaks. Another workload of the same device replaces only what it measured again.
func (s *Session) keepPeaks(run *bundle.Run) error {
	p, ok := workloads.PeaksOf(run.Results)
	if !ok {
		return nil
	}
	device := run.Meta.Engine
	p.Engine, p.Device, p.Run, p.Measured = device.Engine, device.Device, run.Meta.ID, run.Meta.Started.Round(time.Second)
	s.peaks.mu.Lock()
	defer s.peaks.mu.Unlock()
	file := peaksAt(s.peaksPath())
	return file.Change(func() error {
		s.peaks.read = false // another process may have written it
		if errors.Is(file.Read(new([]workloads.Peaks)), kept.ErrDamaged) {
			if err := file.SetAside(); err != nil {
				return err
			}
		}
		s.peaks.load(file.Path)
		if i := s.peaks.find(device); i >= 0 {
			s.peaks.list[i] = p.Over(s.peaks.list[i])
		} else {
			s.peaks.list = append(s.peaks.list, p)
		}
		return file.Write(s.peaks.list)
	})
}

// place relates results to the specification and the peaks of the device, where they are known. Results of peaks are peaks themselves.
func (s *Session) place(device gpu.Info, rs []workloads.Result) {
	spec := workloads.SpecOf(&device)
	p, known := s.Peaks(device)
	for i := range rs {
		spec.Place(&rs[i])
		if known && rs[i].Workload != workloads.PeaksName {
			p.Place(&rs[i])
		}
	}
}
