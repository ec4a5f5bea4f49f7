package app

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/monitor"
)

func readOverhead(t *testing.T, footprint int64, err error, engine gpu.Engine) monitor.Reading {
	t.Helper()
	s := overheadSource{
		footprint: func(context.Context) (int64, error) { return footprint, err },
		engine:    func() (gpu.Engine, bool) { return engine, engine != nil },
	}
	out := s.Read(t.Context())
	if len(out) != 1 || out[0].Metric != monitor.ProcessOverhead || out[0].Unit != "B" || out[0].Source == "" {
		t.Fatalf("readings %+v", out)
	}
	return out[0]
}

func TestOverheadIsTheFootprintWithoutBuffers(t *testing.T) {
	engine := gputest.NewFake(gputest.Script{})
	defer engine.Close() //nolint:errcheck // a script's
	const mb = 1 << 20
	b, err := engine.NewBuffer(16*mb, gpu.Shared, "test")
	if err != nil {
		t.Fatal(err)
	}
	unified := int64(0)
	if engine.Info().Unified {
		unified = engine.Memory().Bytes
	}
	for _, c := range []struct {
		footprint int64
		engine    gpu.Engine
		want      int64
	}{{100 * mb, nil, 100 * mb}, {100 * mb, engine, 100*mb - unified}} {
		if r := readOverhead(t, c.footprint, nil, c.engine); r.Status != monitor.OK || r.Value != float64(c.want) || r.Provenance != monitor.Estimated {
			t.Errorf("%+v, want %d", r, c.want)
		}
	}
	b.Release()
	if r := readOverhead(t, 0, errors.New("no such process"), nil); r.Status != monitor.Failed || !strings.Contains(r.Reason, "no such process") {
		t.Errorf("%+v", r)
	}
	r := overhead(monitor.Template(monitor.ProcessOverhead, "test"), 10, 20)
	if r.Status != monitor.Unavailable || r.Value != 0 || r.Reason == "" {
		t.Errorf("a footprint below what is allocated: %+v", r)
	}
}

// The session's readings include it.
func TestSessionTellsItsOverhead(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	snap := s.Tick(t.Context())
	if r, ok := snap.Find(monitor.ProcessOverhead); !ok || r.Status == monitor.Failed {
		t.Errorf("%+v, %v", r, ok)
	}
}
