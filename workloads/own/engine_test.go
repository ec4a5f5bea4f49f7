package own

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/gpu/msl"
)

// A kernel must not be timed at bus speed on a GPU with its own memory.
func TestBuffersLieWhereTheDeviceWorks(t *testing.T) {
	for _, discrete := range []bool{false, true} {
		e := gputest.NewFake(gputest.Script{Discrete: discrete})
		c := &call{}
		c.buffers[0] = []byte{1, 2, 3, 4}
		r := &engineRunner{c: c}
		if err := r.allocate(e, 2); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 4)
		if err := r.buffers[0].Read(0, got); err != nil || string(got) != string(c.buffers[0]) || r.buffers[1] != nil {
			t.Errorf("discrete %t: %v, %v, %v", discrete, got, err, r.buffers[1])
		}
		if private := r.buffers[0].Storage() == gpu.Private; private != discrete {
			t.Errorf("discrete %t: %v", discrete, r.buffers[0].Storage())
		}
		r.close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}

// An engine treats kernels with the same text as one, and launches it as first described.
func TestCallsAreToldApart(t *testing.T) {
	base := call{groups: [3]uint32{2, 1, 1}, threads: [3]uint32{32, 1, 1}}
	base.buffers[0] = make([]byte, 64)
	larger, longer, partial, same := base, base, base, base
	larger.groups[0], partial.grid = 3, [3]uint32{50, 1, 1}
	longer.buffers[0] = make([]byte, 65)
	same.vars = map[string]float64{"unrelated": 1}
	if base.signature(1) != same.signature(1) {
		t.Error("the same call has two signatures")
	}
	for _, other := range []call{larger, longer, partial} {
		if base.signature(1) == other.signature(1) {
			t.Errorf("%s: of two calls", base.signature(1))
		}
	}
}

// Engines get a kernel's text with its includes resolved, found as the compiler for checking finds them.
func TestHeadersAreFound(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"k/own.h": "own", "k/sub/own.h": "nearer", "lib/far.h": "far"} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	open := headers(msl.Source{Name: filepath.Join(dir, "k", "k.metal"), Include: []string{filepath.Join(dir, "lib")}})
	for _, c := range []struct{ included, from, want string }{
		{"own.h", "k/k.metal", "own"}, {"own.h", "k/sub/x.h", "nearer"}, {"far.h", "k/sub/x.h", "far"}, {"own.h", "lib/far.h", "own"},
	} {
		if f, err := open(c.included, filepath.Join(dir, c.from)); err != nil || f.Text != c.want {
			t.Errorf("%s from %s: %q, %v, want %q", c.included, c.from, f.Text, err, c.want)
		}
	}
	if _, err := open("none.h", filepath.Join(dir, "k/k.metal")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such header: %v", err)
	}
}
