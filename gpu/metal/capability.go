package metal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Answer is what a device says to a question it can be asked, or that it cannot.
type Answer string

// Answers.
const (
	Yes     Answer = "yes"
	No      Answer = "no"
	Unknown Answer = "unknown"
)

func answer(b bool) Answer {
	if b {
		return Yes
	}
	return No
}

// Capabilities is what a device can do, by what it and the system answered: nothing is inferred from its name but
// Bandwidth, which is a specification's. A figure of 0 and an empty text are unknown, and Missing says why.
type Capabilities struct {
	Device   Device
	Families []string // the highest Apple, Mac and Metal family: "Apple9", "Mac2", "Metal3"
	Chip     string   // "M3 Max"
	Bin      string   // "16-core CPU (12 + 4), 40-core GPU", as far as it is known
	GPUCores int
	// Bandwidth of memory in bytes per second, from the chip's specification; it was not measured.
	Bandwidth            float64
	SIMDWidth            int
	MaxThreads           int // in a threadgroup, along x
	MaxThreadgroupMemory int // bytes
	SimdgroupMatrix      Answer
	BFloat               Answer
	StageCounters        bool              // the clock can be sampled at encoder boundaries
	ResourceLimit        int64             // buffers that a process may have
	Residency            bool              // buffers can be kept wired between command buffers
	Libraries            bool              // Metal Performance Shaders run on the device
	Missing              map[string]string // what is unknown → why
}

// host is what the system says beside the device.
type host struct {
	osBuild       string // "24F74"
	osMajor       int    // 15; 0: unknown
	brand         string // "Apple M3 Max"
	cpuCores      []int  // of each performance level, fastest first
	resourceLimit int64  // 0: unknown
}

// Families from which the language's features are there, by Apple's Metal feature set tables.
const (
	matrixFamily = 7 // AppleN: simdgroup_matrix
	bfloatFamily = 6 // AppleN: bfloat, and every Metal3 device
	bfloatOS     = 14
)

// capabilities puts together what is known before anything was compiled.
func capabilities(f facts, h host) Capabilities {
	c := Capabilities{
		Device: f.device(), Families: f.families(),
		GPUCores: f.cores, MaxThreads: f.maxThreads, MaxThreadgroupMemory: f.maxThreadgroupMemory,
		SimdgroupMatrix: answer(f.apple >= matrixFamily), BFloat: bfloat(f, h),
		StageCounters: f.stageCounters, ResourceLimit: h.resourceLimit,
		Missing: map[string]string{},
	}
	if f.unified && !f.simulated { // else the processor's chip is not the GPU's
		c.Chip = chipName(h.brand)
		c.Bin = binName(h.cpuCores, f.cores)
	}
	c.miss("chip", c.Chip == "", "the system names no Apple chip")
	c.miss("GPU cores", c.GPUCores == 0, "the IORegistry has no gpu-core-count for the device")
	var why string
	c.Bandwidth, why = bandwidth(c.Chip, c.GPUCores)
	c.miss("memory bandwidth", c.Bandwidth == 0, why)
	c.miss("resource limit", c.ResourceLimit == 0, "the system has no iogpu.rsrc_limit")
	c.miss("working set", f.workingSet == 0, "the device recommends none")
	c.miss("bfloat", c.BFloat == Unknown, "the version of the system is unknown")
	return c
}

func (c *Capabilities) miss(what string, is bool, why string) {
	if is {
		c.Missing[what] = why
	}
}

func (f facts) families() []string {
	var names []string
	for _, family := range []struct {
		name string
		n    int
	}{{"Apple", f.apple}, {"Mac", f.mac}, {"Metal", f.metal}} {
		if family.n > 0 {
			names = append(names, family.name+strconv.Itoa(family.n))
		}
	}
	return names
}

// bfloat needs hardware and a compiler that knows the type.
func bfloat(f facts, h host) Answer {
	switch {
	case f.apple < bfloatFamily && f.metal < 3:
		return No
	case f.simulated:
		return Yes
	case h.osMajor == 0:
		return Unknown
	}
	return answer(h.osMajor >= bfloatOS)
}

func binName(cpu []int, gpuCores int) string {
	var parts []string
	if len(cpu) > 0 {
		total, each := 0, make([]string, len(cpu))
		for i, n := range cpu {
			total += n
			each[i] = strconv.Itoa(n)
		}
		parts = append(parts, fmt.Sprintf("%d-core CPU (%s)", total, strings.Join(each, " + ")))
	}
	if gpuCores > 0 {
		parts = append(parts, fmt.Sprintf("%d-core GPU", gpuCores))
	}
	return strings.Join(parts, ", ")
}

// features says the same in words, for gpu.Info.
func (c *Capabilities) features() []string {
	list := append([]string(nil), c.Families...)
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	known := func(is bool, what, format string, args ...any) {
		if !is {
			format, args = "%s unknown (%s)", []any{what, cmp.Or(c.Missing[what], "not told")}
		}
		list = append(list, fmt.Sprintf(format, args...))
	}
	known(c.Chip != "", "chip", "%s", c.Chip)
	add(c.Bin != "", "%s", c.Bin)
	if c.GPUCores == 0 || c.Bin == "" { // which tells them
		known(c.GPUCores > 0, "GPU cores", "%d GPU cores", c.GPUCores)
	}
	known(c.Bandwidth > 0, "memory bandwidth", "memory bandwidth %g GB/s (spec)", c.Bandwidth/1e9)
	known(c.SIMDWidth > 0, "SIMD width", "SIMD width %d", c.SIMDWidth)
	known(c.MaxThreads > 0, "threads per threadgroup", "%d threads per threadgroup", c.MaxThreads)
	known(c.MaxThreadgroupMemory > 0, "threadgroup memory", "%d KiB threadgroup memory", c.MaxThreadgroupMemory/1024)
	list = append(list, c.SimdgroupMatrix.feature("simdgroup_matrix"), c.BFloat.feature("bfloat"))
	add(c.Libraries, "Metal Performance Shaders")
	add(c.Residency, "residency sets")
	return list
}

// feature names what the answer is about: "bfloat", "no bfloat" or "bfloat unknown".
func (a Answer) feature(what string) string {
	switch a {
	case Yes:
		return what
	case No:
		return "no " + what
	}
	return what + " unknown"
}
