package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func playground(t *testing.T) *Playground {
	t.Helper()
	s, err := New(Config{RunsDir: t.TempDir(), OwnDraft: filepath.Join(t.TempDir(), "data", "draft.json")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.Playground()
}

// A saved kernel opens again, with both texts, wherever the folder goes.
func TestPlaygroundSavesAndOpens(t *testing.T) {
	p, dir := playground(t), filepath.Join(t.TempDir(), "a", "b")
	for _, e := range p.Templates() {
		k, err := p.New(e, filepath.Join(dir, e.Name), "mine")
		if err != nil {
			t.Fatal(err)
		}
		opened := k
		k.Source += "// edited\n"
		if err := p.Save(k, opened, false); err != nil {
			t.Fatal(err)
		}
	}
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	for _, e := range p.Templates() {
		k, d, err := p.Open(filepath.Join(moved, e.Name))
		if err != nil || k.Source != e.Files.Source+"// edited\n" || k.Description != e.Files.Description || d.Name() != "mine" {
			t.Errorf("%s: %v, %+v", e.Name, err, d)
		}
		if d, problems := p.Describe(k); len(problems) > 0 || len(d.Sizes) == 0 {
			t.Errorf("%s: %v", e.Name, problems)
		}
	}
	if _, _, err := p.Open(moved); err == nil || !strings.Contains(err.Error(), "has 4 kernel descriptions") {
		t.Error(err)
	}
}

// A draft of any size comes back, until it is saved.
func TestDraftsAreKept(t *testing.T) {
	p := playground(t)
	k := OwnKernel{Path: "k.kernel.toml", Description: "[sizes]\n", Source: strings.Repeat("// a long source\n", 40_000)}
	for _, want := range []OwnKernel{{}, k, {}} {
		if err := p.KeepDraft(want); err != nil {
			t.Fatal(err)
		}
		if got, err := p.Draft(); err != nil || got != want {
			t.Errorf("%d bytes come back as %d: %v", len(want.Source), len(got.Source), err)
		}
	}
	k.Source = strings.Repeat("x", maxDraft)
	if err := p.KeepDraft(k); err == nil || !strings.Contains(err.Error(), "at most") {
		t.Errorf("too much: %v", err)
	}
}

// While a run holds the device, the user's kernels are not timed.
func TestPlaygroundWaitsForNoRun(t *testing.T) {
	p := playground(t)
	lease, err := p.s.device.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	e := p.Gallery()[0]
	if _, err := p.Time(t.Context(), e.Files, OwnOptions{}, func(*OwnReport) {}); err == nil {
		t.Error("timed during a run")
	}
}

func TestPlaygroundKeeps(t *testing.T) {
	p, dir := playground(t), t.TempDir()
	k := OwnKernel{Path: filepath.Join(dir, "k.kernel.toml")}
	r := &OwnReport{Name: "k", Engine: "cpu", OnCPU: true, Done: true, Points: []OwnPoint{{Time: OwnSpan{Median: 0.25}, Sizes: map[string]float64{"n": 7}}}}
	for range 2 {
		if err := p.Keep(k, r); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(filepath.Join(dir, "results", "k.csv"))
	if rows := strings.Split(strings.TrimSpace(string(b)), "\n"); err != nil || len(rows) != 3 || !strings.HasSuffix(rows[2], ",cpu,,true,false,n=7,0.25,,,0") {
		t.Errorf("%v: %s", err, b)
	}
}

// A kernel that cannot be run gets a report; the others continue.
func TestPlaygroundTestGoesOn(t *testing.T) {
	p := playground(t)
	p.program = []string{filepath.Join(t.TempDir(), "no such program")}
	paths := []string{"a.kernel.toml", "b.kernel.toml"}
	told := 0
	all, err := p.Test(t.Context(), paths, OwnOptions{}, 1, func(*OwnReport) { told++ })
	if err != nil || len(all) != 2 || told != 2 {
		t.Fatalf("%v, %d reports, %d told", err, len(all), told)
	}
	for i, r := range all {
		if r.OK() || r.Path != paths[i] || len(r.Problems) != 1 || !strings.Contains(r.Problems[0].Message, "no such program") {
			t.Errorf("%+v", r)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all, err := p.Test(ctx, paths, OwnOptions{}, 1, func(*OwnReport) {}); !errors.Is(err, context.Canceled) || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}
