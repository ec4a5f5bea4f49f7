package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"assay/app"
	"assay/internal/plain"
	"assay/workloads/measure"
)

// samplingFlags say how long to sample, and what to do on a machine that is not quiet.
type samplingFlags struct {
	precision  float64 // ± %
	time       time.Duration
	minSamples int
	warmups    int
	warmupTime time.Duration
	schedule   string
	whenBusy   string
	energy     string
	throttle   string
	drift      float64 // %
	cooldown   time.Duration
	quiet      bool
	duty       float64 // %
	powerCap   float64 // W
	flags      *pflag.FlagSet
}

// add adds the flags to a command's; the command may already have --quick.
func (f *samplingFlags) add(flags *pflag.FlagSet) {
	f.flags = flags
	defaults := func(usual, quick string) string {
		if flags.Lookup("quick") == nil {
			return " (default " + usual + ")"
		}
		return " (default " + usual + ", with --quick " + quick + ")"
	}
	flags.Float64Var(&f.precision, "precision", 0, "target interval of each time, in ± % (default 0.5)")
	flags.DurationVar(&f.time, "time", 0, "time per case of one or two variants"+defaults("4s", "700ms"))
	flags.IntVar(&f.minSamples, "min-samples", 0, "minimum number of samples of each variant (default 100)")
	flags.IntVar(&f.warmups, "warmup", 0, "minimum number of warm-up samples of each variant; warm-up lasts until times are stable or its share of --time is spent")
	flags.DurationVar(&f.warmupTime, "warmup-time", 0, "minimum time to warm up each variant, even if its times are stable sooner; on top of --time")
	flags.StringVar(&f.schedule, "schedule", "",
		"fixed schedule instead of warming up until stable and sampling until precise: steps that run unrecorded (wait), are discarded (warmup) and count "+
			"(active), such as wait=1,warmup=1,active=3,repeat=2; a step is a sample of each variant")
	flags.StringVar(&f.energy, "energy", string(app.EnergyOff),
		"energy of each variant, after its time: off, or auto (where power is measured; adds 5 bursts of about 2 s each)")
	flags.StringVar(&f.whenBusy, "when-busy", string(app.GoOn),
		"on a machine that is not quiet: go (mark disturbed cases), wait ("+app.QuietTimeout.String()+" per case at most), or refuse")
	flags.BoolVar(&f.quiet, "quiet-timing", false,
		"read the machine only between laps of sampling, never while something is timed; nothing is shown meanwhile")
	flags.StringVar(&f.throttle, "throttle", "",
		"when the device slows down: pause (cool down, measure the case again), mark, or off (default pause; off on simulated devices)")
	flags.Float64Var(&f.drift, "drift", 0, "how much slower than at the start the anchor, a fixed kernel, may become, in % (default 10)")
	flags.Float64Var(&f.duty, "duty", 0, "duty cycle: share of the time that the device works, in %, idle between bursts of samples (default 100)")
	flags.Float64Var(&f.powerCap, "power-cap", 0, "limit on the device's mean power in W, kept by pauses between bursts of samples; needs a power reading")
	flags.DurationVar(&f.cooldown, "cooldown", 0, "maximum time of one cooldown"+defaults(measure.DefaultCooldown.String(), (measure.DefaultCooldown/6).String()))
}

// throttling returns what the flags say about a device that slows down.
func (f *samplingFlags) throttling() (app.Throttling, error) {
	if err := refuseZeros(f.flags, "drift", "cooldown", "duty", "power-cap"); err != nil {
		return app.Throttling{}, err
	}
	t := app.Throttling{Mode: app.ThrottleMode(f.throttle), Limit: f.drift / 100, Timeout: f.cooldown, Duty: f.duty / 100, PowerCap: f.powerCap}
	if err := t.Check(); err != nil {
		return t, usagef("%v", err)
	}
	return t, nil
}

func (f *samplingFlags) plan() (app.Sampling, app.Policy, error) {
	if err := refuseZeros(f.flags, "precision", "time", "min-samples"); err != nil {
		return app.Sampling{}, "", err
	}
	s := app.Sampling{Precision: f.precision / 50, Time: f.time, MinSamples: f.minSamples, Energy: app.Energy(f.energy), Warmups: f.warmups, WarmupTime: f.warmupTime}
	if f.schedule != "" {
		if s.Precision != 0 || s.Time != 0 || s.MinSamples != 0 || s.Warmups != 0 || s.WarmupTime != 0 {
			return s, "", usagef("--schedule fixes how many samples are taken; leave out --precision, --time, --min-samples, --warmup and --warmup-time")
		}
		var err error
		if s.Schedule, err = measure.ParseSchedule(f.schedule); err != nil {
			return s, "", usagef("%v", err)
		}
	}
	if err := s.Check(); err != nil {
		return s, "", usagef("%v", err)
	}
	policy := app.Policy(f.whenBusy)
	if !slices.Contains(app.Policies(), policy) {
		return s, "", usagef("--when-busy must be go, wait or refuse (you entered %q)", f.whenBusy)
	}
	return s, policy, nil
}

// refuseZeros refuses flags that were given as 0, since internally 0 means the default.
func refuseZeros(flags *pflag.FlagSet, names ...string) error {
	for _, name := range names {
		if f := flags.Lookup(name); f != nil && f.Changed && (f.Value.String() == "0" || f.Value.String() == "0s") {
			return usagef("--%s must be above 0; leave it out for its default", name)
		}
	}
	return nil
}

// sayQuiet reports before a run whether the machine is quiet, and what the run does if it is not.
func (c *command) sayQuiet(ctx context.Context, s *app.Session, p app.Policy) {
	why, known := s.Disturbance(ctx)
	if line := readinessOf(why, known, p); line != "" {
		fmt.Fprintln(c.errOut, "Is this machine quiet? "+line)
	}
}

// readinessOf is readiness, plus how long the cases of a run wait.
func readinessOf(why string, known bool, p app.Policy) string {
	line := readiness(why, known)
	if line != "" && why != "" && p == app.Wait {
		line += fmt.Sprintf(" Each case waits up to %v for it to become quiet.", app.QuietTimeout)
	}
	return line
}

// readiness reports whether a machine is quiet; empty if unknown.
func readiness(why string, known bool) string {
	switch {
	case !known:
		return ""
	case why == "":
		return "Yes."
	}
	return "No: " + strings.TrimSuffix(plain.Text(why), ".") + "."
}
