package gpu

import "testing"

// Every value of a pool setting has a name, by which it is found again.
func TestPoolChoices(t *testing.T) {
	for _, m := range Modes() {
		if v, ok := Modes().Named(m.Value.String()); !ok || v != m.Value || m.Words == "" || m.Title == "" || m.About == "" {
			t.Errorf("mode %d: %+v", m.Value, m)
		}
	}
	for _, p := range Policies() {
		if v, ok := Policies().Named(p.Value.String()); !ok || v != p.Value || p.Words == "" {
			t.Errorf("policy %d: %+v", p.Value, p)
		}
	}
	if n := len(Modes()); Mode(n).String() != "unknown" || Policy(len(Policies())).String() != "unknown" {
		t.Errorf("mode %d is %v", n, Mode(n))
	}
	if got := Policies().Described(); got != "fine (32 per power of two), pow2 (powers of two) or exact (no rounding)" {
		t.Errorf("policies: %s", got)
	}
}
