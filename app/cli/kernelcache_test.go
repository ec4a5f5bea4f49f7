package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/gpu"
	"assay/gpu/gputest"
)

// cachingConfig has an engine whose cache stays from one command line to the next.
func cachingConfig(t *testing.T) (app.Config, *gputest.Caching) {
	t.Helper()
	e := gputest.NewCaching(gputest.NewFake(gputest.Script{}),
		gpu.CacheEntry{ID: "1", Kernel: "mine", Constants: "x=1", Device: "Fake GPU", System: "build 7", Bytes: 2000, Seconds: 0.25, Stored: time.Now().Add(-50 * time.Hour)},
		gpu.CacheEntry{ID: "2", Kernel: "other", Bytes: 1000, Stored: time.Now()})
	c := config(t, gputest.Script{})
	c.Engines[0].Open = func() (gpu.Engine, error) { return kept{e}, nil }
	return c, e
}

// kept is an engine that stays open when its session closes.
type kept struct{ *gputest.Caching }

func (kept) Close() error { return nil }

func TestKernelCache(t *testing.T) {
	c, e := cachingConfig(t)
	code, out, errOut := assay(t, c, "kernel", "cache")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{"Cache of Fake: 2 compiled kernels, 3.00 kB\n/caches/fake\n", "mine{x=1}", "Fake GPU", "build 7", "2 days", "2.00 kB", "250 ms", "not verified", "not known"} {
		if !strings.Contains(out, want) {
			t.Errorf("the list lacks %q:\n%s", want, out)
		}
	}
	if code, out, errOut = assay(t, c, "kernel", "cache", "--verify"); code != 0 || !strings.Contains(out, "verified") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	e.Damaged = []string{"2"}
	code, out, errOut = assay(t, c, "kernel", "cache", "--verify", "--json")
	var listed app.KernelCache
	if err := json.Unmarshal([]byte(out), &listed); err != nil || code != 1 || len(listed.Entries) != 2 || listed.Entries[1].Fault != gpu.CacheDamaged ||
		!strings.Contains(errOut, "1 compiled kernel will not be loaded") {
		t.Errorf("exit %d, %v: %s%s", code, err, out, errOut)
	}
}

func TestKernelCacheClear(t *testing.T) {
	c, e := cachingConfig(t)
	for _, args := range [][]string{nil, {"mine", "--all"}, {"--all", "--faulty"}, {"nothing"}} {
		if code, _, errOut := assay(t, c, append([]string{"kernel", "cache", "clear"}, args...)...); code != exitUsage {
			t.Errorf("%q: exit %d: %s", args, code, errOut)
		}
	}
	e.Damaged = []string{"2"}
	for _, step := range []struct{ arg, says string }{
		{"--faulty", "1 compiled kernel removed, 1.00 kB"}, {"mine{x=1}", "1 compiled kernel removed, 2.00 kB"}, {"--all", "0 compiled kernels removed"},
	} {
		if code, out, errOut := assay(t, c, "kernel", "cache", "clear", step.arg); code != 0 || !strings.Contains(out, step.says) {
			t.Errorf("%s: exit %d: %s%s", step.arg, code, out, errOut)
		}
	}
}

func TestNoKernelCache(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, _ := assay(t, c, "kernel", "cache")
	if code != 0 || out != "Cache of Fake: not available: the kernels of engine fake are part of the program\n" {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out, errOut := assay(t, c, "kernel", "cache", "clear", "--all")
	if code != exitFailed || out != "" || !strings.Contains(errOut, "the cache of Fake is not available: the kernels of engine fake are part of the program") {
		t.Errorf("cleared: exit %d: %s", code, errOut)
	}
}
