package monitor

import (
	"path/filepath"
	"strings"
)

// OpenGPUEnergy counts the energy of an NVIDIA GPU, identified by its UUID; "" is the first GPU.
func OpenGPUEnergy(id string) (*EnergyCounter, error) {
	reader, err := openNVML(nvmlLibraryName)
	if err != nil {
		return nil, err
	}
	return newNVMLEnergy(reader, id)
}

// OpenCPUEnergy counts the energy of the processor packages, and of memory with a counter of its own. It includes what every
// program uses.
func OpenCPUEnergy() (*EnergyCounter, error) { return raplEnergy(roots{proc: "/proc", sys: "/sys"}) }

// energy is part of nvmlReader.
func (d *nvmlDriver) energy() nvmlAnswer {
	questions := nvmlQuestions()
	for i := range questions {
		if questions[i].item == nvmlEnergy {
			return d.ask(&questions[i])
		}
	}
	return nvmlAnswer{err: absent(noEnergyReader)}
}

// source is part of nvmlReader.
func (d *nvmlDriver) source(item nvmlItem) string {
	questions := nvmlQuestions()
	for i := range questions {
		if questions[i].item == item {
			_, name := d.find(questions[i].functions...)
			return name + ", " + d.of
		}
	}
	return d.of
}

// raplDomain is one counter of RAPL.
type raplDomain struct {
	file *file
	sum  rising
}

func raplEnergy(r roots) (*EnergyCounter, error) {
	var domains []*raplDomain
	var names []string
	for _, dir := range r.glob("class/powercap/intel-rapl:*") {
		name := r.text(filepath.Join(dir, "name"))
		if !strings.HasPrefix(name, "package") && name != "dram" {
			continue
		}
		d := &raplDomain{file: r.sysFile(filepath.Join(dir, "energy_uj"))}
		d.sum.wrap, _ = only([]byte(r.text(filepath.Join(dir, "max_energy_range_uj"))))
		domains, names = append(domains, d), append(names, name)
	}
	if len(domains) == 0 {
		return nil, absent("this machine exposes no energy counter (RAPL)")
	}
	c := &EnergyCounter{
		About: strings.Join(names, ", ") + ", RAPL in /sys/class/powercap; all programs count", Period: raplEnergyPeriod,
		read: func() (float64, error) { return sumOf(domains) },
	}
	if _, err := c.read(); err != nil {
		return nil, err
	}
	return c, nil
}

// sumOf is the energy of all domains in joules.
func sumOf(domains []*raplDomain) (float64, error) {
	sum := uint64(0)
	for _, d := range domains {
		value, err := d.file.uint()
		if err != nil {
			return 0, worded(d.file.name, err)
		}
		microjoules, err := d.sum.next(value)
		if err != nil {
			return 0, err
		}
		sum += microjoules
	}
	return float64(sum) * 1e-6, nil
}

// worded phrases the error of a file as readings do: "readable only by root: /sys/…".
func worded(name string, err error) error {
	r := Reading{Source: name}.without(err)
	return absent(r.Reason)
}
