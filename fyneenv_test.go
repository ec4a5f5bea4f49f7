//go:build !headless

package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
	_ "unsafe" // to reach what Fyne does not export
)

//go:linkname fyneKeeps fyne.io/fyne/v2/internal/cache.ValidDuration
var fyneKeeps time.Duration

// TestFyneReadsOurEnvironment starts this program with a locale as in containers: Fyne must read our cache duration for textures
// and a locale that it knows, and after Restore the environment must be what it was before.
func TestFyneReadsOurEnvironment(t *testing.T) {
	if os.Getenv("ASSAY_TEST_FYNEENV") != "" {
		restoreEnvironment()
		if fyneKeeps != 15*time.Second {
			t.Errorf("Fyne keeps textures for %v, want 15 s", fyneKeeps)
		}
		if v, given := os.LookupEnv("FYNE_CACHE"); given {
			t.Errorf("FYNE_CACHE is %q, want none", v)
		}
		if v, given := os.LookupEnv("LC_ALL"); given {
			t.Errorf("LC_ALL is %q, want none", v)
		}
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestFyneReadsOurEnvironment$")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "LC_") && !strings.HasPrefix(v, "LANG=") && !strings.HasPrefix(v, "FYNE_CACHE=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LANG=C.UTF-8", "ASSAY_TEST_FYNEENV=1")
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), "Fyne error") {
		t.Errorf("%v:\n%s", err, out)
	}
}
