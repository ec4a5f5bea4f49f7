package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestIsAssay(t *testing.T) {
	dir := t.TempDir()
	script := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for path, want := range map[string]string{
		script("assay", `[ "$1" = version ] && echo "assay 0.1.0 (go1.26)"`, 0o755): "",
		script("other", "echo 1.0", 0o755):                                          "other is not Assay: it did not report a version of Assay",
		script("fails", "exit 3", 0o755):                                            "fails is not Assay: it failed when asked for its version (exit status 3)",
		script("text", "", 0o644):                                                   "text is not a program: it may not be executed",
		filepath.Join(dir, "none"):                                                  "none: there is no such program",
		dir:                                                                         "is a folder, not a program of Assay",
	} {
		err := IsAssay(t.Context(), path)
		if (err == nil) != (want == "") || err != nil && !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}
