package metal

import (
	"errors"
	"os"
	"strings"
	"testing"

	"assay/gpu"
)

// entriesOf returns what a store lists.
func entriesOf(t *testing.T, c gpu.Cache) []gpu.CacheEntry {
	t.Helper()
	all, err := c.Entries()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The archives of all devices are listed with what they were compiled from, and why this device does not load some.
func TestStoreLists(t *testing.T) {
	root := t.TempDir()
	other := testEnvironment()
	other.Device = "Apple M9"
	older := testEnvironment()
	older.OSBuild = "22A100"
	putText(t, testStore(t, root, other), testKey(), "of another device")
	old := testKey()
	old.kernel = "add_f32"
	putText(t, testStore(t, root, older), old, "of another system")
	s := testStore(t, root, testEnvironment())
	path := putText(t, s, testKey(), "compiled")
	if err := os.WriteFile(path+badSuffix, []byte("was damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	all := entriesOf(t, s)
	faults := []string{"set aside", "another build of the system", "", "another device"}
	if len(all) != len(faults) {
		t.Fatalf("%d entries: %+v", len(all), all)
	}
	for _, e := range all {
		var want string
		switch {
		case e.Kernel == "":
			want = faults[0]
		case e.System == "22A100":
			want = faults[1]
		case e.Device == "Apple M9":
			want = faults[3]
		}
		if want == "" && e.Fault != "" || !strings.Contains(e.Fault, want) {
			t.Errorf("%+v: want the fault %q", e, want)
		}
		if e.Kernel == "matmul_f32" && (e.Constants != "transpose_b=1" || e.Seconds != 0.25 || e.Bytes < 100 || len(e.Source) != 64) {
			t.Errorf("%+v", e)
		}
	}
	if folder, _ := s.About(); folder != root {
		t.Errorf("the folder is %s, want %s", folder, root)
	}
}

func TestStoreVerifies(t *testing.T) {
	s := testStore(t, t.TempDir(), testEnvironment())
	path := putText(t, s, testKey(), "compiled")
	verified := func() string {
		all, err := s.Verify(t.Context())
		if err != nil || len(all) != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		return all[0].Fault
	}
	if fault := verified(); fault != "" {
		t.Errorf("whole: %s", fault)
	}
	if err := os.WriteFile(path, []byte("compilee"), 0o644); err != nil {
		t.Fatal(err)
	}
	if fault := verified(); fault != gpu.CacheDamaged {
		t.Errorf("a byte changed: %q", fault)
	}
	if err := os.Remove(manifestPath(path)); err != nil {
		t.Fatal(err)
	}
	if fault := verified(); !strings.Contains(fault, "manifest is missing") {
		t.Errorf("without its manifest: %q", fault)
	}
}

// Remove removes the archive and its manifest, and nothing that is not an archive of the store.
func TestStoreRemoves(t *testing.T) {
	s := testStore(t, t.TempDir(), testEnvironment())
	path := putText(t, s, testKey(), "compiled")
	id := entriesOf(t, s)[0].ID
	for range 2 {
		if err := s.Remove(id); err != nil {
			t.Error(err)
		}
	}
	for _, p := range []string{path, manifestPath(path)} {
		if _, err := os.Stat(p); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", p, err)
		}
	}
	if all := entriesOf(t, s); len(all) != 0 {
		t.Errorf("left %+v", all)
	}
	for _, id := range []string{"", "../x.mtlarchive", "a/../x.mtlarchive", "a/b/x.mtlarchive", "../../x.mtlarchive", "a/x.txt"} {
		if err := s.Remove(id); err == nil {
			t.Errorf("%q was removed", id)
		}
	}
}
