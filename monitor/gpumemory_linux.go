package monitor

/*
#include "nvml_linux.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// ProgramGPUs reads the memory of processes on all NVIDIA GPUs. It is for use by one goroutine.
type ProgramGPUs struct {
	library string
	driver  *nvmlDriver
	cards   []unsafe.Pointer
	err     error // why it cannot be used; it is not tried again
	list    [512]C.assay_nvml_process
}

// NewProgramGPUs returns a reader. It opens the driver's library on first use.
func NewProgramGPUs() *ProgramGPUs { return &ProgramGPUs{library: nvmlLibraryName} }

// Functions that list processes: those that compute, and those that draw. A process may be in both lists, with all its memory in each.
func processFunctions() [][]string {
	return [][]string{
		{"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"},
		{"nvmlDeviceGetGraphicsRunningProcesses_v3", "nvmlDeviceGetGraphicsRunningProcesses_v2"},
	}
}

// Of returns the memory of processes. In a container, where the driver's process IDs are not the system's, it returns everything
// used on the GPUs: an estimate that holds if nothing else uses them.
func (g *ProgramGPUs) Of(pids []int) ProgramMemory {
	if g.driver == nil && g.err == nil {
		g.err = g.open()
	}
	if g.err != nil {
		return ProgramMemory{Err: g.err}
	}
	if g.driver.hidden != nil {
		return g.everything()
	}
	sum := ProgramMemory{Source: "nvmlDeviceGetComputeRunningProcesses, driver " + g.driver.version}
	for _, card := range g.cards {
		all, err := g.processes(card)
		if err != nil {
			return ProgramMemory{Err: err}
		}
		bytes, ok := memoryOf(pids, all)
		if !ok {
			return ProgramMemory{Err: absent("the NVIDIA driver does not report how much memory a process has")}
		}
		sum.Bytes += bytes
	}
	return sum
}

func (g *ProgramGPUs) open() error {
	d, err := openNVML(g.library)
	if err != nil {
		return err
	}
	count, name := d.find("nvmlDeviceGetCount_v2", "nvmlDeviceGetCount")
	at, nameAt := d.find("nvmlDeviceGetHandleByIndex_v2", "nvmlDeviceGetHandleByIndex")
	if count == nil || at == nil {
		return errors.Join(nvmlMissing(name), nvmlMissing(nameAt))
	}
	var n C.uint32_t
	if err := d.check(name, C.assay_nvml_count(count, &n)); err != nil {
		return err
	}
	for i := range uint32(n) {
		var card unsafe.Pointer
		if err := d.check(nameAt, C.assay_nvml_at(at, C.uint32_t(i), &card)); err != nil {
			return err
		}
		g.cards = append(g.cards, card)
	}
	if len(g.cards) == 0 {
		return absent("the NVIDIA driver has no GPU")
	}
	g.driver = d
	return nil
}

// processes lists the processes on a GPU, each once.
func (g *ProgramGPUs) processes(card unsafe.Pointer) ([]gpuProcess, error) {
	var out []gpuProcess
	seen := map[int]bool{}
	for _, names := range processFunctions() {
		f, name := g.driver.find(names...)
		if f == nil {
			return nil, nvmlMissing(name)
		}
		n := C.uint32_t(len(g.list))
		if err := g.driver.check(name, C.assay_nvml_processes(f, card, &g.list[0], &n)); err != nil {
			return nil, err
		}
		for _, p := range g.list[:min(int(n), len(g.list))] {
			if pid := int(p.pid); !seen[pid] {
				seen[pid] = true
				out = append(out, gpuProcess{pid, uint64(p.memory), p.memory != ^C.uint64_t(0)})
			}
		}
	}
	return out, nil
}

// everything returns all memory in use on the GPUs.
func (g *ProgramGPUs) everything() ProgramMemory {
	sum := ProgramMemory{Estimated: true}
	f, name := g.driver.find("nvmlDeviceGetMemoryInfo_v2", "nvmlDeviceGetMemoryInfo")
	if f == nil {
		return ProgramMemory{Err: nvmlMissing(name)}
	}
	version := C.int(1)
	if name == "nvmlDeviceGetMemoryInfo_v2" {
		version = 2
	}
	for _, card := range g.cards {
		var used, total C.uint64_t
		if err := g.driver.check(name, C.assay_nvml_memory(f, card, version, &used, &total)); err != nil {
			return ProgramMemory{Err: err}
		}
		sum.Bytes += float64(used)
	}
	sum.Source = fmt.Sprintf("%s, all that is used on %d: in a container the driver's process IDs are not this system's", name, len(g.cards))
	return sum
}
