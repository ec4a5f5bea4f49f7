package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"assay/app/bundle"
	"assay/gpu"
	"assay/internal/regular"
	"assay/internal/si"
	"assay/workloads"
)

// peaksFile is in the folder of the runs: the newest peaks of each device, which results are related to.
const peaksFile = "peaks.json"

// maxPeaks is the maximum size of the file, in bytes.
const maxPeaks = 4 << 20

// keptPeaks are the peaks of devices, as they are on disk.
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

// load reads the file once. One that cannot be read counts as empty.
func (k *keptPeaks) load(path string) {
	if k.read {
		return
	}
	k.read = true
	data, err := regular.Read(path, "a file of peaks", maxPeaks)
	if err != nil || json.Unmarshal(data, &k.list) != nil {
		k.list = nil
	}
}

func (k *keptPeaks) find(device gpu.Info) int {
	return slices.IndexFunc(k.list, func(p workloads.Peaks) bool { return p.Engine == device.Engine && p.Device == device.Device })
}

// keepPeaks keeps what a finished run measured of peaks. A workload more of the same device replaces what it has measured again.
func (s *Session) keepPeaks(run *bundle.Run) error {
	p, ok := workloads.PeaksOf(run.Results)
	if !ok {
		return nil
	}
	device := run.Meta.Engine
	p.Engine, p.Device, p.Run, p.Measured = device.Engine, device.Device, run.Meta.ID, run.Meta.Started.Round(time.Second)
	s.peaks.mu.Lock()
	defer s.peaks.mu.Unlock()
	s.peaks.read = false // another process may have written it
	s.peaks.load(s.peaksPath())
	if i := s.peaks.find(device); i >= 0 {
		s.peaks.list[i] = p.Over(s.peaks.list[i])
	} else {
		s.peaks.list = append(s.peaks.list, p)
	}
	return writeWhole(s.peaksPath(), s.peaks.list, maxPeaks)
}

// writeWhole replaces a file by the JSON of a value, or leaves it as it was. More bytes than limit are refused: they would not be read.
func writeWhole(path string, value any, limit int) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	if len(data) >= limit { // a line break follows
		return fmt.Errorf("%s would have %d bytes, which is more than %s", path, len(data)+1, si.Bytes(float64(limit)))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".peaks-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		if gone := os.Remove(f.Name()); !errors.Is(gone, fs.ErrNotExist) {
			err = errors.Join(err, gone)
		}
	}
	return err
}

// place relates results to the peaks of the device, if they are known. Results of peaks are peaks themselves.
func (s *Session) place(device gpu.Info, rs []workloads.Result) {
	p, known := s.Peaks(device)
	if !known {
		return
	}
	for i := range rs {
		if rs[i].Workload != workloads.PeaksName {
			p.Place(&rs[i])
		}
	}
}
