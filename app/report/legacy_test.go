package report

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/internal/stats"
	"assay/workloads/suite"
)

const oldBundle = "../bundle/testdata/v0.1.0.assayrun"

// A run of version 0.1.0 can be shown, replayed, exported and compared.
func TestOldBundleIsReported(t *testing.T) {
	run, err := bundle.Load(oldBundle)
	runstest.Check(t, err)
	all := suite.All()
	for format, want := range map[string]string{
		"csv": "weight_error_rel", "json": `"flops_per_s"`, "html": "int4 block 64", "bench": "FLOP/s",
	} {
		path := filepath.Join(t.TempDir(), "x")
		runstest.Check(t, exported(format).File(t.Context(), run, all, path))
		again, err := bundle.Load(oldBundle)
		runstest.Check(t, err)
		if c := Compare(run, again, all); c.Count(stats.Same)+c.Count(stats.Unsure) != len(run.Results) || c.Broken() != 0 {
			t.Errorf("against itself: %s", c.Headline())
		}
		text, err := os.ReadFile(path)
		runstest.Check(t, err)
		if !strings.Contains(string(text), want) || strings.Contains(string(text), "NaN") {
			t.Errorf("the export as %s has no %q, or not a number", format, want)
		}
	}
	header, rows := tableTexts(&run.Meta, all, run.Results)
	text := strings.Join(header, "|") + strings.Join(rows[3], "|")
	for _, want := range []string{"SNR, dB", "Max weight error", "◆ smallest, fastest", "21.0"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	p, err := LoadReplay(context.Background(), oldBundle)
	runstest.Check(t, err)
	if len(p.Cases) != 2 || p.Cases[0].Guessed || len(p.Jobs) != 2 {
		t.Errorf("cases %+v, jobs %+v", p.Cases, p.Jobs)
	}
}
