package desk

import (
	"testing"
	"time"

	"assay/app"
	"assay/workloads"
)

// setting is a distinguishable request.
func setting(i int) app.TuneRequest {
	return app.TuneRequest{Workload: "w", Moved: "x", Params: workloads.Values{"x": i}}
}

func TestPaceMeasuresWhatRests(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	p.move(setting(1), paceSlide, now)
	if _, ok := p.start(now.Add(paceSlide - 1)); ok {
		t.Error("a slider that still may move is measured")
	}
	p.move(setting(2), paceSlide, now.Add(paceSlide-1))
	r, ok := p.start(now.Add(2*paceSlide - 1))
	if !ok || r.Params["x"] != 2 {
		t.Errorf("measures %v, %v; want the newest", r.Params, ok)
	}
	if _, ok := p.start(now.Add(time.Hour)); ok {
		t.Error("a setting is measured twice")
	}
}

func TestPaceMeasuresOnTheWay(t *testing.T) {
	var p pace
	now := time.Unix(1000, 0)
	started := 0
	for i := range 100 { // a second of a steady drag, each setting measured in 100 ms
		if i%10 == 0 {
			p.end()
		}
		p.move(setting(i), paceSlide, now)
		if _, ok := p.start(now); ok {
			started++
		}
		now = now.Add(10 * time.Millisecond)
	}
	if started < 4 || started > 7 {
		t.Errorf("%d settings are measured in a second of a steady drag, want one every 150 ms or so", started)
	}
}

// FuzzPace plays moves, passing time and ends of measurements in any order.
func FuzzPace(f *testing.F) {
	f.Add([]byte{0, 60, 1, 200, 0, 10, 0, 10, 2, 255})
	f.Add([]byte{0, 5, 0, 5, 0, 5, 0, 5, 1, 90, 3, 200, 0, 200})
	f.Fuzz(func(t *testing.T, script []byte) {
		var p pace
		now := time.Unix(1000, 0)
		newest, started, moved := 0, 0, now
		for i := 0; i+1 < len(script); i += 2 {
			switch script[i] % 4 {
			case 0, 1:
				newest++
				moved = now
				rest := paceSlide
				if script[i]%4 == 1 {
					rest = paceType
				}
				p.move(setting(newest), rest, now)
			case 2:
				p.end()
			case 3:
				p.forget()
				started = newest // nothing is wanted any more
			}
			now = now.Add(time.Duration(script[i+1]) * 2 * time.Millisecond)
			busy := p.busy
			r, ok := p.start(now)
			switch {
			case ok && r.Params["x"] != newest:
				t.Fatalf("step %d: measures %v, want the newest, %d", i, r.Params, newest)
			case ok && started == newest:
				t.Fatalf("step %d: measures %d again, or after it was dropped", i, newest)
			case ok && busy && now.Sub(moved) < p.rest:
				t.Fatalf("step %d: what is being measured is ended for a setting that still moves", i)
			case !ok && started != newest && now.Sub(moved) >= paceType:
				t.Fatalf("step %d: %d rests since %v and is not measured", i, newest, now.Sub(moved))
			case !ok && p.wanted != nil && p.wait(now) <= 0:
				t.Fatalf("step %d: the alarm would never be set", i)
			}
			if ok {
				started = newest
			}
		}
	})
}
