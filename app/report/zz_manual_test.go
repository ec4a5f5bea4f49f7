package report

import (
	"assay/workloads"
	"os"
	"testing"
)

func TestZZ(t *testing.T) {
	r, err := Load(os.Getenv("RUN"))
	check(t, err)
	check(t, ExportFile(r, workloads.All(), "html", "/tmp/rep.html"))
	check(t, ExportFile(r, workloads.All(), "json", "/tmp/rep.json"))
}
