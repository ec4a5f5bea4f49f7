package desk

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"assay/workloads/suite"
)

// Settings of version 0.1.0 still work, under the current names of columns.
func TestSettingsOfVersion010(t *testing.T) {
	data, err := os.ReadFile("testdata/settings-0.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "settings.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s := Settings{NewFileStore(path)}
	if want := map[string]bool{"flops_per_s": false, "bytes_per_s": true, "outliers": true}; !maps.Equal(s.Columns(), want) {
		t.Errorf("columns %v, want %v", s.Columns(), want)
	}
	all := suite.All()
	w := &all[s.workload(all)]
	if v := s.values(w, true); w.Name != "quantization" || v["rows"] != 2048 || v["formats"] != "int8" {
		t.Errorf("%s with %v", w.Name, v)
	}
	if size := s.Size(); size.Width != 1400 || s.Page() != "results" || !s.quick() || filepath.Base(s.baseline()) != "20261120-120000-batching-1a2b.assayrun" {
		t.Errorf("size %v, page %q, quick %v, baseline %q", size, s.Page(), s.quick(), s.baseline())
	}
}
