package metal

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"assay/workloads/measure"
)

// Signposts have the same names as traces: the list in C equals measure.Phases, and command buffers have one name.
func TestSignpostsAreNamedLikeSpans(t *testing.T) {
	source, err := os.ReadFile("signpost.h")
	if err != nil {
		t.Fatal(err)
	}
	var listed []measure.Phase
	for _, m := range regexp.MustCompile(`(?m)^    X\("(.*)"\)`).FindAllStringSubmatch(string(source), -1) {
		listed = append(listed, measure.Phase(m[1]))
	}
	if want := measure.Phases(); !slices.Equal(listed, want) {
		t.Errorf("signpost.h lists %q, want %q", listed, want)
	}
	if n := len(regexp.MustCompile(`id_make_with_pointer\(log, what\), `+strconv.Quote(measure.CommandBuffer)).FindAll(source, -1)); n != 2 {
		t.Errorf("%d of 2 signposts are named %q", n, measure.CommandBuffer)
	}
}
