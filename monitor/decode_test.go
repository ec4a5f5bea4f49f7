package monitor

import (
	"bytes"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// Shaped like the first lines of /proc/stat of Linux 6.18 on two cores.
const statFile = `cpu  25950 0 4082 183990 451 0 83 72 0 0
cpu0 12953 0 2121 92001 229 0 60 36 0 0
cpu1 12997 0 1961 91989 222 0 23 36 0 0
intr 1512340 0 9 0
`

func TestDecodeStat(t *testing.T) {
	got, err := decodeStat([]byte(statFile))
	if err != nil {
		t.Fatal(err)
	}
	if want := (cpuTime{busy: 25950 + 4082 + 83 + 72, idle: 183990 + 451, steal: 72}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	// Shaped like Linux 2.4: four times.
	if got, err := decodeStat([]byte("cpu  10 20 30 40\n")); err != nil || got != (cpuTime{busy: 60, idle: 40}) {
		t.Errorf("four times: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "cpu", "cpu0 1 2 3 4", "cpu  1 2 3", "cpu  1 2 x 4", "cpu  99999999999999999999 0 0 0"} {
		if _, err := decodeStat([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

func TestBusySince(t *testing.T) {
	for _, c := range []struct {
		name      string
		prev, now cpuTime
		want      float64
		ok        bool
	}{
		{"a quarter", cpuTime{100, 100, 0}, cpuTime{125, 175, 0}, 0.25, true},
		{"idle goes back by a tick", cpuTime{100, 100, 0}, cpuTime{110, 99, 0}, 1, true},
		{"no time has passed", cpuTime{100, 100, 0}, cpuTime{100, 100, 0}, 0, false},
	} {
		if got, ok := c.now.busySince(c.prev); got != c.want || ok != c.ok {
			t.Errorf("%s: %v, %v; want %v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

// Shaped like /proc/meminfo of a desktop with swap.
const meminfoFile = `MemTotal:       16000000 kB
MemFree:         1000000 kB
MemAvailable:    4000000 kB
Buffers:          200000 kB
Cached:          2800000 kB
SwapCached:          100 kB
SwapTotal:       8000000 kB
SwapFree:        7000000 kB
`

func TestDecodeMeminfo(t *testing.T) {
	got, err := decodeMeminfo([]byte(meminfoFile))
	if err != nil {
		t.Fatal(err)
	}
	want := memory{total: 16e6 * 1024, available: 4e6 * 1024, swapTotal: 8e6 * 1024, swapFree: 7e6 * 1024}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	old := strings.Replace(meminfoFile, "MemAvailable:    4000000 kB\n", "", 1) // Linux before 3.14
	got, err = decodeMeminfo([]byte(old))
	if err != nil || !got.estimated || got.available != 4e6*1024 {
		t.Errorf("without MemAvailable: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "MemFree: 1 kB\n", "MemTotal: 1 kB\n", "MemTotal: lots\nMemAvailable: 1 kB\n"} {
		if _, err := decodeMeminfo([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

func TestDecodePressure(t *testing.T) {
	// Shaped like /proc/pressure/memory of Linux 6.18.
	got, err := decodePressure([]byte("some avg10=12.50 avg60=0.37 avg300=0.62 total=32264241\n" +
		"full avg10=3.25 avg60=0.00 avg300=0.00 total=0\n"))
	if err != nil || math.Abs(got.some-0.125) > 1e-12 || math.Abs(got.full-0.0325) > 1e-12 || !got.hasFull {
		t.Errorf("got %+v, %v", got, err)
	}
	// Shaped like /proc/pressure/cpu before Linux 5.13.
	got, err = decodePressure([]byte("some avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"))
	if err != nil || got.hasFull || got.some != 0 {
		t.Errorf("some only: %+v, %v", got, err)
	}
	for _, bad := range []string{"", "full avg10=1.00\n", "some avg10=\n", "some avg10=500.00 avg60=0\n", "some avg10=1x\n"} {
		if _, err := decodePressure([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

func TestCelsius(t *testing.T) {
	for _, c := range []struct {
		milli int64
		want  float64
		ok    bool
	}{
		{45_000, 45, true},
		{-5_000, -5, true},
		{150_000, 150, true},
		{0, 0, false},
		{-274_000, 0, false},
		{65_261_850, 0, false},
		{150_001, 0, false},
	} {
		if got, ok := celsius(c.milli); ok != c.ok || ok && got != c.want {
			t.Errorf("celsius(%d) = %v, %v; want %v, %v", c.milli, got, ok, c.want, c.ok)
		}
	}
	if limit(127_000) != 0 || limit(20_000) != 0 || limit(95_000) != 95 {
		t.Errorf("limits: %v, %v, %v", limit(127_000), limit(20_000), limit(95_000))
	}
}

func TestThermalState(t *testing.T) {
	for _, c := range []struct {
		celsius, passive, critical float64
		want                       State
		ok                         bool
	}{
		{50, 95, 105, Nominal, true},
		{86, 95, 105, Fair, true},
		{95, 95, 105, Serious, true},
		{103, 95, 105, Critical, true},
		{79, 0, 100, Nominal, true},
		{80, 0, 100, Fair, true},
		{90, 0, 100, Serious, true},
		{97, 0, 100, Critical, true},
		{99, 100, 100, Critical, true}, // a passive limit at the critical one is meaningless
		{200, 95, 0, Serious, true},
		{50, 0, 0, "", false},
	} {
		got, ok := sensor{celsius: c.celsius, passive: c.passive, critical: c.critical}.state()
		if got != c.want || ok != c.ok {
			t.Errorf("%v °C with limits %v and %v: %q, want %q", c.celsius, c.passive, c.critical, got, c.want)
		}
	}
}

func TestWorstSensor(t *testing.T) {
	sensors := []sensor{
		{label: "no limits", celsius: 99},
		{label: "cool", celsius: 40, critical: 100},
		{label: "fair", celsius: 82, critical: 100},
		{label: "fairer", celsius: 84, critical: 100},
	}
	if state, of, ok := worst(sensors); !ok || state != Fair || of.label != "fairer" {
		t.Errorf("%q of %q, %v", state, of.label, ok)
	}
	if _, _, ok := worst(sensors[:1]); ok {
		t.Error("a state without limits")
	}
}

func TestEnergyCounter(t *testing.T) {
	start := time.Unix(100, 0)
	for _, c := range []struct {
		name     string
		wrap     uint64
		from, to uint64
		after    time.Duration
		watts    float64
		reason   string
	}{
		{"15 W", 1e9, 1e6, 16e6, time.Second, 15, ""},
		{"half a second", 1e9, 0, 1e6, time.Second / 2, 2, ""},
		{"over the wrap", 262143328850, 262143328850 - 4e6, 6e6, time.Second, 10, ""},
		{"stands still", 1e9, 5, 5, time.Second, 0, stale},
		{"went back without a wrap", 0, 5e6, 4e6, time.Second, 0, "the energy counter went backward"},
		{"above its own range", 1e6, 5e6, 4e6, time.Second, 0, "the energy counter went backward"},
		{"no time", 1e9, 0, 1, 0, 0, needsTwo},
	} {
		e := energyCounter{wrap: c.wrap}
		if _, reason := e.next(c.from, start); reason != needsTwo {
			t.Errorf("%s: first sample gave %q", c.name, reason)
		}
		watts, reason := e.next(c.to, start.Add(c.after))
		if math.Abs(watts-c.watts) > 1e-9 || reason != c.reason {
			t.Errorf("%s: %v W %q, want %v W %q", c.name, watts, reason, c.watts, c.reason)
		}
	}
}

func TestClockBelow(t *testing.T) {
	for _, c := range []struct {
		fastest, base uint64
		want          float64
	}{{3e6, 3e6, 0}, {4e6, 3e6, 0}, {1.5e6, 3e6, 0.5}, {1, 0, 0}} {
		if got := clockBelow(c.fastest, c.base); got != c.want {
			t.Errorf("clockBelow(%d, %d) = %v, want %v", c.fastest, c.base, got, c.want)
		}
	}
}

func TestDistinctLabels(t *testing.T) {
	seen := map[string]int{}
	for _, want := range []string{"acpitz", "acpitz 2", "acpitz 3"} {
		if got := distinct("acpitz", seen); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := metricName("coretemp Package id 0"); got != "coretemp_package_id_0" {
		t.Errorf("metric name %q", got)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		value float64
		unit  string
		want  string
	}{
		{0.931, "ratio", "93.1 %"},
		{1, "ratio", "100 %"},
		{0, "ratio", "0 %"},
		{0.00869, "ratio", "0.9 %"},
		{0.0302, "ratio", "3 %"},
		{0.00043, "ratio", "0.04 %"},
		{12.6e6, "B", "12.6 MB"},
		{0, "B", "0 B"},
		{512, "B", "512 B"},
		{1.5e9, "B/s", "1.5 GB/s"},
		{150e9, "FLOP/s", "150 GFLOP/s"},
		{0.0042, "s", "4.2 ms"},
		{4200, "s", "4200 s"},
		{65.5, "°C", "65.5 °C"},
		{3, "", "3"},
		{-2e6, "B/s", "-2 MB/s"},
		{0.25, "W", "250 mW"},
	} {
		if got := Format(c.value, c.unit); got != c.want {
			t.Errorf("Format(%v, %q) = %q, want %q", c.value, c.unit, got, c.want)
		}
	}
	if got := (Reading{Unit: "W"}).unavailable("why not").String(); got != "not available: why not" {
		t.Errorf("unavailable is %q", got)
	}
}

// gopsutil depends on go-m1cpu, which before v0.2.1 crashed on start on Apple M5.
func TestSafeM1CPUIsRequired(t *testing.T) {
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := bytes.Cut(mod, []byte("github.com/shoenig/go-m1cpu v"))
	if !found {
		t.Fatal("go.mod does not pin github.com/shoenig/go-m1cpu")
	}
	major, rest, _ := number(rest)
	minor, rest, ok := number(rest[1:])
	patch, _, okPatch := number(rest[1:])
	if !ok || !okPatch || major*1_000_000+minor*1000+patch < 2_001 {
		t.Errorf("go.mod pins go-m1cpu v%d.%d.%d, want v0.2.1 or later", major, minor, patch)
	}
}

func FuzzDecodeStat(f *testing.F) {
	f.Add([]byte(statFile), []byte(statFile))
	f.Add([]byte("cpu  18446744073709551615 1 1 1\n"), []byte("cpu  1 2 3 4 5 6 7 8 9 10\n"))
	f.Fuzz(func(t *testing.T, before, after []byte) {
		prev, err1 := decodeStat(before)
		now, err2 := decodeStat(after)
		if err1 != nil || err2 != nil {
			return
		}
		if ratio, ok := now.busySince(prev); ok && !(ratio >= 0 && ratio <= 1) {
			t.Errorf("busy share %v", ratio)
		}
	})
}

func FuzzDecodeMeminfo(f *testing.F) {
	f.Add([]byte(meminfoFile))
	f.Add([]byte("MemTotal: 18446744073709551615 kB\nMemFree: 1 kB"))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMeminfo(b)
		if err == nil && (m.total == 0 || m.available > m.total || m.swapFree > m.swapTotal) {
			t.Errorf("decoded %+v", m)
		}
	})
}

func FuzzDecodePressure(f *testing.F) {
	f.Add([]byte("some avg10=12.50 avg60=0.37 avg300=0.62 total=1\nfull avg10=3.25 avg60=0.00 avg300=0.00 total=0\n"))
	f.Add([]byte("some avg10=99999999999999999999.9"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePressure(b)
		if err == nil && !(p.some >= 0 && p.some <= 1 && p.full >= 0 && p.full <= 1) {
			t.Errorf("decoded %+v", p)
		}
	})
}

// FuzzSensorValue covers the files of hwmon, thermal zones, trip points and statm: each has one number.
func FuzzSensorValue(f *testing.F) {
	f.Add([]byte("45000\n"), []byte("95000\n"))
	f.Add([]byte("-274000"), []byte("65261850"))
	f.Add([]byte("9223372036854775807"), []byte("-"))
	f.Fuzz(func(t *testing.T, temp, trip []byte) {
		milli, ok := onlySigned(temp)
		if !ok {
			return
		}
		c, ok := celsius(milli)
		if ok && !(c > coldest && c <= hottest) {
			t.Errorf("%d is %v °C", milli, c)
		}
		at, _ := onlySigned(trip)
		if text, ok := (sensor{celsius: c, passive: limit(at)}).state(); ok {
			if _, known := text.Rank(); !known {
				t.Errorf("state %q", text)
			}
		}
	})
}

func FuzzEnergyCounter(f *testing.F) {
	f.Add([]byte("262143328850\n"), []byte("262143328000\n"), []byte("1000\n"), int64(time.Second))
	f.Add([]byte("0"), []byte("18446744073709551615"), []byte("0"), int64(-1))
	f.Fuzz(func(t *testing.T, wrap, from, to []byte, after int64) {
		var e energyCounter
		e.wrap, _ = only(wrap)
		first, ok1 := only(from)
		second, ok2 := only(to)
		if !ok1 || !ok2 {
			return
		}
		start := time.Unix(0, 0)
		e.next(first, start)
		watts, reason := e.next(second, start.Add(time.Duration(after)))
		if reason == "" && !(watts > 0 && !math.IsInf(watts, 0)) {
			t.Errorf("%v W without a reason", watts)
		}
	})
}

func TestStallTotal(t *testing.T) {
	const file = "some avg10=0.30 avg60=0.37 avg300=0.62 total=32264241\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"
	if us, ok := stallTotal([]byte(file)); !ok || us != 32264241 {
		t.Errorf("%d, %v", us, ok)
	}
	for _, bad := range []string{"", "some", "some avg10=1 total=x", "full avg10=0 total=3", "some total=99999999999999999999"} {
		if us, ok := stallTotal([]byte(bad)); ok {
			t.Errorf("%q: %d", bad, us)
		}
	}
}

func TestSwapPages(t *testing.T) {
	if n, ok := swapPages([]byte("nr_free_pages 77\npswpin 5\npswpout 7\npgfault 9\n")); !ok || n != 12 {
		t.Errorf("%d, %v", n, ok)
	}
	for _, bad := range []string{"", "pswpin 5\n", "pswpin x\npswpout 1\n", "pswpinned 5\npswpout 3\n"} {
		if n, ok := swapPages([]byte(bad)); ok {
			t.Errorf("%q: %d", bad, n)
		}
	}
}
