package workloads

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assay/internal/metric"
	"assay/internal/si"
	"assay/internal/stats"
)

// Metrics that place a result relative to the peaks that were measured on its device.
const (
	Arithmetic    metric.Name = "arithmetic"
	Intensity     metric.Name = "flops_per_byte"
	PeakCompute   metric.Name = "peak_flops_per_s"
	PeakBandwidth metric.Name = "peak_bytes_per_s"
	OfCompute     metric.Name = "share_of_peak_compute"
	OfBandwidth   metric.Name = "share_of_peak_bandwidth"
	BoundBy       metric.Name = "bound_by"
)

// Values of BoundBy.
const (
	BoundCompute   = "compute"
	BoundBandwidth = "bandwidth"
	BoundNeither   = "neither"
)

// boundShare is the share of a peak from which on that peak bounds a result.
const boundShare = 0.5

// placement lists them.
func placement() metric.List {
	return metric.List{
		{
			Name: Arithmetic, Title: "Arithmetic in", Shape: metric.Text,
			About: "Format that the kernel with most of the operations is compiled for.",
		},
		{
			Name: Intensity, Title: "Intensity", Unit: "FLOP/B", Shape: metric.Scalar, Of: Ops, Per: Bytes,
			About: "Arithmetic operations for each byte of modeled traffic.",
		},
		{
			Name: PeakCompute, Title: "Peak compute", Unit: "FLOP/s", Shape: metric.Scalar,
			About: "Highest rate of arithmetic that the workload “peaks” measured on this device in the result’s format or a wider one.",
		},
		{
			Name: PeakBandwidth, Title: "Peak bandwidth", Unit: "B/s", Shape: metric.Scalar,
			About: "Highest bandwidth that the workload “peaks” measured on this device over as many bytes, or more.",
		},
		{
			Name: OfCompute, Title: "Of peak compute", Missing: "the workload Peaks has not measured this device in this format, or operations are not counted", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 7,
			About: "Throughput as a share of the measured peak of arithmetic; there is none before “peaks” has run on this device.",
		},
		{
			Name: OfBandwidth, Title: "Of peak bandwidth", Missing: "the workload Peaks has not measured this device, or traffic is not modeled", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 7,
			About: "Bandwidth as a share of the measured peak; above 1, caches served what the model counts as traffic.",
		},
		{
			Name: BoundBy, Title: "Bound by", Shape: metric.Text, Shown: true, Spare: 6,
			About: "The measured peak that a result comes closer to, if it reaches at least half of it; otherwise “neither”: latency, launches or too little parallel work.",
		},
	}
}

// Peaks are the highest rates that were measured on a device.
type Peaks struct {
	Engine    string        `json:"engine"`
	Device    string        `json:"device"`
	Run       string        `json:"run"` // ID of the run that measured them
	Measured  time.Time     `json:"measured"`
	Compute   []ComputePeak `json:"compute"`
	Bandwidth []LevelPeak   `json:"bandwidth"` // in ascending order of bytes
}

// Reached is a rate, and the variant that reached it.
type Reached struct {
	Rate      float64 `json:"rate"`
	Variant   string  `json:"variant"`
	Disturbed bool    `json:"disturbed,omitempty"` // the rate may be higher on a quiet machine
}

// ComputePeak is the highest arithmetic rate in a format, in FLOP/s.
type ComputePeak struct {
	Format string `json:"format"`
	Reached
}

// LevelPeak is the highest bandwidth over a working set, in B/s.
type LevelPeak struct {
	Bytes float64 `json:"bytes"`
	Reached
}

// beats reports whether r is the better peak: a disturbed one only stands in if there is nothing else.
func (r Reached) beats(other Reached) bool {
	if r.Disturbed != other.Disturbed {
		return other.Disturbed
	}
	return r.Rate > other.Rate
}

// PeaksName is the workload whose results are peaks, PeakAxis its axis of formats, and PeakSet its axis of working sets.
const (
	PeaksName = "peaks"
	PeakAxis  = "peak"
	PeakSet   = "set"
)

// PeaksOf collects the peaks among results; ok is false if there are none.
func PeaksOf(results []Result) (p Peaks, ok bool) {
	for i := range results {
		r := &results[i]
		if r.Workload != PeaksName || r.Status != OK {
			continue
		}
		_, disturbed := r.Disturbed()
		reached := func(of metric.Name) Reached { return Reached{r.Number(of) / r.Time().Median, r.Variant, disturbed} }
		format, _ := r.Setting(PeakAxis).(string)
		if set, is := Number(r.Setting(PeakSet)); is {
			p.addLevel(LevelPeak{set * si.Size("KiB"), reached(Bytes)})
		} else if format != "" {
			p.addCompute(ComputePeak{format, reached(Ops)})
		}
	}
	return p, len(p.Compute)+len(p.Bandwidth) > 0
}

func (p *Peaks) addCompute(c ComputePeak) {
	i := slices.IndexFunc(p.Compute, func(k ComputePeak) bool { return k.Format == c.Format })
	switch {
	case !(c.Rate > 0):
	case i < 0:
		p.Compute = append(p.Compute, c)
	case c.beats(p.Compute[i].Reached):
		p.Compute[i] = c
	}
}

func (p *Peaks) addLevel(l LevelPeak) {
	i := slices.IndexFunc(p.Bandwidth, func(k LevelPeak) bool { return k.Bytes == l.Bytes })
	switch {
	case !(l.Rate > 0):
	case i < 0:
		p.Bandwidth = append(p.Bandwidth, l)
		slices.SortFunc(p.Bandwidth, func(a, b LevelPeak) int { return cmp.Compare(a.Bytes, b.Bytes) })
	case l.beats(p.Bandwidth[i].Reached):
		p.Bandwidth[i] = l
	}
}

// Over returns p, completed by the older peaks where p has nothing, or only something disturbed and less certain.
func (p Peaks) Over(older Peaks) Peaks {
	p.Compute, p.Bandwidth = slices.Clone(p.Compute), slices.Clone(p.Bandwidth)
	for _, c := range older.Compute {
		if i := slices.IndexFunc(p.Compute, func(k ComputePeak) bool { return k.Format == c.Format }); i < 0 {
			p.Compute = append(p.Compute, c)
		} else if p.Compute[i].Disturbed && !c.Disturbed {
			p.Compute[i] = c
		}
	}
	for _, l := range older.Bandwidth {
		if i := slices.IndexFunc(p.Bandwidth, func(k LevelPeak) bool { return k.Bytes == l.Bytes }); i < 0 || p.Bandwidth[i].Disturbed && !l.Disturbed {
			p.addLevel(l)
		}
	}
	return p
}

func (p *Peaks) rate(format string) (Reached, bool) {
	for _, c := range p.Compute {
		if c.Format == format {
			return c.Reached, true
		}
	}
	return Reached{}, false
}

// computeOf returns the highest arithmetic rate for a format: data stored in a format narrower than f32 may be computed in a wider one.
func (p *Peaks) computeOf(format string) (best Reached, known bool) {
	formats := []string{format, "f32"}
	if format != "f32" && format != "f16" && format != "bf16" { // codes, which kernels convert to floats or multiply as they are
		formats = []string{"f32", "f16", "bf16", "int8"}
	}
	for _, f := range formats {
		if r, is := p.rate(f); is && r.Rate > best.Rate {
			best, known = r, true
		}
	}
	return best, known
}

// bandwidthOf returns the highest bandwidth over at least that many bytes: a larger working set is faster only by chance.
func (p *Peaks) bandwidthOf(bytes float64) (best Reached, known bool) {
	for i, l := range p.Bandwidth {
		if (l.Bytes >= bytes || i == len(p.Bandwidth)-1) && l.Rate > best.Rate {
			best, known = l.Reached, true
		}
	}
	return best, known
}

// fromMemory is the setting "operands" of results whose operands no cache holds, however small they are.
const fromMemory = "memory"

// Place sets the metrics of a result that relate it to the peaks.
func (p *Peaks) Place(r *Result) {
	if r.Status != OK || !(r.Time().Median > 0) {
		return
	}
	v, bytes, disturbed := &r.Values, r.Number(Bytes), false
	if format := v.Text(Arithmetic); format != "" && r.Number(Ops) > 0 {
		if peak, known := p.computeOf(format); known {
			v.SetNumber(PeakCompute, peak.Rate)
			v.SetNumber(OfCompute, r.Number(Ops)/r.Time().Median/peak.Rate)
			disturbed = peak.Disturbed
		}
	}
	over := bytes
	if r.Setting("operands") == fromMemory {
		over = math.Inf(1)
	}
	if peak, known := p.bandwidthOf(over); known && bytes > 0 {
		v.SetNumber(PeakBandwidth, peak.Rate)
		v.SetNumber(OfBandwidth, bytes/r.Time().Median/peak.Rate)
		disturbed = disturbed || peak.Disturbed
	}
	v.SetText(BoundBy, bound(v.Number(OfCompute), v.Number(OfBandwidth)))
	if disturbed {
		r.Warn(PeaksDisturbed, "shares of peaks may be too high: a peak was measured while the machine was disturbed")
	}
}

// bound returns which of two shares bounds a result; empty if none is known.
func bound(compute, bandwidth float64) string {
	switch {
	case math.IsNaN(compute) && math.IsNaN(bandwidth):
		return ""
	case compute >= boundShare && !(bandwidth > compute):
		return BoundCompute
	case bandwidth >= boundShare:
		return BoundBandwidth
	}
	return BoundNeither
}

// Peak returns the finding of the highest rate among results of one format, or none without a result.
func Peak(name string, of metric.Name, unit string, results []Result) []Finding {
	c := &Curve{Of: of, Unit: unit, Subject: Subject{Name: name}}
	for _, r := range results {
		if r.Status == OK {
			c.Results = append(c.Results, r)
		}
	}
	if len(c.Results) == 0 {
		return nil
	}
	if f, is := c.disturbed(); is {
		return f
	}
	best := 0
	for i := range c.Results {
		if c.value(i).Median > c.value(best).Median {
			best = i
		}
	}
	f := c.finding(KindPeak, best)
	f.Facts.Subject.Way = c.Results[best].Variant
	for i := range c.Results {
		if v := c.value(i); i != best {
			f.Facts.Judged = append(f.Facts.Judged, Judged{Variant: c.Results[i].Variant, Speed: stats.Quotient(v, f.Facts.Value)})
		}
	}
	return []Finding{f}
}
