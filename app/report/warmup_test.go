package report

import (
	"strings"
	"testing"

	"assay/app/bundle"
)

func TestMethodTellsQuietMode(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		said := strings.Join(method(&bundle.Meta{Quiet: quiet}, nil), " ")
		if strings.Contains(said, "In quiet mode the monitor read nothing") != quiet {
			t.Errorf("quiet %v: %s", quiet, said)
		}
	}
}
