package monitor

import (
	"reflect"
	"testing"
	"time"
)

func TestPackedSnapshots(t *testing.T) {
	one := Template(HostMemory, "/proc/meminfo").ok(1)
	two, state := one.ok(2), Template(MemoryPressureLevel, "psi").reported(Normal)
	two.Late = time.Second
	lacking := Template(Temperature, "hwmon").unavailable("no sensor")
	all := []Snapshot{
		{Time: time.Unix(1, 0), Cost: time.Millisecond, Readings: []Reading{one, state, lacking}},
		{Time: time.Unix(2, 0), Readings: []Reading{two, state, lacking}},
		{Time: time.Unix(3, 0), Readings: []Reading{two, Template(MemoryPressureLevel, "psi").reported(Critical), lacking}},
		{Time: time.Unix(4, 0), Readings: []Reading{one}},
		{Time: time.Unix(5, 0), Readings: []Reading{two, state, lacking}},
		{Time: time.Unix(6, 0)},
	}
	var packed []Packed
	for i := range all {
		packed = append(packed, Pack(&all[i], packed))
	}
	if got := UnpackAll(packed); !reflect.DeepEqual(got, all) {
		t.Errorf("unpacked %+v", got)
	}
	if first := &packed[0].like[0]; first != &packed[1].like[0] || first == &packed[2].like[0] || first != &packed[4].like[0] {
		t.Error("snapshots that differ in values share the rest, others do not")
	}
	if packed[2].like[0] != packed[0].like[0] || packed[2].like[2] != packed[0].like[2] || packed[3].like[0] != packed[0].like[0] {
		t.Error("readings that say the same in snapshots that do not are not shared")
	}
	if UnpackAll(nil) != nil {
		t.Error("snapshots out of nothing")
	}
}

// A snapshot takes only as much room as the values that have changed.
func TestPackedValuesAreThoseThatChanged(t *testing.T) {
	var all []Snapshot
	var packed []Packed
	for i := range 300 {
		s := Snapshot{Time: time.Unix(int64(i), 0)}
		for range 50 {
			s.Readings = append(s.Readings, Template(HostMemoryTotal, "/proc/meminfo").ok(1e9))
		}
		s.Readings = append(s.Readings, Template(HostMemory, "/proc/meminfo").ok(float64(i)))
		if i%7 == 0 {
			s.Readings = append(s.Readings, Template(HostCPU, "/proc/stat").ok(float64(-i)))
		}
		all, packed = append(all, s), append(packed, Pack(&s, packed))
	}
	if got := UnpackAll(packed); !reflect.DeepEqual(got, all) {
		t.Error("unpacked others")
	}
	for i := range packed {
		if n := len(packed[i].row); n > 4 {
			t.Errorf("snapshot %d takes %d words", i, n)
		}
	}
}
