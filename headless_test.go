package main

import (
	"bytes"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// windowOnly matches packages and linker flags that only a window needs.
var windowOnly = regexp.MustCompile(`^(fyne\.io/.*|github\.com/(go-gl|fyne-io|go-text|rymdport)/.*|assay/ui(/.*)?|-l(GL|EGL|X.*)|OpenGL|Cocoa)$`)

// needsOfWindow lists everything that main is built from on a system and that matches windowOnly.
func needsOfWindow(t *testing.T, system string, flags ...string) []string {
	t.Helper()
	args := slices.Concat([]string{"list", "-deps", "-f", `{{.ImportPath}} {{join .CgoLDFLAGS " "}}`}, flags, []string{"."})
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=1", "GOFLAGS=")
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, &problems)
	}
	words := strings.Fields(string(out))
	if !slices.Contains(words, "assay/app/cli") {
		t.Fatalf("%s: no assay/app/cli in what main is built from", system)
	}
	return slices.DeleteFunc(words, func(w string) bool { return !windowOnly.MatchString(w) })
}

// The headless build contains nothing of the window on either system; the other build does, which shows that the pattern works.
func TestHeadlessHasNoWindow(t *testing.T) {
	for _, system := range []string{"linux", "darwin"} {
		if found := needsOfWindow(t, system, "-tags", "headless"); len(found) > 0 {
			t.Errorf("on %s the headless build needs %q", system, found)
		}
	}
	window := needsOfWindow(t, "linux")
	for _, w := range []string{"fyne.io/fyne/v2", "assay/ui", "-lGL", "-lX11"} {
		if !slices.Contains(window, w) {
			t.Errorf("the build with the window: %q lacks %s", window, w)
		}
	}
}
