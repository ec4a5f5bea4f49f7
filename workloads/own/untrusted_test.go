package own

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Links among a kernel's results are not followed.
func TestKeepFollowsNoLinks(t *testing.T) {
	victim := filepath.Join(t.TempDir(), "victim")
	if err := os.WriteFile(victim, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	linked, replaced := t.TempDir(), t.TempDir()
	results := filepath.Join(linked, Results)
	if err := os.Mkdir(results, 0o755); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{filepath.Join(results, "k.csv"): victim, filepath.Join(replaced, Results): filepath.Dir(victim)} {
		if err := os.Symlink(from, to); err != nil {
			t.Skip(err)
		}
	}
	for folder, want := range map[string]string{linked: "is not a regular file", replaced: "is not a folder"} {
		err := Keep(filepath.Join(folder, Results), &Report{Name: "k", Points: []Point{{}}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	inside, err := os.ReadDir(filepath.Dir(victim))
	if b, _ := os.ReadFile(victim); err != nil || string(b) != "mine" || len(inside) != 1 {
		t.Errorf("%q, %v, %v", b, inside, err)
	}
}

func npyFile(t *testing.T, shape string, data ...byte) string {
	t.Helper()
	header := "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }\n"
	b := append([]byte("\x93NUMPY\x01\x00"), binary.LittleEndian.AppendUint16(nil, uint16(len(header)))...)
	name := filepath.Join(t.TempDir(), "a.npy")
	if err := os.WriteFile(name, append(append(b, header...), data...), 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestNPY(t *testing.T) {
	name := npyFile(t, "2, 1", 0, 0, 128, 63, 0, 0, 0, 64)
	if n, err := lengthOfFile(name, ""); n != 2 || err != nil {
		t.Error(n, err)
	}
	if v, err := readNPY(name, 8); err != nil || len(v) != 2 || v[0] != 1 || v[1] != 2 {
		t.Error(v, err)
	}
	for shape, want := range map[string]string{"4294967296, 4294967296": "elements", "2147483648, 4, 2147483648": "elements", "3": "ends before"} {
		if n, err := lengthOfFile(npyFile(t, shape, 1, 2, 3, 4), ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("(%s): %d, %v", shape, n, err)
		}
	}
	if n, err := lengthOfFile(npyFile(t, "0, 5"), ""); n != 0 || err != nil {
		t.Error(n, err)
	}
}

func TestRandomIntegersAreInTheirRange(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, a := range []Argument{{Low: 0, High: 1}, {Low: 7, High: 8}, {Low: -3, High: -3}} {
		seen := map[float64]bool{}
		for range 64 {
			x := a.fromLow(r)
			if seen[x] = true; x < a.Low || x > a.High {
				t.Fatalf("%g from %g to %g", x, a.Low, a.High)
			}
		}
		if len(seen) != int(a.High-a.Low)+1 {
			t.Errorf("%v from %g to %g", seen, a.Low, a.High)
		}
	}
}
