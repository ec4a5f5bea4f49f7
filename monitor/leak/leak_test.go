package leak

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestEndOfRunWithoutBuffersIsClean(t *testing.T) {
	if v := EndOfRun(nil); v.Leaking || v.Cause == "" {
		t.Errorf("got %+v, want a clean verdict with words", v)
	}
}

func TestEndOfRunGroupsBySiteAndLabel(t *testing.T) {
	live := []Live{
		{Label: "bias", Site: "mlp.go:40", Bytes: 1000, Age: time.Second},
		{Label: "weights", Site: "mlp.go:31", Bytes: 4_200_000, Age: 4200 * time.Millisecond},
		{Label: "weights", Site: "mlp.go:31", Bytes: 8_400_000, Age: 2 * time.Second},
		{Bytes: 7},
	}
	v := EndOfRun(live)
	want := "2 buffers, 12.6 MB, allocated at mlp.go:31 (weights), oldest 4.2 s; " +
		"1 buffer, 1 kB, allocated at mlp.go:40 (bias), oldest 1.0 s; " +
		"1 buffer, 7 B, allocated at an unknown site, oldest 0.0 s"
	if !v.Leaking || v.Cause != want {
		t.Errorf("leaking %v, cause\n%s\nwant\n%s", v.Leaking, v.Cause, want)
	}
	if v.Bytes != 12_601_007 {
		t.Errorf("bytes %d, want 12601007", v.Bytes)
	}
	if v.Buffers[0].Bytes != 8_400_000 || v.Buffers[3].Bytes != 7 {
		t.Errorf("buffers are not sorted by size: %+v", v.Buffers)
	}
	if live[0].Label != "bias" {
		t.Error("the caller's slice was reordered")
	}
}

func TestEndOfRunSumsManyPlaces(t *testing.T) {
	var live []Live
	for i := range 9 {
		live = append(live, Live{Label: "x", Site: fmt.Sprint("a.go:", i), Bytes: int64(900 - i*100), Age: 3 * time.Minute})
	}
	cause := EndOfRun(live).Cause
	if !strings.HasSuffix(cause, "; and 4 buffers, 1 kB, from 4 other places") {
		t.Errorf("cause does not sum the rest: %s", cause)
	}
	if !strings.Contains(cause, "oldest 3 min") {
		t.Errorf("an age of minutes is not in minutes: %s", cause)
	}
}

func TestFootprint(t *testing.T) {
	for _, c := range []struct {
		name      string
		tolerance int64
		now       int64
		leaking   bool
		bytes     int64
	}{
		{"same", 0, 1e9, false, 0},
		{"less", 0, 0.5e9, false, 0},
		{"within the default", 0, 1.1e9, false, 0},
		{"a byte over the default", 0, 1.1e9 + 1, true, 0.1e9 + 1},
		{"within its own", 1e9, 2e9, false, 0},
		{"over its own", 1e6, 1.002e9, true, 2e6},
		{"no tolerance", -1, 1e9 + 1, true, 1},
	} {
		f := Footprint{Tolerance: c.tolerance}
		f.Set(1e9)
		if v := f.Check(c.now); v.Leaking != c.leaking || v.Bytes != c.bytes {
			t.Errorf("%s: leaking %v with %d B, want %v with %d B", c.name, v.Leaking, v.Bytes, c.leaking, c.bytes)
		}
	}
}

func TestFootprintSpeaksInNumbers(t *testing.T) {
	var f Footprint
	if v := f.Check(5e9); v.Leaking || v.Cause != "no baseline" {
		t.Errorf("without a baseline: %+v", v)
	}
	f.Set(0.8e9)
	want := "the process grew by 450 MB: the process uses 1.25 GB, baseline 800 MB, tolerance 100 MB"
	if v := f.Check(1.25e9); v.Cause != want {
		t.Errorf("cause %q, want %q", v.Cause, want)
	}
	f.Code = 400e6
	want = "the process uses 1.25 GB, baseline 800 MB, 400 MB of loaded kernels, tolerance 100 MB"
	if v := f.Check(1.25e9); v.Leaking || v.Cause != want {
		t.Errorf("with code: %+v, want %q", v, want)
	}
}

func TestBytes(t *testing.T) {
	for _, c := range []struct {
		bytes float64
		want  string
	}{{0, "0 B"}, {999, "999 B"}, {1000, "1 kB"}, {12.6e6, "12.6 MB"}, {1e9, "1 GB"}, {-2.5e12, "-2.5 TB"}} {
		if got := Bytes(c.bytes); got != c.want {
			t.Errorf("Bytes(%v) = %q, want %q", c.bytes, got, c.want)
		}
	}
}
