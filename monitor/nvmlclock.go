package monitor

import (
	"fmt"
	"strings"
)

// nvmlReason is one bit for what sets the clock of an NVIDIA GPU.
type nvmlReason struct {
	bit       uint64
	word      string
	throttles bool  // it makes work take longer than the GPU could
	state     State // minimum thermal state that it implies; empty: it is not about heat
}

func nvmlReasonTable() []nvmlReason {
	return []nvmlReason{
		{0x1, "idle", false, ""},
		{0x2, "application clocks", false, ""},
		{0x4, "power cap", true, ""},
		{0x8, "hardware slowdown", true, ""}, // due to heat or power: the bits 0x40 and 0x80 tell which
		{0x10, "sync boost", false, ""},
		{0x20, "thermal slowdown", true, Serious},
		{0x40, "hardware thermal slowdown", true, Critical},
		{0x80, "power brake", true, ""},
		{0x100, "display clocks", false, ""},
	}
}

// unlimited is the clock limit of a GPU that runs as fast as it can.
const unlimited State = "nothing"

// clockWords names the bits: "power cap, thermal slowdown".
func clockWords(bits uint64) State {
	var words []string
	for _, r := range nvmlReasonTable() {
		if bits&r.bit != 0 {
			words, bits = append(words, r.word), bits&^r.bit
		}
	}
	if bits != 0 {
		words = append(words, fmt.Sprintf("reason %#x", bits))
	}
	if len(words) == 0 {
		return unlimited
	}
	return State(strings.Join(words, ", "))
}

// throttlingBits returns the bits that throttle.
func throttlingBits(bits uint64) (some uint64) {
	for _, r := range nvmlReasonTable() {
		if r.throttles {
			some |= bits & r.bit
		}
	}
	return some
}

// clockLimit describes what sets the clock.
func (s *nvmlSample) clockLimit() Reading {
	r, err := s.template(GPUClockLimit, nvmlReasons)
	if err != nil {
		return r.without(err)
	}
	return r.reported(clockWords(s.answers[nvmlReasons].value))
}

// throttling returns how far the clock is below its maximum if something holds it back: 0 for an idle GPU, whose clock is low because
// nothing needs it. A limit costs little as long as the clock stays high, so the clock determines the value.
func (s *nvmlSample) throttling() Reading {
	r, err := s.template(GPUThrottling, nvmlReasons)
	if err != nil {
		return r.without(err)
	}
	bits := throttlingBits(s.answers[nvmlReasons].value)
	if bits == 0 {
		return r.ok(0)
	}
	r.Source = string(clockWords(bits)) + ": " + r.Source
	share := s.clockShare()
	if share.Status != OK {
		return r.estimated(1) // throttled; by how much is not known
	}
	return r.estimated(1 - share.Value)
}

// thermalState returns the worse of two states: from the temperature relative to its limits, and from what already slows the GPU down.
func (s *nvmlSample) thermalState() Reading {
	by, err := s.template(ThermalState, nvmlReasons)
	near, limited := s.nearLimits()
	switch {
	case err != nil && !limited:
		return by.without(err)
	case err != nil:
		return near
	}
	by = by.state(s.slowdown())
	if limited && !worseThan(by.Text, near.Text) {
		return near
	}
	return by
}

// nearLimits returns the thermal state by the distance of the temperature from the GPU's limits; ok is false without limits.
func (s *nvmlSample) nearLimits() (r Reading, ok bool) {
	heat := sensor{celsius: s.number(nvmlTemperature), critical: s.threshold(nvmlShutdownAt), passive: s.threshold(nvmlHottest)}
	if heat.passive == 0 {
		heat.passive = s.threshold(nvmlSlowdownAt)
	}
	state, ok := heat.state()
	r, err := s.template(ThermalState, nvmlTemperature)
	r.Source = "distance to the GPU's limits, " + r.Source
	return r.state(state), ok && err == nil
}

// slowdown returns the thermal state implied by the clock's reasons.
func (s *nvmlSample) slowdown() State {
	state := Nominal
	for _, r := range nvmlReasonTable() {
		if s.answers[nvmlReasons].value&r.bit != 0 && r.state != "" && worseThan(r.state, state) {
			state = r.state
		}
	}
	return state
}

// worseThan reports whether a state is worse than another.
func worseThan(a, b State) bool {
	worse, _ := a.Rank()
	rank, _ := b.Rank()
	return worse > rank
}

// threshold is a limit of the temperature; 0 if there is none.
func (s *nvmlSample) threshold(item nvmlItem) float64 {
	if s.answers[item].err != nil {
		return 0
	}
	return s.number(item)
}
