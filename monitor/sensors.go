package monitor

import (
	"context"
	"fmt"
	"strings"
)

// hidTemperature is a temperature sensor of macOS's HID system, named by its driver.
type hidTemperature struct {
	name    string
	celsius float64
}

// hidReader reads all temperature sensors of the HID system.
type hidReader interface {
	read() ([]hidTemperature, error)
}

// sensorSource reads temperatures and the whole machine's power on a Mac. Temperatures are read from the SMC or, if it has
// none, from the HID system.
type sensorSource struct {
	openSMC func() (*smc, error)
	openHID func() (hidReader, error)

	opened   bool
	smc      *smc
	noSMC    error
	cpu, gpu []string // keys of temperatures
	hid      hidReader
	noHID    error
	out      [4]Reading
}

func (s *sensorSource) Name() string { return "sensors" }

func (s *sensorSource) Read(context.Context) []Reading {
	if !s.opened {
		s.opened = true
		s.start()
	}
	heat := s.heat()
	s.out = [...]Reading{
		heat.cpu.reading(Template(TemperatureCPU, smcTemperatures), heat.err),
		heat.gpu.reading(Template(TemperatureGPU, smcTemperatures), heat.err),
		heat.all.reading(Template(Temperature, smcTemperatures), heat.err), s.power(),
	}
	return s.out[:]
}

// start opens the SMC, and the HID system if that has no temperatures.
func (s *sensorSource) start() {
	if s.smc, s.noSMC = s.openSMC(); s.noSMC == nil {
		s.cpu, s.gpu = findTemperatures(s.smc)
	}
	if len(s.cpu)+len(s.gpu) == 0 {
		s.hid, s.noHID = s.openHID()
	}
}

// maxKeys is the maximum number of sensors of a part that are read at each tick.
const maxKeys = 128

// findTemperatures are the keys of the processor's and the GPU's sensors. Apple does not document them: on Apple silicon
// they are floats named Tp, Te or Ts and Tg, on Intel fixed-point numbers named TC and TG.
func findTemperatures(s *smc) (cpu, gpu []string) {
	for _, p := range []struct {
		prefix, kinds string
		to            *[]string
	}{
		{"TC", "sp78", &cpu},
		{"TG", "sp78", &gpu},
		{"Te", "flt ioft", &cpu},
		{"Tg", "flt ioft", &gpu},
		{"Tp", "flt ioft", &cpu},
		{"Ts", "flt ioft", &cpu},
	} {
		keys, _ := s.keys(p.prefix, maxKeys) // keys that cannot be listed are reported by the reading
		for _, k := range keys {
			info, err := s.about(k)
			if err == nil && strings.Contains(p.kinds, info.kind) {
				*p.to = append(*p.to, k)
			}
		}
	}
	return cpu, gpu
}

const (
	smcTemperatures = "SMC"
	hidTemperatures = "HID temperature sensors"
)

// peak is the highest temperature of a part and its sensor; there is none if the name is empty.
type peak struct {
	celsius      float64
	source, name string
}

// include adds a sensor. Sensors that are off report 0 or impossible temperatures.
func (p *peak) include(source, name string, celsius float64) {
	if celsius > 0 && celsius <= hottest && (p.name == "" || celsius > p.celsius) {
		*p = peak{celsius, source, name}
	}
}

func (p *peak) reading(r Reading, err error) Reading {
	switch {
	case p.name != "":
		r.Source = fmt.Sprintf("%s, the hottest: %s", p.source, p.name)
		return r.ok(p.celsius)
	case err != nil:
		return r.without(err)
	}
	return r.unavailable("no sensor on this machine")
}

// heat holds the temperatures of a tick; err is the reason if there are none.
type heat struct {
	cpu, gpu, all peak
	err           error
}

func (s *sensorSource) heat() (h heat) {
	if len(s.cpu)+len(s.gpu) > 0 {
		h.err = s.takeSMC(s.cpu, &h.cpu, &h.all)
		if err := s.takeSMC(s.gpu, &h.gpu, &h.all); h.err == nil {
			h.err = err
		}
		return h
	}
	if s.noHID != nil {
		h.err = s.noHID
		return h
	}
	temperatures, err := s.hid.read()
	h.err = err
	for _, t := range temperatures {
		h.takeHID(t)
	}
	return h
}

// takeSMC reads keys and skips those that fail; if all fail, it reports the last error.
func (s *sensorSource) takeSMC(keys []string, part, all *peak) (err error) {
	for _, k := range keys {
		celsius, e := s.smc.number(k)
		if e != nil {
			err = e
			continue
		}
		part.include(smcTemperatures, k, celsius)
		all.include(smcTemperatures, k, celsius)
	}
	return err
}

// takeHID assigns a sensor to a part by its name. Batteries and drives are not part of the chip.
func (h *heat) takeHID(t hidTemperature) {
	switch {
	case strings.HasPrefix(t.name, "pACC MTR"), strings.HasPrefix(t.name, "eACC MTR"):
		h.cpu.include(hidTemperatures, t.name, t.celsius)
	case strings.HasPrefix(t.name, "GPU MTR"):
		h.gpu.include(hidTemperatures, t.name, t.celsius)
	case strings.HasPrefix(t.name, "PMU tdie"), strings.HasPrefix(t.name, "SOC MTR"):
	default:
		return
	}
	h.all.include(hidTemperatures, t.name, t.celsius)
}

// maxWatts is more than any Mac draws.
const maxWatts = 2000

// power is the power that the whole machine draws.
func (s *sensorSource) power() Reading {
	r := Template(Power, "SMC, key PSTR").covering("whole machine")
	if s.noSMC != nil {
		return r.without(s.noSMC)
	}
	watts, err := s.smc.number("PSTR")
	switch {
	case err != nil:
		return r.without(err)
	case watts <= 0 || watts > maxWatts:
		return r.unavailable(fmt.Sprintf("the sensor reports %.3g W, which is implausible", watts))
	}
	return r.ok(watts)
}
