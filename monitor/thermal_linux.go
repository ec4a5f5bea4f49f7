package monitor

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

// Sensors come and go with their drivers, so the list is refreshed occasionally. No more than maxSensors are
// read: a server has one per core, and the hottest of a socket is among the first.
const (
	rescanAfter = time.Minute
	maxSensors  = 64
)

// thermalSource reads the temperatures of /sys/class/hwmon and /sys/class/thermal.
type thermalSource struct {
	roots   roots
	scanned time.Time
	probes  []probe
	sensors []sensor // of this tick
	out     []Reading
}

// probe is a sensor's file, its label and limits.
type probe struct {
	file *file
	sensor
	template Reading
}

func newThermalSource(r roots) *thermalSource { return &thermalSource{roots: r} }

func (s *thermalSource) Name() string { return "thermal" }

func (s *thermalSource) Read(context.Context) []Reading {
	if now := time.Now(); s.scanned.IsZero() || now.Sub(s.scanned) >= rescanAfter {
		s.scan()
		s.scanned = now
	}
	s.sensors, s.out = s.sensors[:0], s.out[:0]
	hot, reading := -1, Template(Temperature, "/sys/class/hwmon, /sys/class/thermal")
	for i := range s.probes {
		one, ok := s.probes[i].read()
		s.out = append(s.out, one)
		if !ok {
			continue
		}
		s.sensors = append(s.sensors, s.probes[i].sensor)
		if hot < 0 || s.probes[i].celsius > s.probes[hot].celsius {
			hot, reading = i, reading.ok(one.Value)
			reading.Title, reading.Source = one.Title, one.Source
		}
	}
	if hot < 0 {
		reading = reading.unavailable(noSensor)
	}
	s.out = append(s.out, reading, s.state())
	return s.out
}

func (s *thermalSource) state() Reading {
	r := Template(ThermalState, "distance to the trip points")
	if len(s.sensors) == 0 {
		return r.unavailable(noSensor)
	}
	text, of, ok := worst(s.sensors)
	if !ok {
		return r.unavailable(noLimits)
	}
	r.Source = "distance to the trip points of " + of.label
	return r.state(text)
}

// read is the sensor's reading; ok is false if it has no temperature now.
func (p *probe) read() (Reading, bool) {
	milli, err := p.file.int()
	if err != nil {
		return p.template.without(err), false
	}
	c, ok := celsius(milli)
	if !ok {
		return p.template.unavailable("the sensor reports no temperature"), false
	}
	p.celsius = c
	return p.template.ok(c), true
}

// scan finds the sensors again.
func (s *thermalSource) scan() {
	for i := range s.probes {
		s.probes[i].file.close()
	}
	s.probes = s.probes[:0]
	seen := map[string]int{}
	for _, input := range s.roots.glob("class/hwmon/hwmon*/temp*_input") {
		s.add(s.hwmon(input), seen)
	}
	for _, zone := range s.roots.glob("class/thermal/thermal_zone*") {
		s.add(s.zone(zone), seen)
	}
}

func (s *thermalSource) add(p probe, seen map[string]int) {
	if len(s.probes) == maxSensors {
		return
	}
	p.label = distinct(p.label, seen)
	p.template = Template(Temperature, p.file.name).part(p.label)
	s.probes = append(s.probes, p)
}

// hwmon is a sensor "hwmon0/temp1_input" with its label beside it, "coretemp Package id 0". Its temp1_max is not a
// passive limit: processors run above it (70 °C for many of AMD's) without slowing down.
func (s *thermalSource) hwmon(input string) probe {
	stem := strings.TrimSuffix(input, "_input")
	label := s.roots.text(filepath.Join(filepath.Dir(input), "name"))
	if own := s.roots.text(stem + "_label"); own != "" {
		label = strings.TrimSpace(label + " " + own)
	}
	if label == "" {
		label = filepath.Base(stem)
	}
	p := probe{file: s.roots.sysFile(input)}
	p.label, p.critical = label, s.limit(stem+"_crit")
	return p
}

// zone is a thermal zone with its trip points.
func (s *thermalSource) zone(dir string) probe {
	p := probe{file: s.roots.sysFile(filepath.Join(dir, "temp"))}
	if p.label = s.roots.text(filepath.Join(dir, "type")); p.label == "" {
		p.label = filepath.Base(dir)
	}
	for _, kind := range s.roots.glob(filepath.Join(dir, "trip_point_*_type")) {
		at := s.limit(strings.TrimSuffix(kind, "_type") + "_temp")
		if at == 0 {
			continue
		}
		switch s.roots.text(kind) {
		case "passive", "hot":
			p.passive = lower(p.passive, at)
		case "critical":
			p.critical = lower(p.critical, at)
		}
	}
	return p
}

func (s *thermalSource) limit(name string) float64 {
	milli, ok := onlySigned([]byte(s.roots.text(name)))
	if !ok {
		return 0
	}
	return limit(milli)
}

// lower is the lower of two limits; 0 means no limit.
func lower(a, b float64) float64 {
	if a == 0 || b < a {
		return b
	}
	return a
}
