package monitor

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// hidScript is a HID system with these sensors.
type hidScript struct {
	sensors []hidTemperature
	err     error
}

func (h hidScript) read() ([]hidTemperature, error) { return h.sensors, h.err }

func noHID() (hidReader, error) { return nil, absent("no HID sensor here") }

// sensorsOf is a source over a controller with these keys.
func sensorsOf(keys map[string]smcValue) *sensorSource {
	s, _ := newFakeSMC(keys)
	return &sensorSource{openSMC: func() (*smc, error) { return s, nil }, openHID: noHID}
}

// read returns one tick as a snapshot.
func read(s Source) *Snapshot { return &Snapshot{Readings: s.Read(context.Background())} }

func wantValue(t *testing.T, s *Snapshot, metric string, want float64, source string) {
	t.Helper()
	r, found := s.Find(metric)
	if !found || r.Status != OK || math.Abs(r.Value-want) > 1e-4*math.Abs(want) || !strings.Contains(r.Source, source) {
		t.Errorf("%s: %+v; want %v from %q", metric, r, want, source)
	}
}

func wantNone(t *testing.T, s *Snapshot, metric string, status Status, part string) {
	t.Helper()
	r, found := s.Find(metric)
	if !found || r.Status != status || !strings.Contains(r.Reason, part) || r.Value != 0 {
		t.Errorf("%s: %+v; want %s with %q", metric, r, status, part)
	}
}

// Keys and values as macmon lists them on an M2 Ultra (vladkens/macmon#17, #68): a GPU sensor sometimes reads 5 °C there, others 0,
// and TCMb, which is not a core, is the hottest of all.
func TestTemperaturesOfAnM2Ultra(t *testing.T) {
	s := read(sensorsOf(map[string]smcValue{
		"TB0p": float4(51.9), "TCDX": float4(68.1), "TCMb": float4(99.5), "TH1a": float4(0), "Te04": float4(39.31),
		"Te06": float4(47.81), "Tg05": float4(5), "Tg0f": float4(44.34), "Tp01": float4(46.5), "Tp05": float4(58.73),
		"Tp06": float4(0), "Tp09": float4(200), "Ts0P": float4(31.2), "Tpx8": {"ui8 ", []byte{99}}, "PSTR": float4(38.25),
		"Te05": {"ioft", []byte{0x33, 0x33, 0x22, 0, 0, 0, 0, 0}},
	}))
	wantValue(t, s, TemperatureCPU, 58.73, "SMC, the hottest: Tp05")
	wantValue(t, s, TemperatureGPU, 44.34, "SMC, the hottest: Tg0f")
	wantValue(t, s, Temperature, 58.73, "Tp05")
	wantValue(t, s, Power, 38.25, "PSTR")
}

func TestTemperaturesOfAnIntelMac(t *testing.T) {
	fake := &smcFake{keys: map[string]smcValue{"TC0P": {"sp78", []byte{0x34, 0x80}}, "TG0D": {"sp78", []byte{0x39, 0x00}}, "TCXC": float4(90)}}
	source := &sensorSource{openSMC: func() (*smc, error) { return newSMC(fake, binary.BigEndian), nil }, openHID: noHID}
	s := read(source)
	wantValue(t, s, TemperatureCPU, 52.5, "TC0P")
	wantValue(t, s, TemperatureGPU, 57, "TG0D")
	wantValue(t, s, Temperature, 57, "TG0D")
	wantNone(t, s, Power, Unavailable, "has no such key")
}

// Names as the HID system of an M1 with macOS 12 and 13 reports them: freedomtan/sensors, and macmon's fallback.
func TestTemperaturesOfTheHIDSystem(t *testing.T) {
	source := sensorsOf(map[string]smcValue{"PSTR": float4(9)})
	source.openHID = func() (hidReader, error) {
		return hidScript{sensors: []hidTemperature{
			{"pACC MTR Temp Sensor0", 51.5},
			{"pACC MTR Temp Sensor4", 47},
			{"eACC MTR Temp Sensor0", 44},
			{"GPU MTR Temp Sensor1", 41.25},
			{"GPU MTR Temp Sensor4", 151},
			{"PMU tdie1", 52},
			{"NAND CH0 temp", 60},
			{"gas gauge battery", 70},
			{"pACC MTR Temp Sensor9", -9200},
		}}, nil
	}
	s := read(source)
	wantValue(t, s, TemperatureCPU, 51.5, "HID temperature sensors, the hottest: pACC MTR Temp Sensor0")
	wantValue(t, s, TemperatureGPU, 41.25, "GPU MTR Temp Sensor1")
	wantValue(t, s, Temperature, 52, "PMU tdie1")
	wantValue(t, s, Power, 9, "PSTR")
}

func TestSensorsThatAreMissingSayWhy(t *testing.T) {
	closed := &sensorSource{openSMC: func() (*smc, error) { return nil, absent("the SMC refuses this process") }, openHID: noHID}
	for range 2 {
		s := read(closed)
		for _, metric := range []string{Temperature, TemperatureCPU, TemperatureGPU} {
			wantNone(t, s, metric, Unavailable, "no HID sensor here")
		}
		wantNone(t, s, Power, Unavailable, "the SMC refuses this process")
	}
	broken := &sensorSource{
		openSMC: func() (*smc, error) { return nil, absent("none") },
		openHID: func() (hidReader, error) { return hidScript{err: errors.New("hidd is gone")}, nil },
	}
	wantNone(t, read(broken), Temperature, Failed, "hidd is gone")
	empty := &sensorSource{
		openSMC: func() (*smc, error) { return nil, absent("none") },
		openHID: func() (hidReader, error) {
			return hidScript{sensors: []hidTemperature{{"GPU MTR Temp Sensor1", 40}}}, nil
		},
	}
	s := read(empty)
	wantNone(t, s, TemperatureCPU, Unavailable, "no sensor on this machine")
	wantValue(t, s, Temperature, 40, "GPU MTR")
}

func TestOneFailingSensorCostsOnlyItself(t *testing.T) {
	keys := map[string]smcValue{"Tp01": float4(50), "Tp05": float4(60), "PSTR": float4(0)}
	controller, fake := newFakeSMC(keys)
	source := &sensorSource{openSMC: func() (*smc, error) { return controller, nil }, openHID: noHID}
	wantValue(t, read(source), TemperatureCPU, 60, "Tp05")
	delete(fake.keys, "Tp05")
	s := read(source)
	wantValue(t, s, TemperatureCPU, 50, "Tp01")
	wantNone(t, s, TemperatureGPU, Unavailable, "no such key")
	wantNone(t, s, Power, Unavailable, "0 W, which is implausible")
	fake.err = errors.New("port is dead")
	wantNone(t, read(source), TemperatureCPU, Failed, "port is dead")
}
