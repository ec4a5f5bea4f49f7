package severity

import "testing"

func TestRank(t *testing.T) {
	for i, l := range []Level{Info, Warning, Critical} {
		if l.Rank() != i || !l.Known() {
			t.Errorf("%q has rank %d", l, l.Rank())
		}
	}
	if l := Level("fatal"); l.Known() || l.Rank() != 0 || Level("").Known() {
		t.Errorf("%q is known, or has rank %d", l, l.Rank())
	}
}
