package drill

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// script is a program that stands in for Assay.
func script(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "assay")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// The process's output counts, whatever its exit status; a process without output has failed.
func TestInProgram(t *testing.T) {
	asked := script(t, `echo "{\"drill\":\"$2\",\"pass\":true,\"saw\":\"$4 $5\",\"took_ns\":5}"`)
	if o := InProgram(t.Context(), asked, "hung", "cpu"); !o.Pass || o.Saw != "cpu --json" || o.Took != 5 {
		t.Errorf("%+v", o)
	}
	failed := script(t, `echo '{"drill":"hung","pass":false,"saw":"nothing reports the fault"}'; exit 1`)
	if o := InProgram(t.Context(), failed, "hung", "cpu"); o.Pass || o.Saw != "nothing reports the fault" {
		t.Errorf("%+v", o)
	}
	crashed := script(t, `echo "assay: signal 11" >&2; exit 2`)
	if o := InProgram(t.Context(), crashed, "hung", "cpu"); o.Pass || !strings.Contains(o.Saw, "signal 11") || o.Drill != "hung" {
		t.Errorf("%+v", o)
	}
	if o := InProgram(t.Context(), "/nonexistent/assay", "hung", "cpu"); o.Pass || !strings.Contains(o.Saw, "no such file") {
		t.Errorf("%+v", o)
	}
}
