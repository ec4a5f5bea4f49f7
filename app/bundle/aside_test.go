package bundle

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/internal/runstest"
)

// Samples set aside are in samples.csv with the reason, after those that count. Files of earlier builds have none.
func TestSamplesSetAsideAreMarked(t *testing.T) {
	b := writeBundle(t, t.TempDir())
	runstest.Check(t, b.Finish(Finished, nil))
	path := filepath.Join(b.Dir(), samplesFile)
	text, err := os.ReadFile(path)
	runstest.Check(t, err)
	lines := strings.Split(string(text), "\r\n")
	if !strings.HasSuffix(lines[0], ",index,time_s,set_aside") || !strings.HasSuffix(lines[13], ",0,2e-05,other programs used 63.0 % of the CPU") {
		t.Fatalf("%q, %q", lines[0], lines[13])
	}
	old := make([]string, 0, len(lines))
	for _, line := range lines {
		if row, counts := strings.CutSuffix(line, ","); counts {
			old = append(old, row)
		} else if header, is := strings.CutSuffix(line, ",set_aside"); is || line == "" {
			old = append(old, header)
		}
	}
	runstest.Check(t, os.WriteFile(path, []byte(strings.Join(old, "\r\n")), 0o644))
	run, err := Load(b.Dir())
	runstest.Check(t, err)
	if r := run.Results[0]; len(r.Samples) != 12 || len(r.SetAside) != 0 || len(r.Warnings) != 2 {
		t.Errorf("from an earlier build: %d samples, %v set aside, warnings %v", len(r.Samples), r.SetAside, r.Warnings)
	}
}
