package monitor

import (
	"context"
	"path/filepath"
	"strings"
	"time"
)

// powerSource reads the energy counters of Intel and AMD processors (RAPL) in /sys/class/powercap.
type powerSource struct {
	domains []domain
	total   Reading
	out     []Reading
}

// domain is one energy counter.
type domain struct {
	file     *file
	counter  energyCounter
	template Reading
	counted  bool // part of the host's power: packages, and memory, which no package contains
}

func newPowerSource(r roots) *powerSource {
	s := &powerSource{total: Template(Power, "/sys/class/powercap/intel-rapl").covering("CPU packages and memory")}
	seen := map[string]int{}
	for _, dir := range r.glob("class/powercap/intel-rapl:*") {
		s.domains = append(s.domains, newDomain(r, dir, seen))
	}
	return s
}

func newDomain(r roots, dir string, seen map[string]int) domain {
	name := r.text(filepath.Join(dir, "name"))
	if name == "" {
		name = filepath.Base(dir)
	}
	d := domain{file: r.sysFile(filepath.Join(dir, "energy_uj"))}
	d.counted = strings.HasPrefix(name, "package") || name == "dram"
	d.counter.wrap, _ = only([]byte(r.text(filepath.Join(dir, "max_energy_range_uj"))))
	d.template = Template(Power, d.file.name).part(distinct(name, seen))
	return d
}

func (s *powerSource) Name() string { return "power" }

func (s *powerSource) Read(context.Context) []Reading {
	s.out = s.out[:0]
	watts, counted, missing := 0.0, 0, Reading{}
	for i := range s.domains {
		d := &s.domains[i]
		r := d.read()
		s.out = append(s.out, r)
		switch {
		case !d.counted:
		case r.Status == OK:
			watts += r.Value
			counted++
		default:
			missing = r
		}
	}
	s.out = append(s.out, s.sum(watts, counted, missing))
	return s.out
}

// sum is the host's power. If a domain has no value, there is no sum, since a part would look like the whole.
func (s *powerSource) sum(watts float64, counted int, missing Reading) Reading {
	switch {
	case missing.Status != "":
		r := s.total
		r.Status, r.Reason = missing.Status, missing.Reason
		return r
	case counted == 0:
		return s.total.unavailable("this machine exposes no energy counter (RAPL)")
	}
	return s.total.ok(watts)
}

func (d *domain) read() Reading {
	microjoules, err := d.file.uint()
	if err != nil {
		return d.template.without(err)
	}
	watts, reason := d.counter.next(microjoules, time.Now())
	if reason != "" {
		return d.template.unavailable(reason)
	}
	return d.template.ok(watts)
}
