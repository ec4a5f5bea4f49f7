package alike

import (
	"slices"
	"strings"
	"testing"
)

func TestTextsAreUnpackedAsTheyWere(t *testing.T) {
	var before Texts
	var all []Texts
	lists := [][]string{nil, {""}, {"a", "", "± 5 %"}, {strings.Repeat("long", textPiece), "b"}, nil, {strings.Repeat("x", 200)}}
	for _, list := range lists {
		before = PackTexts(list, before)
		all = append(all, before)
	}
	for i, list := range lists {
		if got := all[i].Unpack(); !slices.Equal(got, list) {
			t.Errorf("list %d: got %q", i, got)
		}
	}
	text := []string{"a text of some length"}
	if got := testing.AllocsPerRun(1000, func() { before = PackTexts(text, before) }); got > 0.1 {
		t.Errorf("%g allocations for each text", got)
	}
}
