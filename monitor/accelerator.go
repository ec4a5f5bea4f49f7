package monitor

import (
	"context"
	"fmt"
	"math"
)

// statistic is one number of a GPU driver's PerformanceStatistics in the I/O registry.
type statistic struct {
	device int // index of the GPU
	name   string
	value  float64
}

// acceleratorReader lists the statistics of all GPUs; none on a machine without a GPU.
type acceleratorReader func() ([]statistic, error)

// acceleratorSource reads the statistics of the GPU's driver, which cover all processes.
type acceleratorSource struct {
	read acceleratorReader
	out  []Reading
}

func (s *acceleratorSource) Name() string { return "accelerator" }

func (s *acceleratorSource) Read(context.Context) []Reading {
	stats, err := s.read()
	s.out = s.out[:0]
	for _, g := range gauges() {
		s.out = append(s.out, g.reading(stats, err))
	}
	return append(s.out, Template(GPUOccupancy, "Metal").unavailable("Metal exposes no occupancy counter to apps; Xcode shows it for a capture"))
}

// gauge is a reading and the statistic that it comes from.
type gauge struct{ metric, name string }

func gauges() []gauge {
	return []gauge{
		{GPUUtilization, "Device Utilization %"},
		{GPURenderer, "Renderer Utilization %"},
		{GPUTiler, "Tiler Utilization %"},
		{GPUMemory, "In use system memory"},
		{GPUMemoryAllocated, "Alloc system memory"},
	}
}

// reading is the share of the busiest GPU, or the bytes of all GPUs.
func (g gauge) reading(stats []statistic, err error) Reading {
	r := Template(g.metric, "IOAccelerator PerformanceStatistics")
	if err != nil {
		return r.without(err)
	}
	value, found := 0.0, false
	for _, s := range stats {
		switch {
		case s.name != g.name:
			continue
		case math.IsNaN(s.value) || s.value < 0 || r.Unit == "ratio" && s.value > 100:
			return r.failed(fmt.Sprintf("the GPU's driver reports %s = %v", s.name, s.value))
		case r.Unit == "ratio":
			value = max(value, s.value/100)
		default:
			value += s.value
		}
		found = true
	}
	switch {
	case found:
		return r.ok(value)
	case len(stats) == 0:
		return r.unavailable("no GPU driver on this machine keeps statistics")
	}
	return r.unavailable("the GPU's driver does not report " + g.name)
}
