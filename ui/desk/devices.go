package desk

import (
	"slices"
	"strings"

	"assay/app"
	"assay/gpu"
)

// deviceChoice prefixes the name of the choice of an engine's device.
const deviceChoice = "device."

// devices are the devices last chosen, by engine.
func (s Settings) devices() map[string]string {
	chosen := map[string]string{}
	for name, device := range s.choices() {
		if engine, ok := strings.CutPrefix(name, deviceChoice); ok && device != "" {
			chosen[engine] = device
		}
	}
	return chosen
}

// FindEngines opens all engines, on the devices last chosen, which may take a while.
func (d *Desk) FindEngines() {
	chosen := d.Settings.devices()
	d.Background(func() func() {
		for engine, device := range chosen {
			_ = d.Session.Engines.UseDevice(d.life, engine, device) // an engine of another system is no error
		}
		found := d.Session.Engines.List()
		for _, e := range found {
			if chosen[e.Name] != "" && !e.Available { // the device is missing today
				_ = d.Session.Engines.UseDevice(d.life, e.Name, "")
				found = d.Session.Engines.List()
			}
		}
		return func() { d.TakeEngines(found) }
	})
}

// SetDevice opens another device of an engine, and remembers it.
func (d *Desk) SetDevice(engine, device string) {
	d.Background(func() func() {
		err := d.Session.Engines.UseDevice(d.life, engine, device)
		found := d.Session.Engines.List()
		return func() {
			if err != nil {
				d.Fail("Cannot change the device", err)
			} else {
				d.Settings.SetChoice(deviceChoice+engine, device)
			}
			d.TakeEngines(found)
		}
	})
}

// Devices returns the devices of the next run's engine, sorted by name, and which of them is in use. With fewer than two there is
// no choice.
func (m *Model) Devices() (engine *app.EngineState, names []string, ids []string, used int) {
	engine = m.NextEngine()
	if engine == nil || len(engine.Devices) < 2 {
		return engine, nil, nil, 0
	}
	all := slices.Clone(engine.Devices)
	first := all[0].ID
	slices.SortFunc(all, func(a, b gpu.Device) int { return strings.Compare(a.Name, b.Name) })
	for i, device := range all {
		name := device.Name
		if short, _, long := strings.Cut(name, ", "); long && strings.Contains(short, "(") {
			name = short + ")"
		}
		names, ids = append(names, name), append(ids, device.ID)
		if device.ID == first {
			used = i
		}
	}
	return engine, names, ids, used
}

// learnSelfTest takes over the self-test that the run began with.
func (m *Model) learnSelfTest(u app.Update) Change {
	end, ok := u.(app.EndUpdate)
	if !ok || end.Run == nil || end.Run.Meta.SelfTest == nil {
		return 0
	}
	m.Engines = slices.Clone(m.Engines)
	for i := range m.Engines {
		if e := &m.Engines[i]; e.Name == end.Run.Meta.Engine.Engine {
			e.SelfTest = end.Run.Meta.SelfTest
		}
	}
	return ChangedEngines
}
