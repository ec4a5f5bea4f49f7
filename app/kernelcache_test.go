package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders/catalog"
)

// caching is an engine with three kernels in its cache: one from another source, one that the session loaded, one damaged.
func caching() *gputest.Caching {
	source := catalog.MustFind("add_f32").Impl.Source.Hash()
	e := gputest.NewCaching(gputest.NewFake(gputest.Script{}),
		gpu.CacheEntry{ID: "a", Kernel: "add_f32", Source: source, Bytes: 100, Seconds: 0.5},
		gpu.CacheEntry{ID: "b", Kernel: "add_f32", Constants: "x=1", Source: "of last week", Bytes: 20},
		gpu.CacheEntry{ID: "c", Kernel: "mine", Source: "of a user", Bytes: 3})
	e.Damaged = []string{"c"}
	e.Log = []gpu.Compile{
		{Kernel: "add_f32", Seconds: 0.5},
		{Kernel: "add_f32", Seconds: 0.01, Warm: true},
		{Kernel: "relu_f32", Seconds: 0.1, Warm: true, BuiltIn: true},
	}
	return e
}

func TestKernelCache(t *testing.T) {
	k := sessionOn(t, caching()).Kernels()
	c, err := k.Cache("x")
	if err != nil {
		t.Fatal(err)
	}
	if c.Bytes != 123 || c.Folder != "/caches/fake" || c.Missing != "" || c.Session != (CacheUse{Hits: 1, Misses: 1, BuiltIn: 1}) {
		t.Errorf("%+v", c)
	}
	if e := c.Entries[0]; e.Fault != "" || e.Cold != 0.5 || e.Warm != 0.01 {
		t.Errorf("the kernel that was loaded: %+v", e)
	}
	if e := c.Entries[1]; !strings.Contains(e.Fault, "another source") || e.Warm != 0 || e.Name() != "add_f32{x=1}" {
		t.Errorf("the kernel whose source was edited: %+v", e)
	}
	if got := c.Faulty(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("at fault before verifying: %q", got)
	}
	c, err = k.VerifyCache(t.Context(), "x")
	if got := c.Faulty(); err != nil || !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("at fault: %q, %v", got, err)
	}
	for name, want := range map[string]string{"add_f32": "a b", "add_f32{x=1}": "b", "c": "c"} {
		if ids, err := c.Find([]string{name}); err != nil || strings.Join(ids, " ") != want {
			t.Errorf("%s means %q, %v", name, ids, err)
		}
	}
	if _, err := c.Find([]string{"add_f32", "sub_f32"}); err == nil || !strings.Contains(err.Error(), `no kernel "sub_f32"`) {
		t.Errorf("a kernel that is not there: %v", err)
	}
}

func TestClearKernelCache(t *testing.T) {
	s := sessionOn(t, caching())
	k := s.Kernels()
	freed, err := k.ClearCache("x", []string{"a", "c", "gone"})
	if err != nil || freed != (CacheFreed{2, 103}) {
		t.Errorf("%+v, %v", freed, err)
	}
	if c, err := k.Cache("x"); err != nil || !slices.Equal(c.IDs(), []string{"b"}) {
		t.Errorf("left %q, %v", c.IDs(), err)
	}
	lease, err := s.device.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if _, err := k.ClearCache("x", []string{"b"}); !errors.Is(err, ErrBusy) {
		t.Errorf("during a run: %v", err)
	}
}

// An entry that cannot be removed is reported, and what was removed before it counts.
func TestClearKernelCacheFails(t *testing.T) {
	e := gputest.NewCaching(gputest.NewFake(gputest.Script{}), gpu.CacheEntry{ID: "a", Bytes: 1}, gpu.CacheEntry{ID: "locked"})
	freed, err := sessionOn(t, e).Kernels().ClearCache("x", []string{"a", "locked"})
	if freed != (CacheFreed{1, 1}) || err == nil || !strings.Contains(err.Error(), "remove locked from the cache: locked is in use") {
		t.Errorf("%+v, %v", freed, err)
	}
}

// An engine without a cache says why.
func TestNoKernelCache(t *testing.T) {
	k := sessionOn(t, gputest.NewFake(gputest.Script{})).Kernels()
	c, err := k.Cache("x")
	if err != nil || c.Missing != "the kernels of engine fake are part of the program" || c.Entries == nil {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := k.ClearCache("x", nil); !errors.Is(err, gpu.ErrUnsupported) || !strings.Contains(err.Error(), "part of the program") {
		t.Errorf("cleared: %v", err)
	}
}
