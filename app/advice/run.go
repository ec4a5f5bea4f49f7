package advice

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
	"assay/monitor"
	"assay/workloads"
)

// Limits of the rules about a run.
const (
	busyCore = 0.8 // of a core; from here on, the process itself works
	idleGPU  = 0.5 // of the time; below this, a GPU waits
)

// runRules look at the run as a whole.
func runRules() []Rule {
	return []Rule{
		{
			ID: "leak", Title: "Memory that is not released", Needs: "a run that ended",
			Do: "Release the buffers where they are no longer needed; the leak names where they were allocated.", look: leaks,
		},
		{
			ID: "no-gpu", Title: "No GPU was used", Needs: "results",
			Do: "Run on a GPU engine; “assay doctor” says which are available, and why the others are not.", look: noGPU,
		},
		{
			ID: "wide-format", Title: "A wider number format than needed", Needs: "a job in f32 whose workload also has f16, on a GPU or bound by memory",
			Do: "Store the operands in f16 and sum in f32, if their values stay within ± 65,504 and 3 digits are enough.", look: wideFormat,
		},
		{
			ID: "host-work", Title: "Work left on the CPU", Needs: "readings of the GPU’s utilization and of the process while kernels ran",
			Do: "Move what the host does between dispatches to the GPU, or overlap it with them: keep command buffers in flight.", look: hostWork,
		},
	}
}

func leaks(s *Subject) []Piece {
	var out []Piece
	for _, l := range s.Run.Leaks() {
		out = append(out, Piece{
			Title: "Leak: " + l.Title, Text: l.Text, Gain: unknownGain(),
			Evidence: []Figure{words("Leak", l.Text, "event of "+l.Time.Format("15:04:05"))},
		})
	}
	return out[:min(len(out), manyResults)]
}

// noGPU finds a run that was measured on a CPU.
func noGPU(s *Subject) []Piece {
	m := &s.Run.Meta
	if m.Engine.Engine == "" || m.Engine.GPU || len(s.Run.Results) == 0 {
		return nil
	}
	p := Piece{
		Text: fmt.Sprintf("All %s were measured on the %s engine: %s.", si.Counted(len(s.Run.Results), "result"), m.Engine.Engine, m.Engine.Device),
		Gain: unknownGain(),
		Evidence: []Figure{
			words("Engine", m.Engine.Engine+" on "+m.Engine.Device, "run.json"),
		},
	}
	if m.EngineReason != "" { // live tuning keeps none
		p.Evidence = append(p.Evidence, words("Why this engine", m.EngineReason, "run.json"))
	}
	if len(s.GPUs) == 0 {
		return []Piece{p}
	}
	p.Evidence = append(p.Evidence, words("Engines with a GPU here", strings.Join(s.GPUs, ", "), "this machine"))
	if r := longest(s); r != nil {
		if at := s.at(r); at != nil {
			p.Trial = &Trial{
				Workload: r.Workload, Before: Side{Params: at, Engine: m.Engine.Engine}, After: Side{Params: at, Engine: s.GPUs[0]},
				What: [2]string{r.Case + " on " + m.Engine.Engine, r.Case + " on " + s.GPUs[0]},
			}
		}
	}
	return []Piece{p}
}

// longest returns the result with the longest repetition, of those whose case can be measured alone; nil: there is none.
func longest(s *Subject) *workloads.Result {
	var found *workloads.Result
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if r.Status == workloads.OK && s.at(r) != nil && (found == nil || r.Time().Median > found.Time().Median) {
			found = r
		}
	}
	return found
}

// formatParam is the parameter of workloads that chooses a number format.
const formatParam = "dtype"

// wideFormat finds jobs in f32 for which f16 should pay off: half the bytes if they are memory-bound, or on a GPU. If the
// run has both, their times decide.
func wideFormat(s *Subject) []Piece {
	for n := range s.Run.Meta.Jobs {
		job := &s.Run.Meta.Jobs[n]
		w, err := workloads.Find(s.Workloads, job.Workload)
		if err != nil || job.Params[formatParam] != "f32" {
			continue
		}
		p, err := w.Param(formatParam)
		if err != nil || !slices.Contains(p.ChoiceValues(), "f16") {
			continue
		}
		if piece := s.wide(n); piece != nil {
			return []Piece{*piece}
		}
	}
	return nil
}

// wide returns the advice about a job in f32; nil: nothing shows that f16 would pay off.
func (s *Subject) wide(job int) *Piece {
	var heaviest *workloads.Result
	for i := range s.Run.Results {
		r := &s.Run.Results[i]
		if r.Job != job || !fit(r) || r.Values.Text(workloads.Arithmetic) != "f32" {
			continue
		}
		if boundBy(r) != workloads.BoundBandwidth && !s.Run.Meta.Engine.GPU {
			continue
		}
		if heaviest == nil || r.Number(workloads.Bytes) > heaviest.Number(workloads.Bytes) {
			heaviest = r
		}
	}
	if heaviest == nil || !(heaviest.Number(workloads.Bytes) > 0) {
		return nil
	}
	p := &Piece{
		Text: fmt.Sprintf("%s was measured in f32 only; in f16 its operands are half as large.", heaviest.Case),
		Gain: unknownGain(),
		Evidence: []Figure{
			words("Number format", "f32", fmt.Sprintf("job %d of the run", job+1)),
			ofResult("Bytes of a repetition", stats.Exact(heaviest.Number(workloads.Bytes)), "B", heaviest),
		},
	}
	if bound := boundBy(heaviest); bound != "" {
		f := ofResult("Bound by", stats.Unknown(), "", heaviest)
		f.Text = bound
		p.Evidence = append(p.Evidence, f)
		if bound == workloads.BoundBandwidth {
			p.Gain = Gain{stats.Unbounded(2), ByBytes}
		}
	}
	if at := s.at(heaviest); at != nil {
		p.Trial = &Trial{
			Workload: heaviest.Workload, Before: Side{Params: at}, After: Side{Params: at.With(workloads.Values{formatParam: "f16"})},
			What: [2]string{heaviest.Case + " in f32", heaviest.Case + " in f16"},
		}
	}
	return p
}

// hostWork finds a GPU that waits while this process computes.
func hostWork(s *Subject) []Piece {
	gpu, from := s.values(monitor.GPUUtilization, monitor.EngineBytes, 0)
	own, of := s.values(monitor.ProcessCPU, monitor.EngineBytes, 0)
	if !s.Run.Meta.Engine.GPU || len(gpu) < 3 || len(own) < 3 || mean(gpu) >= idleGPU || mean(own) < busyCore {
		return nil
	}
	return []Piece{{
		Text: fmt.Sprintf("While kernels ran, the GPU was busy for %s of the time, and this process used %s cores.", percent(mean(gpu)), si.Digits(mean(own))),
		Gain: unknownGain(),
		Evidence: []Figure{
			number("Mean GPU utilization", mean(gpu), "ratio", "at least "+percent(idleGPU), monitored(from, len(gpu))),
			number("Mean of the process, in cores", mean(own), "", "limit "+si.Digits(busyCore), monitored(of, len(own))),
		},
	}}
}
