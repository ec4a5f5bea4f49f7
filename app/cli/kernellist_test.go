package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

func TestKernelList(t *testing.T) {
	c := config(t, gputest.Script{Unsupported: map[string]string{"relu_f16": "no half"}})
	code, out, errOut := assay(t, c, "kernel", "list")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{"Fake", "matmul/mps", "library", "relu/plain", "elementwise.metal"} {
		if !strings.Contains(out, want) {
			t.Errorf("the list lacks %q:\n%s", want, out)
		}
	}
	code, out, errOut = assay(t, c, "kernel", "list", "--json")
	var list []struct {
		ID      string            `json:"id"`
		Refused map[string]string `json:"refused"`
		Source  []struct{ Name, Text string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s", code, err, errOut)
	}
	for _, k := range list {
		if k.ID == "relu/plain" {
			if k.Refused["relu/plain/f16"] != "no half" || len(k.Refused) != 1 || !strings.Contains(k.Source[0].Text, "kernel") {
				t.Errorf("%+v", k)
			}
			return
		}
	}
	t.Error("relu is not listed")
}

func TestKernelShow(t *testing.T) {
	c := config(t, gputest.Script{Unsupported: map[string]string{"matmul_tiled_f16": "no half"}})
	code, out, errOut := assay(t, c, "kernel", "show", "matmul/tiled")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, errOut)
	}
	for _, want := range []string{
		"matmul/tiled/f16   matmul_tiled_f16   not on Fake: no half", "in   f32, f16, bf16  bias  if has_bias", "uint  k\n",
		"activation   0 to 2", "source, SHA-256 ", "// include/tile.h\n", "threadgroup float panels[PANELS];",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output lacks %q:\n%s", want, out)
		}
	}
	code, out, _ = assay(t, c, "kernel", "show", "matmul/mps")
	if code != 0 || !strings.Contains(out, "no source: Apple’s MPS\n") {
		t.Errorf("exit %d: %s", code, out)
	}
}

func TestKernelShowRefusesWhatItDoesNotKnow(t *testing.T) {
	for name, want := range map[string]string{
		"matmul": "several implementations: matmul/tiled, matmul/naive, matmul/blocked, matmul/simd, matmul/gemv, matmul/mps", "nothing": `no kernel "nothing"; see assay kernel list`,
	} {
		if code, _, errOut := assay(t, config(t, gputest.Script{}), "kernel", "show", name); code != 2 || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit %d: %s", name, code, errOut)
		}
	}
}
