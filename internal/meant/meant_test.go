package meant

import "testing"

func TestHint(t *testing.T) {
	names := []string{"run", "runs", "report", "compare", "batching", "max_batch"}
	for name, want := range map[string]string{
		"runn": "run", "batchin": "batching", "Batching": "batching", "reprot": "report", "max-batch": "max_batch", "compair": "compare",
		"nope": "", "x": "", "": "", "frobnicate": "",
	} {
		got := Hint(name, names)
		if want != "" {
			want = ` (did you mean "` + want + `"?)`
		}
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
