package drill

import (
	"strings"
	"testing"

	"assay/app"
	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/severity"
)

// caching is an engine with a cache of compiled kernels, which is empty.
type caching struct{ gpu.Engine }

func (caching) Cache() (gpu.Cache, error) { return empty{}, nil }

type empty struct{ gpu.Cache }

func (empty) About() (folder, kept string)       { return "", "" }
func (empty) Entries() ([]gpu.CacheEntry, error) { return nil, nil }

// Damage to the cache that goes unnoticed or is not repaired fails the drill.
func TestCorruptKernelsCanFail(t *testing.T) {
	for _, c := range []struct{ cache, run, want string }{
		{`echo '{"engine": "cpu", "folder": "'$HOME'", "entries": [{"id": "1"}]}'`, "mkdir -p $HOME", "of 1 damaged kernels 0 were noticed"},
		{`echo '{"engine": "cpu", "folder": "'$HOME'", "entries": [{"id": "1", "fault": "damaged"}]}'; exit 1`, "mkdir -p $HOME", "none of 1 damaged kernel was compiled again"},
		{`exit 1`, "exit 0", "the cache was not listed"},
		{`exit 0`, "echo no device >&2; exit 1", "the run before the fault: exit status 1: no device"},
	} {
		s := setup()
		s.Config.Engines = []app.Engine{{Name: "cpu", Title: "CPU", Open: func() (gpu.Engine, error) {
			return caching{gputest.NewFake(gputest.Script{Kind: "cpu"})}, nil
		}}}
		s.Program = program(t, "case $1 in kernel) "+c.cache+" ;; *) "+c.run+" ;; esac")
		d := Drill{"corrupt-cache", "", corruptCache}
		if o := d.Run(t.Context(), s); o.Pass || !strings.Contains(o.Saw, c.want) {
			t.Errorf("%+v, want %q", o, c.want)
		}
	}
}

func TestRunThatDoesNotTell(t *testing.T) {
	run := &bundle.Run{Events: []bundle.Event{{Title: "Self-test", Text: "damaged"}, {Title: "Self-test", Severity: severity.Warning, Text: "8 passed"}}}
	if said, err := toldOf(run, "Self-test", "damaged"); err == nil {
		t.Error(said)
	}
}
