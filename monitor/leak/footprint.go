package leak

import "fmt"

// DefaultTolerance is how many bytes a process may grow between baseline and check: caches of drivers and of the Go runtime outlive
// the buffers.
const DefaultTolerance = 0.1e9

// Footprint compares the memory of the process with a baseline. It sees what the ledger of live buffers cannot: memory kept by a
// driver or a library. Release caches before Set and before Check.
type Footprint struct {
	Baseline  int64 // B
	Tolerance int64 // B; 0 is DefaultTolerance, negative is none
	Code      int64 // bytes that the process has since allocated and kept for kernel code: not a leak
	set       bool
}

// Set records the baseline.
func (f *Footprint) Set(baseline int64) { f.Baseline, f.set = baseline, true }

// Check compares the current footprint with the baseline.
func (f *Footprint) Check(now int64) Verdict {
	if !f.set && f.Baseline == 0 {
		return Verdict{Cause: "no baseline"}
	}
	grown, tolerance := now-f.Baseline-f.Code, f.tolerance()
	numbers := fmt.Sprintf("the process uses %s, baseline %s%s, tolerance %s",
		Bytes(float64(now)), Bytes(float64(f.Baseline)), f.code(), Bytes(float64(tolerance)))
	if grown <= tolerance {
		return Verdict{Cause: numbers}
	}
	return Verdict{
		Leaking: true, Bytes: grown,
		Cause: fmt.Sprintf("the process grew by %s: %s", Bytes(float64(grown)), numbers),
	}
}

// code describes how much was allocated for code.
func (f *Footprint) code() string {
	if f.Code <= 0 {
		return ""
	}
	return fmt.Sprintf(", %s of loaded kernels", Bytes(float64(f.Code)))
}

func (f *Footprint) tolerance() int64 {
	switch {
	case f.Tolerance < 0:
		return 0
	case f.Tolerance == 0:
		return DefaultTolerance
	}
	return f.Tolerance
}
