package metal

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// answer is whether a device supports a feature, if that is known.
type answer string

// Answers.
const (
	yes     answer = "yes"
	no      answer = "no"
	unknown answer = "unknown"
)

func answerOf(b bool) answer {
	if b {
		return yes
	}
	return no
}

// capabilities is what a device can do, as the device and the system report it. Only the bandwidth is inferred, from Apple's
// specification of the chip. Zero and empty values are unknown; missing has the reasons.
type capabilities struct {
	device   deviceInfo
	families []string // the highest Apple, Mac and Metal family: "Apple9", "Mac2", "Metal3"
	family   int      // the Apple family as a number; 0: not an Apple GPU
	chip     string   // "M3 Max"
	bin      string   // "16-core CPU (12 + 4), 40-core GPU", as far as known
	cores    int
	// bandwidth of memory in bytes per second, from the chip's specification; not measured.
	bandwidth            float64
	simdWidth            int
	maxThreads           int // in a threadgroup, along x
	maxThreadgroupMemory int // bytes
	matrix               answer
	bfloat               answer
	floatAtomics         answer
	stageCounters        bool              // the clock can be sampled at encoder boundaries
	resourceLimit        int64             // buffers that a process may have
	residency            bool              // buffers can be kept wired between command buffers
	libraries            bool              // Metal Performance Shaders run on the device
	missing              map[string]string // what is unknown → why
}

// host is what the system reports about itself.
type host struct {
	osBuild       string // "24F74"
	osMajor       int    // 15; 0: unknown
	brand         string // "Apple M3 Max"
	cpuCores      []int  // of each performance level, fastest first
	resourceLimit int64  // 0: unknown
}

// The first families that have features of the language, from Apple's Metal feature set tables.
const (
	matrixFamily = 7 // AppleN: simdgroup_matrix
	atomicFamily = 7 // AppleN: atomic_float, and every Metal3 device
	bfloatFamily = 6 // AppleN: bfloat, and every Metal3 device
)

// The first versions of macOS whose compilers have features of the language.
const (
	atomicOS = 13 // Metal 3
	bfloatOS = 14 // Metal 3.1
)

// capabilitiesOf collects what is known before anything was compiled.
func capabilitiesOf(f facts, h host) capabilities {
	c := capabilities{
		device: f.device(), families: f.families(), family: f.apple,
		cores: f.cores, maxThreads: f.maxThreads, maxThreadgroupMemory: f.maxThreadgroupMemory,
		matrix: answerOf(f.apple >= matrixFamily), bfloat: bfloat(f, h),
		floatAtomics:  floatAtomics(f, h),
		stageCounters: f.stageCounters, resourceLimit: h.resourceLimit,
		missing: map[string]string{},
	}
	if f.unified && !f.simulated { // otherwise the GPU is not part of the processor's chip
		c.chip = chipName(h.brand)
		c.bin = binName(h.cpuCores, f.cores)
	}
	c.miss("chip", c.chip == "", "the system does not report an Apple chip")
	c.miss("GPU cores", c.cores == 0, "the IORegistry has no gpu-core-count for the device")
	var why string
	c.bandwidth, why = bandwidth(c.chip, c.cores)
	c.miss("memory bandwidth", c.bandwidth == 0, why)
	c.miss("resource limit", c.resourceLimit == 0, "the system has no iogpu.rsrc_limit")
	c.miss("working set", f.workingSet == 0, "the device does not recommend one")
	c.miss("bfloat", c.bfloat == unknown, "the version of the system is unknown")
	c.miss("atomic_float", c.floatAtomics == unknown, "the version of the system is unknown")
	return c
}

func (c *capabilities) miss(what string, is bool, why string) {
	if is {
		c.missing[what] = why
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

func bfloat(f facts, h host) answer {
	return hasFeature(f, h, f.apple >= bfloatFamily || f.metal >= 3, bfloatOS)
}

func floatAtomics(f facts, h host) answer {
	return hasFeature(f, h, f.apple >= atomicFamily || f.metal >= 3, atomicOS)
}

// hasFeature reports whether the device has a feature that requires the hardware and, from a version of macOS on, the system's
// compiler.
func hasFeature(f facts, h host, hardware bool, version int) answer {
	switch {
	case !hardware:
		return no
	case f.simulated:
		return yes
	case h.osMajor == 0:
		return unknown
	}
	return answerOf(h.osMajor >= version)
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

// features describes the capabilities in words, for gpu.Info.
func (c *capabilities) features() []string {
	list := append([]string(nil), c.families...)
	add := func(is bool, format string, args ...any) {
		if is {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	known := func(is bool, what, format string, args ...any) {
		if !is {
			format, args = "%s unknown (%s)", []any{what, cmp.Or(c.missing[what], "not reported")}
		}
		list = append(list, fmt.Sprintf(format, args...))
	}
	known(c.chip != "", "chip", "%s", c.chip)
	add(c.bin != "", "%s", c.bin)
	if c.cores == 0 || c.bin == "" { // the bin includes the number
		known(c.cores > 0, "GPU cores", "%d GPU cores", c.cores)
	}
	known(c.bandwidth > 0, "memory bandwidth", "memory bandwidth %g GB/s (spec)", c.bandwidth/1e9)
	known(c.simdWidth > 0, "SIMD width", "SIMD width %d", c.simdWidth)
	known(c.maxThreads > 0, "threads per threadgroup", "%d threads per threadgroup", c.maxThreads)
	known(c.maxThreadgroupMemory > 0, "threadgroup memory", "%d KiB threadgroup memory", c.maxThreadgroupMemory/1024)
	list = append(list, c.matrix.feature("simdgroup_matrix"), c.bfloat.feature("bfloat"), c.floatAtomics.feature("atomic_float"))
	add(c.libraries, "Metal Performance Shaders")
	add(c.residency, "residency sets")
	return list
}

// feature puts the answer for a feature into words: "bfloat", "no bfloat" or "bfloat unknown".
func (a answer) feature(what string) string {
	switch a {
	case yes:
		return what
	case no:
		return "no " + what
	}
	return what + " unknown"
}
