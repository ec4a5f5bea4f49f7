package desk

import (
	"fmt"
	"time"

	"assay/app"
	"assay/workloads"
)

// SamplingChoice is a setting of how runs are measured: a title, what it does, and its options, the default first.
type SamplingChoice struct {
	Title, About string
	name         string // in the settings
	options      []samplingOption
}

// samplingOption is an option in words, and how it changes a request; nil: it does not.
type samplingOption struct {
	title string
	apply func(r *app.Request)
}

// SamplingChoices lists the settings of how runs are measured.
func SamplingChoices() []SamplingChoice {
	precise := func(title string, half float64) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Sampling.Precision = 2 * half }}
	}
	lasting := func(title string, d time.Duration) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Sampling.Time = d }}
	}
	taking := func(title string, n int) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Sampling.MinSamples = n }}
	}
	when := func(title string, p app.Policy) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.WhenBusy = p }}
	}
	meet := func(title string, t workloads.Target) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Target = t }}
	}
	within := func(watts float64) samplingOption {
		return meet(fmt.Sprintf("Within %g W", watts), workloads.Target{Name: workloads.TargetWithin, Watts: watts})
	}
	slow := func(title string, m app.ThrottleMode) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Throttling.Mode = m }}
	}
	cooling := func(title string, d time.Duration) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Throttling.Timeout = d }}
	}
	working := func(percent float64) samplingOption {
		return samplingOption{fmt.Sprintf("%g %%", percent), func(r *app.Request) { r.Throttling.Duty = percent / 100 }}
	}
	capped := func(watts float64) samplingOption {
		return samplingOption{fmt.Sprintf("%g W", watts), func(r *app.Request) { r.Throttling.PowerCap = watts }}
	}
	warming := func(title string, n int, d time.Duration) samplingOption {
		return samplingOption{title, func(r *app.Request) { r.Sampling.Warmups, r.Sampling.WarmupTime = n, d }}
	}
	return []SamplingChoice{
		{
			"Target precision", "Sampling of a case ends when every interval is this narrow, or its time is up.", "sampling.precision",
			[]samplingOption{{title: "± 0.5 %"}, precise("± 0.2 %", 0.002), precise("± 1 %", 0.01), precise("± 2 %", 0.02), precise("± 5 %", 0.05)},
		}, {
			"Time per case", "For one or two variants; more variants take longer. Automatic is 4 s, with Quick 0.7 s.", "sampling.time",
			[]samplingOption{
				{title: "Automatic"},
				lasting("1 s", time.Second), lasting("4 s", 4*time.Second), lasting("10 s", 10*time.Second),
				lasting("30 s", 30*time.Second), lasting("2 min", 2*time.Minute),
			},
		}, {
			"Minimum samples", "For each variant, unless time runs out first.", "sampling.samples",
			[]samplingOption{{title: "100"}, taking("30", 30), taking("300", 300), taking("1 000", 1000)},
		}, {
			"Warm-up", "Each variant is warmed up until its times are stable, but at least this much, on top of the time per case.", "sampling.warmup",
			[]samplingOption{
				{title: "Until stable"},
				warming("50 samples", 50, 0), warming("500 samples", 500, 0),
				warming("1 s", 0, time.Second), warming("5 s", 0, 5*time.Second), warming("30 s", 0, 30*time.Second),
			},
		}, {
			"Energy", "Automatic measures it where power is measured, after the time of each case: five bursts of one to two seconds of each variant.", "sampling.energy",
			[]samplingOption{
				{title: "Off"},
				{"Automatic", func(r *app.Request) { r.Sampling.Energy = app.EnergyAuto }},
			},
		}, {
			"Target", "What a run chooses among its configurations, as a finding. Most per watt and Within measure energy, too; where it cannot be measured, they say why.", "sampling.target",
			[]samplingOption{
				{title: "None"},
				meet("Fastest", workloads.Target{Name: workloads.TargetFastest}), meet("Most per watt", workloads.Target{Name: workloads.TargetPerWatt}),
				within(15), within(30), within(60), within(120), within(250), within(500),
			},
		}, {
			"On a busy machine", "Disturbed samples are always taken again within the time of a case. Wait lets each case wait up to " +
				fmt.Sprintf("%.0f s", app.QuietTimeout.Seconds()) + " for a quiet machine; Refuse does not start on a busy one.", "sampling.busy",
			[]samplingOption{when("Go on", app.GoOn), when("Wait", app.Wait), when("Refuse", app.Refuse)},
		}, {
			"Quiet mode", "When on, the monitor reads nothing and the window redraws nothing while samples are taken: both wait for the next pause between laps of sampling. " +
				"Automatic turns it on where kernels run on the processor, which also draws the window, except for series that take minutes.", "sampling.quiet",
			[]samplingOption{
				{"Automatic", func(r *app.Request) { r.QuietOnHost = true }},
				{"On", func(r *app.Request) { r.Quiet = true }},
				{title: "Off"},
			},
		}, {
			"Kernels", "Tuned replaces the defaults by what the workload Tuning found for the same sizes on this device; results say so. Kernels, Tuned lists it.",
			"kernels.tuned",
			[]samplingOption{{title: "Defaults"}, {"Tuned", func(r *app.Request) { r.Tuned = true }}},
		}, {
			"Compare with another engine", "CPU measures each workload on the CPU engine first: results show their speedup over it, with its device, threads and build. " +
				"A run takes twice as long.", "sampling.beside",
			[]samplingOption{{title: "None"}, {"CPU", func(r *app.Request) { r.Beside = "cpu" }}},
		}, {
			"On a device that slows down", "A fixed kernel, the anchor, is timed at the start and after cases. Where it has become 10 % slower, Pause discards the " +
				"case, cools down and measures it again; Mark keeps and marks it.", "sampling.throttling",
			[]samplingOption{{title: "Pause"}, slow("Mark", app.ThrottleMark), slow("Off", app.ThrottleOff)},
		}, {
			"Cool down for at most", "Each time. Automatic is 1 min, with Quick 10 s.", "sampling.cooldown",
			[]samplingOption{{title: "Automatic"}, cooling("10 s", 10*time.Second), cooling("1 min", time.Minute), cooling("5 min", 5*time.Minute)},
		}, {
			"Duty cycle", "Share of the time that the device works. It is idle between bursts of samples; results state the share, and that clocks may differ from steady work.",
			"sampling.duty",
			[]samplingOption{{title: "All the time"}, working(75), working(50), working(25), working(10)},
		}, {
			"Power cap", "Pauses between bursts of samples keep the device’s mean power below this. If power is not measured, or the idle device uses more, a run says so and does not start.",
			"sampling.powercap",
			[]samplingOption{{title: "None"}, capped(15), capped(30), capped(60), capped(120), capped(250), capped(500)},
		},
	}
}

// Options are the options in words.
func (c *SamplingChoice) Options() []string {
	titles := make([]string, len(c.options))
	for i := range c.options {
		titles[i] = c.options[i].title
	}
	return titles
}

// Chosen returns the index of the option in force.
func (c *SamplingChoice) Chosen(s Settings) int { return s.Choice(c.name, c.Options()...) }

// Choose remembers an option for the next runs.
func (c *SamplingChoice) Choose(s Settings, i int) { s.SetChoice(c.name, c.options[i].title) }

// sampled returns a request with the chosen options.
func (d *Desk) sampled(r app.Request) app.Request {
	for _, c := range SamplingChoices() {
		if apply := c.options[c.Chosen(d.Settings)].apply; apply != nil {
			apply(&r)
		}
	}
	return d.scheduled(r)
}
