package workloads

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/gpu"
	"assay/internal/metric"
	"assay/internal/si"
)

// Metrics that relate a result to what was published about its device.
const (
	SpecCompute     metric.Name = "spec_flops_per_s"
	SpecBandwidth   metric.Name = "spec_bytes_per_s"
	OfSpecCompute   metric.Name = "share_of_spec_compute"
	OfSpecBandwidth metric.Name = "share_of_spec_bandwidth"
	Specification   metric.Name = "specification"
)

// specified lists them.
func specified() metric.List {
	return metric.List{
		{
			Name: SpecCompute, Title: "Compute by specification", Unit: "FLOP/s", Shape: metric.Scalar,
			About: "Highest published rate of arithmetic of this device in the result’s format.",
		},
		{
			Name: SpecBandwidth, Title: "Bandwidth by specification", Unit: "B/s", Shape: metric.Scalar,
			About: "Published memory bandwidth of this device, or the bandwidth that its driver’s clock and bus width give.",
		},
		{
			Name: OfSpecCompute, Title: "Of specified compute", Missing: "no rate in this format was published for this device, or operations are not counted", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 8,
			About: "Throughput as a share of the published rate of arithmetic in the same format.",
		},
		{
			Name: OfSpecBandwidth, Title: "Of specified bandwidth", Missing: "no bandwidth is known for this device, or traffic is not modeled", Unit: "ratio", Shape: metric.Scalar, Better: metric.More, Shown: true, Spare: 8,
			About: "Bandwidth as a share of the specified bandwidth; above 1, caches served what the model counts as traffic.",
		},
		{
			Name: Specification, Title: "Specification", Shape: metric.Text,
			About: "The published rate of arithmetic that the share refers to, and who published it.",
		},
	}
}

// SpecRate is a published arithmetic rate in a format, in FLOP/s, and the units that reach it if not the ordinary ones.
type SpecRate struct {
	Format string
	Rate   float64
	With   string
}

// Spec is what was published about a device, without sparsity.
type Spec struct {
	Rates     []SpecRate
	By        string  // who published the rates
	Bandwidth float64 // of memory, in B/s; 0: not known
}

// specRow is what was published about devices whose name begins with one of several prefixes.
type specRow struct {
	names []string
	cores int // of the bin that is meant; 0: there is only one
	rates []SpecRate
	by    string
}

// specRows lists the published rates. Apple has announced those of some chips, for their largest bin; reviewers have published those of
// others, as cores times clock, and rates in f16 for none. NVIDIA’s come from its architecture whitepapers (A100, 2020; H100 SXM, 2022) and the
// data sheets of the H200 and of the H100 PCIe, at the boost clock. Only what is listed is known: nothing is inferred from similar devices.
func specRows() []specRow {
	const (
		apple, reviews = "announced by Apple", "published by reviewers, not by Apple"
		paper, sheet   = "NVIDIA’s whitepaper, at boost clock", "NVIDIA’s data sheet, at boost clock"
		tensor         = "tensor cores"
		tera           = 1e12
	)
	f32 := func(rate float64) []SpecRate { return []SpecRate{{"f32", rate, ""}} }
	card := func(by string, single, half float64, names ...string) specRow {
		return specRow{names, 0, append(f32(single), SpecRate{"f16", half, tensor}, SpecRate{"bf16", half, tensor}), by}
	}
	chip := func(name string, cores int, rate float64, by string) specRow {
		return specRow{[]string{"Apple " + name}, cores, f32(rate), by}
	}
	return []specRow{
		chip("M1", 8, 2.6*tera, apple), chip("M1 Pro", 16, 5.2*tera, apple), chip("M1 Max", 32, 10.4*tera, apple), chip("M2", 10, 3.6*tera, apple),
		chip("M2 Max", 38, 13.6*tera, reviews), chip("M3", 10, 3.6*tera, reviews), chip("M3 Pro", 18, 6.4*tera, reviews), chip("M3 Max", 40, 14.3*tera, reviews),
		chip("M4", 10, 3.7*tera, reviews), chip("M4 Pro", 20, 7.5*tera, reviews), chip("M4 Max", 40, 17.2*tera, reviews),
		card(paper, 19.5*tera, 312*tera, "NVIDIA A100-SXM4-40GB", "NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB", "NVIDIA A100 80GB PCIe"),
		card(paper, 66.9*tera, 989.4*tera, "NVIDIA H100 80GB HBM3"),
		card(sheet, 66.9*tera, 989.4*tera, "NVIDIA H200"),
		card(sheet, 51.2*tera, 756*tera, "NVIDIA H100 PCIe"),
	}
}

// SpecOf returns what is known about a device's specification; empty for a simulated device.
func SpecOf(i *gpu.Info) Spec {
	if i.Simulated {
		return Spec{}
	}
	s := Spec{Bandwidth: i.Bandwidth}
	for _, row := range specRows() {
		if slices.Contains(row.names, i.Device) && (row.cores == 0 || row.cores == i.Cores) {
			s.Rates, s.By = row.rates, row.by
		}
	}
	return s
}

// String lists the rates and who published them; empty if none is known.
func (s *Spec) String() string {
	if len(s.Rates) == 0 {
		return ""
	}
	var list []string
	for _, r := range s.Rates {
		list = append(list, r.String())
	}
	return strings.Join(list, ", ") + " (" + s.By + ")"
}

// String returns the rate for people: "f16 989 TFLOP/s with tensor cores".
func (r SpecRate) String() string {
	text := r.Format + " " + si.Format(r.Rate, "FLOP/s")
	if r.With != "" {
		text += " with " + r.With
	}
	return text
}

// Place sets the metrics of a result that relate it to the specification. It is compared only with rates in its own format.
func (s *Spec) Place(r *Result) {
	if r.Status != OK || !(r.Time().Median > 0) {
		return
	}
	v, format := &r.Values, r.Values.Text(Arithmetic)
	if i := slices.IndexFunc(s.Rates, func(k SpecRate) bool { return k.Format == format }); i >= 0 && r.Number(Ops) > 0 {
		v.SetNumber(SpecCompute, s.Rates[i].Rate)
		v.SetNumber(OfSpecCompute, r.Number(Ops)/r.Time().Median/s.Rates[i].Rate)
		v.SetText(Specification, fmt.Sprintf("%s, %s", s.Rates[i], s.By))
	} else if format != "" && r.Number(Ops) > 0 {
		v.SetText(Specification, fmt.Sprintf("not available: no published rate of arithmetic in %s is known for this device", format))
	}
	if bytes := r.Number(Bytes); s.Bandwidth > 0 && bytes > 0 && !math.IsInf(bytes, 0) {
		v.SetNumber(SpecBandwidth, s.Bandwidth)
		v.SetNumber(OfSpecBandwidth, bytes/r.Time().Median/s.Bandwidth)
	}
}
