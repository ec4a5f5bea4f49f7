package target

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"assay/monitor"
)

// procfs is Linux's /proc.
type procfs struct {
	root   string
	dri    string // the folder of GPUs' devices
	user   uint32
	buffer []byte
	nvidia *monitor.ProgramGPUs
}

func newSystem() system {
	return &procfs{root: "/proc", dri: "/dev/dri/", user: uint32(os.Geteuid()), nvidia: monitor.NewProgramGPUs()}
}

func (p *procfs) sources() sources {
	const rollup = "/proc/PID/smaps_rollup"
	return sources{
		process: "/proc/PID/stat", footprint: rollup + ": anonymous, shared and swapped", resident: rollup + " Rss",
		anonymous: rollup + " Pss_Anon", swap: rollup + " SwapPss", handles: "/proc/PID/fd",
	}
}

func (p *procfs) path(pid int, name string) string {
	return p.root + "/" + strconv.Itoa(pid) + "/" + name
}

// read reads a file into the reader's buffer, valid until the next call.
func (p *procfs) read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if p.buffer == nil {
		p.buffer = make([]byte, 16<<10)
	}
	n := 0
	for n < len(p.buffer) {
		k, err := f.Read(p.buffer[n:])
		n += k
		if errors.Is(err, io.EOF) || err == nil && k == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	return p.buffer[:n], nil
}

func (p *procfs) processes() ([]Process, error) {
	dir, err := os.Open(p.root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var out []Process
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := p.read(p.path(pid, "stat"))
		if err != nil {
			continue // it has ended since, or is hidden
		}
		one, err := decodeStat(b)
		if err != nil {
			return nil, err
		}
		var info syscall.Stat_t
		one.Own = syscall.Stat(p.root+"/"+name, &info) == nil && info.Uid == p.user
		out = append(out, one)
	}
	return out, nil
}

// process is part of system.
func (p *procfs) process(pid int) (Process, error) {
	b, err := p.read(p.path(pid, "stat"))
	if err != nil {
		return Process{}, err
	}
	return decodeStat(b)
}

// usage is part of system.
func (p *procfs) usage(pid int, memory bool) (u usage, err error) {
	if memory {
		u, err = p.memory(pid)
		if gone(err) {
			return u, fmt.Errorf("process %d has ended", pid)
		}
		if err != nil {
			none := missing(why(err, p.path(pid, "smaps_rollup")))
			u = usage{footprint: none, resident: none, anonymous: none, swap: none}
		}
	}
	n, err := p.handles(pid)
	if gone(err) {
		return u, fmt.Errorf("process %d has ended", pid)
	}
	u.handles = known(float64(n))
	if err != nil {
		u.handles = missing(why(err, p.path(pid, "fd")))
	}
	return u, nil
}

// memory reads smaps_rollup or, if that is missing or not allowed, the coarser status, which everybody may read.
func (p *procfs) memory(pid int) (usage, error) {
	b, err := p.read(p.path(pid, "smaps_rollup"))
	if err == nil {
		return decodeRollup(b)
	}
	if gone(err) {
		return usage{}, err
	}
	if b, err = p.read(p.path(pid, "status")); err != nil {
		return usage{}, err
	}
	u, err := decodeStatus(b)
	u.source = "/proc/PID/status: smaps_rollup is not readable"
	return u, err
}

// handles counts the open descriptors: since Linux 6.2 their number is the size of the folder.
func (p *procfs) handles(pid int) (int, error) {
	path := p.path(pid, "fd")
	var info syscall.Stat_t
	if err := syscall.Stat(path, &info); err == nil && info.Size > 0 {
		return int(info.Size), nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return len(names), err
}

// gpu returns the memory on NVIDIA GPUs, and on GPUs whose drivers report it per descriptor.
func (p *procfs) gpu(pids []int) gpuMemory {
	nvidia := p.nvidia.Of(pids)
	clients, err := p.drm(pids)
	sum, ok := drmSum(clients)
	switch {
	case ok && nvidia.Err == nil:
		return gpuMemory{amount: known(sum + nvidia.Bytes), source: nvidia.Source + "; /proc/PID/fdinfo", estimated: nvidia.Estimated}
	case ok:
		return gpuMemory{amount: known(sum), source: "/proc/PID/fdinfo, drm-total"}
	case nvidia.Err == nil:
		return gpuMemory{amount: known(nvidia.Bytes), source: nvidia.Source, estimated: nvidia.Estimated}
	case err != nil:
		return gpuMemory{amount: missing(err), source: "/proc/PID/fdinfo"}
	}
	return gpuMemory{amount: missing(fmt.Errorf("%w; no other GPU is open in it", nvidia.Err)), source: "NVML"}
}

// drm returns the connections of processes to GPU drivers.
func (p *procfs) drm(pids []int) (clients []drmClient, err error) {
	if _, err := os.Stat(p.dri); err != nil {
		return nil, nil // without such a device there are no connections
	}
	for _, pid := range pids {
		links, err := os.ReadDir(p.path(pid, "fd"))
		if err != nil && !gone(err) {
			return nil, why(err, p.path(pid, "fd"))
		}
		for _, link := range links {
			to, err := os.Readlink(filepath.Join(p.path(pid, "fd"), link.Name()))
			if err != nil || !strings.HasPrefix(to, p.dri) {
				continue
			}
			if b, err := p.read(filepath.Join(p.path(pid, "fdinfo"), link.Name())); err == nil {
				if c, ok := decodeDRM(b); ok {
					clients = append(clients, c)
				}
			}
		}
	}
	return clients, nil
}

// gone reports whether an error says that a process has ended.
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) }

// why explains to people why a file of a process cannot be read.
func why(err error, path string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s is readable only by its owner and root", path)
	}
	return err
}
