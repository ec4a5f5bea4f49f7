package bench

import (
	"context"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

func TestSelfTestPassesWhereTheDeviceIsRight(t *testing.T) {
	e := gputest.NewFake(gputest.Script{Unsupported: gputest.Without("matmul_tiled_bf16", "no bf16 here")})
	all, err := SelfTest(t.Context(), e)
	if err != nil || len(all) != len(selfTests()) {
		t.Fatalf("%v, %d tried", err, len(all))
	}
	for _, tried := range all {
		if absent := tried.Name == "matmul_bf16"; tried.OK == absent || tried.Absent != absent || absent != strings.Contains(tried.Why, "no bf16 here") {
			t.Errorf("%+v", tried)
		}
	}
	if m := e.Memory(); m != (gpu.Memory{}) {
		t.Errorf("%+v is left", m)
	}
}

func TestSelfTestFailsWhereItIsNot(t *testing.T) {
	for name, step := range map[string]gputest.Step{"wrong result": {Wrong: true}, "command": {Err: gpu.ErrExecution}} {
		e := gputest.NewFake(gputest.Script{Steps: []gputest.Step{step}, Repeat: true})
		all, err := SelfTest(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		failed := 0
		for _, tried := range all {
			if !tried.OK && !tried.Absent && tried.Why != "" {
				failed++
			}
		}
		if failed < len(all) {
			t.Errorf("%s: %d of %d failed: %+v", name, failed, len(all), all)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all, err := SelfTest(ctx, gputest.NewFake(gputest.Script{})); err == nil || len(all) > 0 {
		t.Errorf("canceled: %v, %v", all, err)
	}
}
