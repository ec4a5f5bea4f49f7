package monitor

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/host"
	"github.com/shirou/gopsutil/v3/mem"

	"assay/internal/cgroup"
	"assay/internal/si"
)

// HostInfo describes the machine on which a report was made. A field that could not be read is zero.
type HostInfo struct {
	OS          string    `json:"os"`           // "linux", "darwin"
	Platform    string    `json:"platform"`     // "debian 12.5", "darwin 26.1"
	Kernel      string    `json:"kernel"`       // "6.18.44"
	Arch        string    `json:"arch"`         // "amd64", "arm64"
	CPU         string    `json:"cpu"`          // model name
	Cores       int       `json:"cores"`        // physical
	Threads     int       `json:"threads"`      // logical
	MemoryBytes uint64    `json:"memory_bytes"` // installed
	Booted      time.Time `json:"booted"`
	Virtual     string    `json:"virtual,omitempty"` // hypervisor or container in which this runs, if known
	// Limits of the control group, for example of a container or a batch job; 0: none.
	CPUQuota    float64 `json:"cpu_quota_cores,omitempty"`
	MemoryLimit uint64  `json:"memory_limit_bytes,omitempty"`
}

// Host describes this machine. It uses gopsutil, as do the CPU times and load on macOS. On Linux, Assay has its own readers for
// everything read at each tick: they take an eighth of gopsutil's time for memory and a third for times and load, and allocate
// almost nothing (docs/cost.md). The error joins the errors of fields that could not be read; the other fields are set.
func Host(ctx context.Context) (HostInfo, error) {
	info := HostInfo{OS: runtime.GOOS, Arch: runtime.GOARCH, Threads: runtime.NumCPU()}
	info.readLimits(cgroup.Open("/proc", "/sys"))
	return info, errors.Join(info.readSystem(ctx), info.readCPU(ctx), info.readMemory(ctx))
}

func (info *HostInfo) readLimits(g cgroup.Groups) {
	if limit, limited := g.CPU(); limited {
		info.CPUQuota = limit.Cores
	}
	if limit, limited := g.Memory(); limited {
		info.MemoryLimit = uint64(limit.Limit)
	}
}

// Limits returns the limits of the control group in words: "0.3 cores, 500 MB of memory"; empty if there are none.
func (info *HostInfo) Limits() string {
	var parts []string
	if info.CPUQuota > 0 {
		parts = append(parts, si.Digits(info.CPUQuota)+" cores")
	}
	if info.MemoryLimit > 0 {
		parts = append(parts, si.Bytes(float64(info.MemoryLimit))+" of memory")
	}
	return strings.Join(parts, ", ")
}

// Memory returns the memory that Assay can use, in words: "25.3 GB", or "419 MB, of the machine’s 25.3 GB" if the control group
// limits it; empty if it is not known.
func (info *HostInfo) Memory() string {
	switch installed := si.Bytes(float64(info.MemoryBytes)); {
	case info.MemoryBytes == 0:
		return ""
	case info.MemoryLimit > 0 && info.MemoryLimit < info.MemoryBytes:
		return si.Bytes(float64(info.MemoryLimit)) + ", of the machine’s " + installed
	default:
		return installed
	}
}

func (info *HostInfo) readSystem(ctx context.Context) error {
	h, err := host.InfoWithContext(ctx)
	if h != nil {
		info.Platform, info.Kernel = joined(h.Platform, h.PlatformVersion), h.KernelVersion
		if h.BootTime > 0 {
			info.Booted = time.Unix(int64(h.BootTime), 0).UTC()
		}
		if h.VirtualizationRole == "guest" {
			info.Virtual = h.VirtualizationSystem
		}
	}
	if err != nil {
		return fmt.Errorf("host: %w", err)
	}
	return nil
}

func (info *HostInfo) readCPU(ctx context.Context) error {
	models, err := cpu.InfoWithContext(ctx)
	if err == nil && len(models) == 0 {
		err = errors.New("the system reports no processor name")
	}
	if err == nil {
		info.CPU = models[0].ModelName
	}
	cores, countErr := cpu.CountsWithContext(ctx, false)
	info.Cores = cores
	if err = errors.Join(err, countErr); err != nil {
		return fmt.Errorf("cpu: %w", err)
	}
	return nil
}

func (info *HostInfo) readMemory(ctx context.Context) error {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	info.MemoryBytes = m.Total
	return nil
}

func joined(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
