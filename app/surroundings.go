package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor"
	"assay/workloads"
	"assay/workloads/measure"
)

// Probe reads what disturbs measurements; a monitor.Probe does.
type Probe interface{ Lap() monitor.Lap }

// Limits of what disturbs, in addition to those of the monitor's rules. Steal time has a granularity of one tick of 10 ms per core.
const (
	maxSteal   = 0.05
	maxStalled = 0.05
	maxSwapped = 10e6 // B/s

	maxElsewhere = 0.1 // command buffers around samples take 0.01 to 0.03
)

// factor is one thing that disturbs measurements.
type factor struct {
	name  metric.Name
	limit float64
	text  string // "%s" is the value
	// unknown says that it cannot be read, in case it explains drifting times.
	unknown string
	of      func(m *moment) float64
}

// moment is what is known about the machine at one time, for measurements on the GPU or elsewhere.
type moment struct {
	lap   monitor.Lap
	now   monitor.Snapshot
	own   ownLap
	onGPU bool
}

// factors lists all factors, the one that explains most first.
func factors() []factor {
	return append([]factor{
		{
			name: workloads.OthersCPU, limit: monitor.QuietShare, text: "other programs used %s of the CPU",
			unknown: "what other programs use cannot be read here",
			of:      func(m *moment) float64 { return m.lap.Others },
		},
		{
			name: workloads.OthersGPU, limit: monitor.QuietShare, text: "other programs used %s of the GPU",
			of: othersOnGPU,
		},
		{
			name: workloads.Elsewhere, limit: maxElsewhere, text: "the GPU did other work, or none, %s of the time",
			of: func(*moment) float64 { return math.NaN() }, // the measurement knows it
		},
		{
			name: workloads.StealCPU, limit: maxSteal, text: "other virtual machines took %s of the CPU",
			of: func(m *moment) float64 { return m.lap.Steal },
		},
		{
			name: workloads.Throttled, limit: monitor.ThrottledShare, text: "throttled by %s",
			unknown: "throttling cannot be read here", of: throttled,
		},
		{
			name: workloads.Stalled, limit: maxStalled, text: "tasks waited for memory %s of the time",
			of: func(m *moment) float64 { return m.lap.Stalled },
		},
		{
			name: workloads.Swapped, limit: maxSwapped, text: "%s went to and from swap",
			of: func(m *moment) float64 { return m.lap.Swapped },
		},
		condition(workloads.Hottest, (*moment).temperature), condition(workloads.Power, (*moment).power), condition(workloads.Process, (*moment).footprint),
	}, ownFactors()...)
}

// condition accompanies each result and never marks it as disturbed.
func condition(name metric.Name, of func(m *moment) float64) factor {
	return factor{name: name, limit: math.Inf(1), text: "%s", of: of}
}

func (m *moment) temperature() float64 { return m.reading(monitor.TemperatureGPU, monitor.Temperature) }

func (m *moment) power() float64 { return m.reading(monitor.PowerGPU, monitor.Power, monitor.PowerSoC) }

func (m *moment) footprint() float64 {
	if v, ok := m.now.Value(monitor.ProcessFootprint); ok {
		return v
	}
	return known(m.now.Value(monitor.ProcessRSS)) // the only count that Linux has
}

// reading returns the newest value of the GPU's metric for measurements on the GPU, otherwise of the first other metric that is
// known.
func (m *moment) reading(ofGPU string, others ...string) float64 {
	if m.onGPU {
		others = append([]string{ofGPU}, others...)
	}
	for _, name := range others {
		if v, ok := m.now.Value(name); ok {
			return v
		}
	}
	return math.NaN()
}

// othersOnGPU is what other programs do on the GPU, which disturbs only measurements on the GPU. Some systems report it only as a
// reading of the monitor.
func othersOnGPU(m *moment) float64 {
	switch {
	case !m.onGPU:
		return math.NaN()
	case !math.IsNaN(m.lap.OthersGPU):
		return m.lap.OthersGPU
	}
	return known(m.now.Value(monitor.GPUOthers))
}

// throttled is the monitor's newest reading: the counters behind it are slow or need special readers.
func throttled(m *moment) float64 { return known(m.now.Throttled(m.onGPU)) }

// known returns a value, or NaN if it is unknown.
func known(v float64, ok bool) float64 {
	if ok {
		return v
	}
	return math.NaN()
}

// measureFactors are the factors as measurements need them.
func measureFactors() []measure.Factor {
	units, out := workloads.Metrics(), []measure.Factor(nil)
	for _, f := range factors() {
		m, _ := units.Find(f.name)
		out = append(out, measure.Factor{Name: string(f.name), Limit: f.limit, Unknown: f.unknown, Text: func(v float64) string {
			return fmt.Sprintf(f.text, si.Format(v, m.Unit))
		}})
	}
	return out
}

// surroundings observe the machine during one job's measurements on an engine (nil: none yet). Without a probe, nothing is
// observed.
func (s *Session) surroundings(timeout time.Duration, onGPU bool, engine gpu.Engine) measure.Surroundings {
	if s.config.Probe == nil {
		return measure.Surroundings{}
	}
	all, probe, who, own := factors(), s.config.Probe(), &culprit{onGPU: onGPU}, newOwnCost(engine, &s.activity)
	told := measureFactors()
	tellOwn(told, own)
	for i := range told {
		told[i].Elsewhere = onGPU && told[i].Name == string(workloads.Elsewhere)
	}
	return measure.Surroundings{
		Factors: told, QuietTimeout: timeout, Who: who.name,
		Lap: func() []float64 {
			lap, cost := probe.Lap(), own.next()
			if s.betweenLaps() { // which no lap includes
				probe.Lap()
				own.restart()
			}
			now := moment{lap, s.snapshot(), cost, onGPU}
			values := make([]float64, len(all))
			for i := range all {
				values[i] = all[i].of(&now)
			}
			return values
		},
	}
}

// culprit names the programs that disturb.
type culprit struct {
	busiest monitor.Busiest
	onGPU   bool
}

// How much a program must use to be named: cores, and share of the GPU's time.
const (
	minCulprit    = 0.1
	minCulpritGPU = 0.05
)

// lookAt is the minimum interval over which programs are compared.
const lookAt = 100 * time.Millisecond

// name says which programs were busiest since the last call; empty at the first call.
func (c *culprit) name(ctx context.Context) string {
	defer c.busiest.Mark(ctx)
	if marked := c.busiest.Marked(); !marked.IsZero() {
		time.Sleep(lookAt - time.Since(marked))
	}
	var words []string // none: the cause is not a program here, but another virtual machine, or heat
	if top, ok := c.busiest.Top(ctx); ok && top.Cores >= minCulprit {
		words = append(words, fmt.Sprintf("busiest at one point: %s, %s cores", plain.Text(top.Name), si.Digits(top.Cores)))
	}
	if top, ok := c.busiest.TopGPU(); c.onGPU && ok && top.Share >= minCulpritGPU {
		words = append(words, gpuCulprit(top))
	}
	return strings.Join(words, "; ")
}

func gpuCulprit(top monitor.BusyGPU) string {
	return fmt.Sprintf("busiest on the GPU: %s, %s", plain.Text(top.Name), si.Format(top.Share, "ratio"))
}

// Policy is what a run does if the machine is not quiet.
type Policy string

// Policies.
const (
	GoOn   Policy = "go"     // and mark what was disturbed
	Wait   Policy = "wait"   // before and within a case, for at most QuietTimeout each
	Refuse Policy = "refuse" // to start
)

// Policies lists them all, the default first.
func Policies() []Policy { return []Policy{GoOn, Wait, Refuse} }

// QuietTimeout is the maximum time that each case waits for a quiet machine.
const QuietTimeout = 30 * time.Second

// quietTimeout is how long each case of the request may wait.
func (r *Request) quietTimeout() time.Duration {
	if r.WhenBusy == Wait {
		return QuietTimeout
	}
	return 0
}

// ErrNotQuiet is wrapped in the error of a run that was refused because other programs would disturb it.
var ErrNotQuiet = errors.New("the machine is not quiet")

// quietLap is how long the machine is observed before a run may be refused.
const quietLap = 500 * time.Millisecond

// checkQuiet refuses a request that needs a quiet machine if the machine is not.
func (s *Session) checkQuiet(ctx context.Context, r *Request) error {
	if r.WhenBusy != Refuse {
		return nil
	}
	if why, known := s.Disturbance(ctx); known && why != "" {
		return fmt.Errorf("%w: %s", ErrNotQuiet, why)
	}
	return nil
}

// Disturbance observes the machine for half a second and says what would disturb measurements now; empty: nothing.
// known is false if it cannot be observed.
func (s *Session) Disturbance(ctx context.Context) (why string, known bool) {
	engine, open := s.engines.current()
	around := s.surroundings(0, !open || engine.Info().GPU, engine) // before the first run, measurements may be on either
	if around.Lap == nil {
		return "", false
	}
	around.Lap()
	around.Who(ctx)
	select {
	case <-time.After(quietLap):
	case <-ctx.Done():
	}
	values := around.Lap()
	for _, w := range around.Judge(ctx, values) {
		return strings.TrimPrefix(w.Text, "disturbed: "), true
	}
	return "", len(values) > 0 && !math.IsNaN(values[0])
}
