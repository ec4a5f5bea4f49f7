package gpu_test

import (
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

type tracing struct{ gpu.Engine }

func (tracing) TraceCommand() string { return "trace me" }

func TestAsLooksBehindTheMeter(t *testing.T) {
	plain := gpu.NewMeter().Wrap(gputest.NewFake(gputest.Script{}))
	if _, ok := gpu.As[gpu.Tracer](plain); ok {
		t.Error("an engine without a trace command has one")
	}
	metered := gpu.NewMeter().Wrap(tracing{gputest.NewFake(gputest.Script{})})
	tracer, ok := gpu.As[gpu.Tracer](metered)
	if !ok || tracer.TraceCommand() != "trace me" {
		t.Errorf("%v behind the meter, found %v", tracer, ok)
	}
	if _, ok := gpu.As[gpu.Tracer](nil); ok {
		t.Error("no engine has a trace command")
	}
}
