package gputest

import (
	"testing"

	"assay/gpu"
)

func TestFakeKeepsTheContract(t *testing.T) {
	Contract(t, func() (gpu.Engine, error) { return NewFake(Script{}), nil })
}
