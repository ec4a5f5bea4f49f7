package bundle

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"assay/app/internal/runstest"
	"assay/workloads"
)

// On a disk that fills up, all rows are whole at every step, and all rows are there once there is space again.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("a small disk cannot be mounted here, it takes root: ", err)
	}
	defer func() { runstest.Check(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	ballast := filepath.Join(disk, "ballast")
	runstest.Check(t, os.WriteFile(ballast, make([]byte, 28<<10), 0o600))
	b, err := Create(disk, plainMeta0(), []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	failed, err := fill(b)
	runstest.Check(t, err)
	if !errors.Is(failed, syscall.ENOSPC) || !strings.Contains(failed.Error(), "the disk is full") {
		t.Fatalf("the disk never ran full: %v", failed)
	}
	runstest.Check(t, os.Remove(ballast))
	runstest.Check(t, syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=1m"))
	runstest.Check(t, b.Finish(Finished, nil))
	r, err := Load(b.Dir())
	runstest.Check(t, err)
	if n := len(withoutCases(r.Events)); len(r.Results) != 40 || n != 40 {
		t.Fatalf("%d results and %d events, want 40 each", len(r.Results), n)
	}
	for i := range r.Results {
		want := runstest.Verified(i, 10)
		want.ID = workloads.ResultID(0, i)
		runstest.Same(t, "after a full disk", r.Results[i], want)
	}
}

// A disk without inodes still has space, and a run that cannot be started leaves no folder.
func TestNoInodes(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1m,nr_inodes=4"); err != nil {
		t.Skip("a small disk cannot be mounted here, it takes root: ", err)
	}
	defer func() { runstest.Check(t, syscall.Unmount(disk, syscall.MNT_DETACH)) }()
	b, err := Create(disk, plainMeta0(), []workloads.Workload{runstest.Workload()})
	if err == nil || !strings.Contains(err.Error(), "no more files fit on the disk") {
		t.Errorf("created: %v", err)
	}
	if left, err := os.ReadDir(disk); err != nil || len(left) > 0 || b.Dir() != "" {
		t.Errorf("left: %v, %v; the bundle is in %q", left, err, b.Dir())
	}
}
