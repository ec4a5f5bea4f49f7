package workloads

import (
	"errors"
	"fmt"
	"testing"

	"assay/gpu"
)

func TestFailureKinds(t *testing.T) {
	for _, tc := range []struct {
		err  error
		kind FailureKind
	}{
		{nil, ""},
		{errors.New("something"), ""},
		{fmt.Errorf("submit: %w", gpu.ErrDeviceLost), DeviceLost},
		{fmt.Errorf("out: %w", gpu.ErrOutOfMemory), OutOfMemory},
		{fmt.Errorf("run: %w", Kinded(BadWeights, errors.New("m: broken"))), BadWeights},
		{Kinded(NoTensor, nil), ""},
	} {
		f := FailureOf(tc.err)
		if f.Kind != tc.kind || tc.err != nil && f.Text != tc.err.Error() {
			t.Errorf("%v is %+v, want kind %q", tc.err, f, tc.kind)
		}
	}
}
