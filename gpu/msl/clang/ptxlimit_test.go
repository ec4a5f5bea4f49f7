package clang

import (
	"strings"
	"testing"

	"assay/gpu/msl"
	"assay/gpu/msl/shim/cuda"
)

// The attribute of a source and that of a tunable become the same directive, limited to what GPUs support.
func TestLimitThreads(t *testing.T) {
	c, err := Find()
	if err != nil {
		t.Skip(err)
	}
	const bare, with = "kernel void k(device int *x [[buffer(0)]]) { x[0] = 1; }", "[[max_total_threads_per_threadgroup(64)]] "
	ptx := func(text string) []byte {
		t.Helper()
		l, err := c.Compile(t.Context(), msl.Source{Name: "test.metal", Text: "#include <metal_stdlib>\n" + text}, Options{Target: cuda.Target{}})
		if err != nil {
			t.Fatal(err)
		}
		out, _, err := l.PTX(t.Context(), "k", nil, -1)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	plain, written := ptx(bare), ptx(with+bare)
	if added, err := LimitThreads(plain, "k", 64); err != nil || string(added) != string(written) {
		t.Errorf("%v:\n%s\nwant as the source says it:\n%s", err, added, written)
	}
	if added, err := LimitThreads(plain, "k", 4096); err != nil || !strings.Contains(string(added), "\n.maxntid 1024, 1, 1\n{") {
		t.Errorf("%v:\n%s", err, added)
	}
	if _, err := LimitThreads(plain, "other", 64); err == nil || !strings.Contains(err.Error(), "no entry other") {
		t.Errorf("another entry: %v", err)
	}
	if _, err := LimitThreads(written, "k", 64); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a second limit: %v", err)
	}
}
