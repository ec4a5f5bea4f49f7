package app

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
)

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.com"}, args...)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

// A run records the commit of the folder in which it was started, and whether files there differ from it.
func TestRunRecordsItsCommit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	if err := os.Mkdir(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	if c := commitOf(context.Background(), sub); c != nil {
		t.Errorf("outside of a repository: %+v", c)
	}
	git(t, dir, "init", "-q")
	if c := commitOf(context.Background(), sub); c != nil {
		t.Errorf("without a commit: %+v", c)
	}
	file := filepath.Join(sub, "f")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a")
	git(t, dir, "add", ".")
	git(t, dir, "commit", "-q", "-m", "one")
	clean := commitOf(context.Background(), sub)
	if clean == nil || len(clean.ID) != 40 || clean.Modified {
		t.Fatalf("a clean folder: %+v", clean)
	}
	write("b")
	s, _ := session(t, gputest.Script{})
	s.config.Folder = sub
	run, err := s.Runs().Do(context.Background(), Request{
		Jobs: []bundle.Job{small(t, s)}, Quick: true, Labels: bundle.Labels{Tags: []string{"before fix"}, Note: "fan off"},
	})
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := bundle.Load(run.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := loaded.Meta.Commit; c == nil || c.ID != clean.ID || !c.Modified {
		t.Errorf("the run recorded %+v, want %s, modified", c, clean.ID)
	}
	if l := loaded.Labels; len(l.Tags) != 1 || l.Tags[0] != "before fix" || l.Note != "fan off" {
		t.Errorf("labels %+v", l)
	}
}
