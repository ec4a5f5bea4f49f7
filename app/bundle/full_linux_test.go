package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/workloads"
)

// A disk that runs full holds whole rows at every step, and all of them once there is room again.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk cannot be mounted here, it takes root: ", err)
	}
	defer func() { check(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	ballast := filepath.Join(disk, "ballast")
	check(t, os.WriteFile(ballast, make([]byte, 28<<10), 0o600))
	b, err := Create(disk, plainMeta0(), []workloads.Workload{plainWorkload()})
	check(t, err)
	failed, err := fill(b)
	check(t, err)
	if !errors.Is(failed, syscall.ENOSPC) || !strings.Contains(failed.Error(), "the disk is full") {
		t.Fatalf("the disk never ran full: %v", failed)
	}
	check(t, os.Remove(ballast))
	check(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=1m"))
	check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	check(t, err)
	if n := len(withoutCases(r.Events)); len(r.Results) != 40 || n != 40 {
		t.Fatalf("%d results and %d events, want 40 each", len(r.Results), n)
	}
	for i := range r.Results {
		want := okResult(i, 10)
		want.ID = workloads.ResultID(0, i)
		same(t, "after a full disk", r.Results[i], want)
	}
}
