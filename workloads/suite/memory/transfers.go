package memory

import (
	"context"
	"fmt"
	"math/rand/v2"

	"assay/gpu"
	"assay/internal/chart"
	"assay/internal/metric"
	"assay/internal/si"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/bench"
)

// payloadRate is a metric of this workload.
const payloadRate metric.Name = "payload_bytes_per_s"

// What is measured: the values of the parameter part, and of its axis.
const (
	partMoves   = "moves"
	partStorage = "storage"
	partOnce    = "once"
	partReuse   = "reuse"
)

// Transfers measures moving data between the host and the device, and shows when not to.
func Transfers() workloads.Workload {
	return workloads.Workload{
		Name: "transfers", Title: "Transfers", Group: "Memory",
		About:    "Moving data to the device and back: at once, in pieces, streamed, between storage modes, or not at all.",
		Question: "What does moving data to the device cost, and when does using it in place pay off?",
		Params: []workloads.Param{
			{
				Name: "part", Title: "Part", Type: workloads.Choice, Role: workloads.RolePlan, All: all, Default: all,
				Choices: []workloads.Option{
					{Value: all},
					{Value: partMoves, Title: "Moves", Axis: "size", Typical: true, About: "Upload, readback, copies between storage modes, pieces and a stream of chunks."},
					{Value: partStorage, Title: "Storage", Axis: "size", About: "A kernel on private memory, on shared memory, and on host memory."},
					{Value: partOnce, Title: "Used once", Axis: "size", About: "Upload and use, against use in place, by size."},
					{Value: partReuse, Title: "Used again", Axis: "reuse", About: "Upload and use, against use in place, by number of uses."},
				},
				About: "What to measure, or all in turn.",
			},
			sizeEnd("min_size", "Smallest transfer", "Bytes of the smallest case; the sweep doubles up to the largest.", 4),
			sizeEnd("max_size", "Largest transfer", "Bytes of the largest case.", 64<<10),
			reuseEnd("min_reuse", "Fewest uses", "How often kernels read the uploaded data in the first case; the sweep doubles it.", 1),
			reuseEnd("max_reuse", "Most uses", "How often kernels read it in the last case.", 64),
			{
				Name: "reused", Title: "Reused", Type: workloads.Int, Unit: "KiB", Min: 4, Max: 1 << 20, Log2: true, Role: workloads.RoleCase, Default: 16 << 10,
				Sweeps: []string{"reuse"}, About: "Bytes that are uploaded once and used several times.",
			},
			{
				Name: "piece", Title: "Piece", Type: workloads.Int, Unit: "KiB", Min: 1, Max: 1 << 20, Log2: true, Role: workloads.RoleVariant, Default: 4,
				Sweeps: []string{"size"}, About: "Bytes of each of many small transfers.",
			},
			{
				Name: "chunk", Title: "Chunk", Type: workloads.Int, Unit: "KiB", Min: 1, Max: 1 << 20, Log2: true, Role: workloads.RoleVariant, Default: 1024,
				Sweeps: []string{"size"}, About: "Bytes per chunk of the streamed transfer, which keeps two in flight.",
			},
		},
		Axes: []workloads.Axis{
			{Name: "part", Title: "Part"},
			{Name: "size", Title: "Size", Unit: "KiB"},
			{Name: "reuse", Title: "Uses", Unit: "uses"},
			bench.FoundOperands(),
		},
		Metrics: metric.List{{
			Name: payloadRate, Title: "Data rate", Unit: "B/s", Shape: metric.Interval, Better: metric.More, Shown: true,
			About: "Bytes transferred per second, each counted once; for kernels, bytes read.", Of: workloads.Items, Per: workloads.Time,
		}},
		Sweeps: []workloads.Sweep{
			{
				Axis: "size", From: "min_size", To: "max_size", Steps: workloads.Doubling, Title: "Transfer",
				About: "Bytes of a transfer; the sweep doubles them.",
			},
			{
				Axis: "reuse", From: "min_reuse", To: "max_reuse", Steps: workloads.Doubling, Title: "Uses",
				About: "How often kernels read the uploaded data; the sweep doubles it.",
			},
		},
		Quick: transfersQuick(),
		Presets: []workloads.Preset{
			workloads.QuickLook("A few sizes and uses; takes seconds.", transfersQuick()),
			{
				Name: "zero-copy", Title: "Zero copy", About: "Upload against use in place, of 64 MiB that kernels read up to 256 times.",
				Values: workloads.Values{"part": partReuse, "reused": 64 << 10, "max_reuse": 256},
			},
		},
		Variants: func(workloads.Values) int { return 6 },
		Run:      bench.Run(runTransfers),
		Views: []chart.View{
			{
				Facet: "part", X: chart.Enc{Of: "size", Scale: chart.Log2}, Y: chart.Enc{Of: string(payloadRate)}, Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "reuse", Scale: chart.Log2}, Y: chart.Enc{Of: string(payloadRate)}, Layers: []chart.Layer{chart.Lines{}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "size", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup)},
				Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
			},
			{
				Facet: "part", X: chart.Enc{Of: "reuse", Scale: chart.Log2}, Y: chart.Enc{Of: string(workloads.Speedup)},
				Layers: []chart.Layer{chart.Lines{}, chart.Rule{Y: 1, Label: "no difference"}},
			},
		},
	}
}

func sizeEnd(name, title, about string, value int) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: "KiB", Min: 1, Max: 1 << 20, Log2: true, Role: workloads.RoleSweep, Default: value, About: about,
	}
}

func reuseEnd(name, title, about string, value int) workloads.Param {
	return workloads.Param{
		Name: name, Title: title, Type: workloads.Int, Unit: "uses", Min: 1, Max: 1024, Log2: true, Role: workloads.RoleSweep, Default: value, About: about,
	}
}

func transfersQuick() map[string]any {
	return map[string]any{"min_size": 64, "max_size": 4 << 10, "max_reuse": 16, "reused": 1 << 10}
}

// transfer is one way to get data to where it is used; the first of a part is the baseline of the others.
type transfer struct {
	name, words string
	work        func(m *moved) (bench.Work, error)
	still       bool // nothing moves: there is a time, but no rate to compare
}

// transferPart is what one part compares.
type transferPart struct {
	name, subject string
	ways          []transfer
}

func transferParts() []transferPart {
	return []transferPart{
		{partMoves, "Moving data", []transfer{
			{name: "upload", words: "an upload", work: upload(func(m *moved) int { return len(m.sent) })},
			{name: "readback", words: "a readback", work: readback},
			{name: "small uploads", words: "many small uploads", work: upload(func(m *moved) int { return m.piece })},
			{name: "streamed", words: "an upload streamed in chunks", work: streamed},
			{name: "to private", words: "a copy from shared to private memory", work: migrate(gpu.Shared, gpu.Private)},
			{name: "to shared", words: "a copy from private to shared memory", work: migrate(gpu.Private, gpu.Shared)},
			{name: "wrap", words: "wrapping host memory in a buffer without a copy", work: wrap, still: true},
		}},
		{partStorage, "A kernel that reads its data", []transfer{
			{name: "private", words: "private memory", work: reads(func(m *moved) (gpu.Buffer, error) { return m.filled(gpu.Private) })},
			{name: "shared", words: "shared memory", work: reads(func(m *moved) (gpu.Buffer, error) { return m.filled(gpu.Shared) })},
			{name: "no copy", words: "host memory without a copy", work: reads((*moved).inPlace)},
		}},
		{partOnce, "Data used once", usedWays()},
		{partReuse, "Data used again", usedWays()},
	}
}

func usedWays() []transfer {
	return []transfer{
		{name: "upload", words: "an upload", work: uses}, {name: "no copy", words: "use in place", work: usesInPlace},
	}
}

func partNamed(name string) *transferPart {
	for _, p := range transferParts() {
		if p.name == name {
			return &p
		}
	}
	return nil
}

func (p *transferPart) wordsOf(variant string) string {
	for i := range p.ways {
		if p.ways[i].name == variant {
			return p.ways[i].words
		}
	}
	return variant
}

func runTransfers(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	err := b.MeasurePoints(ctx, v, func(at workloads.Point) bench.Case { return transferCase(at, v) })
	if err != nil {
		return err
	}
	for _, p := range transferParts() {
		p.find(b)
	}
	return nil
}

// find reports the cost of each way, and from where on a copy pays.
func (p *transferPart) find(b *bench.Bench) {
	for _, axis := range []string{"size", "reuse"} {
		curve := &workloads.Curve{Axis: b.Workload.Axis(axis), Of: payloadRate, Unit: "B/s"}
		curve.Subject = workloads.Subject{Name: p.subject, Baseline: p.ways[0].words}
		for _, r := range b.Results() {
			if r.Setting("part") == p.name && r.Setting(axis) != nil && r.Status == workloads.OK {
				curve.Results = append(curve.Results, r)
			}
		}
		if len(p.ways) > 2 {
			curve.Readings = curve.Rate
			b.Find(curve.Costs(p.wordsOf)...)
			continue
		}
		gain := &workloads.Curve{Axis: curve.Axis, Of: workloads.Speedup, Subject: curve.Subject}
		gain.Subject.Way = p.ways[1].words
		for _, r := range curve.Results {
			if r.Speedup().Bounded() {
				gain.Results = append(gain.Results, r)
			}
		}
		b.Find(gain.Crossover()...)
	}
}

// moved is what the ways of a case share.
type moved struct {
	*bench.Scope
	sent         []byte // the data to move: floats
	piece, chunk int    // bytes
	uses         int    // of the uploaded data
}

func transferCase(at workloads.Point, v workloads.Values) bench.Case {
	part := partNamed(at.String("part"))
	m := &moved{piece: v.Int("piece") << 10, chunk: v.Int("chunk") << 10, uses: 1}
	kib, label := v.Int("reused"), ""
	if n, ok := at.Value("size").(int); ok {
		kib = n
	} else {
		m.uses = at.Int("reuse")
		label = fmt.Sprintf(", %s", si.Counted(m.uses, "use"))
	}
	return bench.Case{
		Name: fmt.Sprintf("%s %s", part.name, si.Format(float64(kib)*si.Size("KiB"), "iB")) + label, Settings: at,
		Build: func(s *bench.Scope) ([]bench.Variant, error) {
			m.Scope = s
			var err error
			if m.sent, err = s.Pages(kib << 10); err != nil {
				return nil, err
			}
			m.sent = m.sent[:kib<<10]
			shaders.View{Type: shaders.F32, Data: m.sent}.FillUniform(rand.New(rand.NewPCG(1, uint64(kib))))
			return part.variants(m), nil
		},
	}
}

// variants are the ways; those that the engine does not support appear once per run.
func (p *transferPart) variants(m *moved) []bench.Variant {
	var list []bench.Variant
	for i, way := range p.ways {
		v := bench.Variant{Name: way.name}
		if !way.still {
			v.Items = float64(m.uses * len(m.sent))
		}
		if i > 0 && !way.still {
			v.Baseline = p.ways[0].name
		}
		v.Work, v.Err = way.work(m)
		if v.Err != nil && !m.Tells(p.name+way.name) {
			continue
		}
		list = append(list, v)
	}
	return list
}
