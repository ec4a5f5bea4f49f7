package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

func TestRunSetsThePool(t *testing.T) {
	c := config(t, gputest.Script{})
	args := append([]string{
		"run", "batching", "--pool-capacity", "20", "--pool-budget", "5MB", "--pool-mode", "zero", "--pool-prewarm", "64:12", "--pool-prewarm", "1KiB:2",
	}, tiny...)
	if code, _, errOut := assay(t, c, args...); code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	files, err := filepath.Glob(filepath.Join(c.RunsDir, "*", "events.jsonl"))
	if err != nil || len(files) != 1 {
		t.Fatalf("bundles %v, error %v", files, err)
	}
	events, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	want := "at most 20 buffers cached per size class (32 per power of two), a budget of 5 MB, new buffers filled with zeros, 14 buffers (2.82 kB) prewarmed"
	if !strings.Contains(string(events), want) {
		t.Errorf("the run's events lack %q:\n%s", want, events)
	}
}

// pool.csv of a run has each buffer, and each lease on request.
func TestRunLogsThePool(t *testing.T) {
	for flag, acquired := range map[string]bool{"buffers": false, "leases": true} {
		config := config(t, gputest.Script{})
		if code, _, errOut := assay(t, config, append([]string{"run", "batching", "--pool-log", flag}, tiny...)...); code != 0 {
			t.Fatalf("%s: exit %d: %s", flag, code, errOut)
		}
		files, err := filepath.Glob(filepath.Join(config.RunsDir, "*", "pool.csv"))
		if err != nil || len(files) != 1 {
			t.Fatalf("logs %v, error %v", files, err)
		}
		log, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		if text := string(log); !strings.Contains(text, ",allocated,") || !strings.Contains(text, ",freed,") || strings.Contains(text, ",acquired,") != acquired {
			t.Errorf("%s: the log is\n%s", flag, log)
		}
	}
}

// A run with the pool off, and one whose cache is cleared between cases, say so, and what was freed.
func TestRunWithoutPoolAndWithUpkeep(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"--pool", "off"}, []string{"off: every request allocates"}},
		{[]string{"--pool-clear", "--pool-each-case"}, []string{"cleared between cases", `"act":"cleared","cause":"request"`}},
		{[]string{"--pool-shrink", "0", "--pool-each-case"}, []string{"shrunk to 0 B between cases", `"act":"shrunk"`}},
	} {
		config := config(t, gputest.Script{})
		args := append([]string{"run", "batching"}, tiny...)
		if code, _, errOut := assay(t, config, append(args, c.args...)...); code != 0 {
			t.Fatalf("%v: exit %d: %s", c.args, code, errOut)
		}
		files, err := filepath.Glob(filepath.Join(config.RunsDir, "*", "events.jsonl"))
		if err != nil || len(files) != 1 {
			t.Fatalf("bundles %v, error %v", files, err)
		}
		events, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(events), w) {
				t.Errorf("%v: the run's events lack %q:\n%s", c.args, w, events)
			}
		}
	}
}

func TestPoolFlagsAreChecked(t *testing.T) {
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--pool-capacity", "-1"}, 2, "--pool-capacity is -1, want 0 to 1000"},
		{[]string{"--pool-capacity", "x"}, 2, "a whole number"},
		{[]string{"--pool-budget", "12"}, 2, `--pool-budget is "12", want none, default, or a size from 1.00 MB`},
		{[]string{"--pool-mode", "clean"}, 2, "want dirty, zero or poison"},
		{[]string{"--pool-prewarm", "16MiB"}, 2, "SIZE:COUNT"},
		{[]string{"--pool-prewarm", "1MB:11"}, 2, "the pool caches 10 buffers per size class"},
		{[]string{"--pool-budget", "1MB", "--pool-prewarm", "1MiB:1"}, 1, "budget 1000000 B"},
		{[]string{"--pool", "maybe"}, 2, `--pool is "maybe", want on or off`},
		{[]string{"--pool", "off", "--pool-prewarm", "1MB:1"}, 2, "leave out one"},
		{[]string{"--pool-shrink", "x"}, 2, "--pool-shrink"},
		{[]string{"--pool-clear-size", "0"}, 2, "--pool-clear-size"},
		{[]string{"--pool-each-case"}, 2, "add one"},
		{[]string{"--pressure-pause", "-1s"}, 2, "--pressure-pause is -1s, want 0s to 24h"},
		{[]string{"--leak-tolerance", "0"}, 2, "--leak-tolerance"},
	} {
		code, out, errOut := assay(t, config(t, gputest.Script{}), append([]string{"run", "leak"}, c.args...)...)
		if code != c.code || !strings.Contains(out+errOut, c.says) {
			t.Errorf("%v: exit %d, says %q; want %d and %q", c.args, code, out+errOut, c.code, c.says)
		}
	}
}
