package memory

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/bench/benchtest"
	"assay/workloads/measure"
	"assay/workloads/quant/weighttest"
)

// tiny is a model whose bytes can be computed by hand.
func tiny() workloads.Values {
	return workloads.Values{
		"layers": 2, "hidden": 8, "heads": 2, "kv_heads": 1, "ffn": 16, "vocab": 10, "weights": "f32", "cache": "f16", "tokens": 4, "attention": "naive",
		"min_batch": 1, "max_batch": 4, "min_context": 16, "max_context": 64,
	}
}

// Bytes of the tiny model: embeddings 2 · 10 · 8 · 4; a layer has 2 · 8 · 8 and 2 · 4 · 8 elements of attention, 3 · 16 · 8 of the
// feed-forward layer, and norms of 32 B.
const (
	tinyWeights = 2*320 + 2*(4*(128+64+384)+32)
	tinyCache   = 2 * 2 * 16 * 4 * 2                      // for a request with 16 tokens
	tinyActive  = 4 * 2 * (8 + 8 + (8 + 8) + 8 + 16 + 16) // for a request
	tinyLogits  = 4 * 10
	tinyScores  = 4 * 2 * 4 * 16
)

func TestPlanAllocatesByCategory(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Plan(), tiny().With(workloads.Values{"budget": 0.001})); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	sum, totals := 0.0, 0
	for i := range b.Measured {
		r := &b.Measured[i]
		n := 1.0
		if batch, ok := r.Setting("batch").(int); ok {
			n = float64(batch)
		}
		long := 1.0
		if context, ok := r.Setting("context").(int); ok {
			long = float64(context) / 16
		}
		want := map[string]float64{
			"weights": tinyWeights, "KV cache": n * long * tinyCache, "activations": n * tinyActive, "temporary": n * (tinyLogits + long*tinyScores), whole: sum,
		}[r.Variant]
		if got := r.Number(workloads.HeldBytes); r.Status != workloads.OK || got != want {
			t.Errorf("%s, %s: %s %q, %g B, want %g", r.Case, r.Variant, r.Status, r.Failure.Text, got, want)
		}
		sum += want
		if r.Variant == whole {
			if left := r.Number(room); math.Abs(left-(1e6-want)) > 1 {
				t.Errorf("%s leaves %g B, want %g", r.Case, left, 1e6-want)
			}
			sum, totals = 0, totals+1
		}
	}
	if totals != 3+3+2 { // two sweeps, and the largest of each
		t.Errorf("%d plans, want 8", totals)
	}
}

// A plan that does not fit is a row with the size it needs; the finding names the last one that fits and the first that does not.
func TestPlanFindsTheLargestThatFits(t *testing.T) {
	one := float64(tinyCache + tinyActive + tinyLogits + tinyScores)
	b := benchtest.New(t, gputest.Script{})
	set := tiny().With(workloads.Values{"grow": growBatch, "budget": (tinyWeights + 3.5*one) / 1e9})
	if err := b.Run(t.Context(), t, Plan(), set); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	wantRow := fmt.Sprintf("it takes %s, %s more than the budget of %s", si.Bytes(tinyWeights+4*one), si.Bytes(one/2), si.Bytes(tinyWeights+3.5*one))
	for i := range b.Measured {
		r := &b.Measured[i]
		if beyond := r.Variant == whole && r.Setting("batch") == 4; beyond != (r.Status == workloads.Unsupported) {
			t.Errorf("%s, %s is %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
		} else if beyond && (!strings.Contains(r.Failure.Text, wantRow) || math.Abs(r.Number(room)+one/2) > 1) {
			t.Errorf("%s: %q, room for %g B", r.Case, r.Failure.Text, r.Number(room))
		}
	}
	want := fmt.Sprintf("up to a batch of 3, which takes %s; a batch of 4 exceeds the limit by %s.", si.Bytes(tinyWeights+3*one), si.Bytes(one/2))
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, want) {
		t.Errorf("findings %+v, want %q", b.Findings, want)
	}
}

func TestPlanThatNeverFits(t *testing.T) {
	b := benchtest.New(t, gputest.Script{})
	if err := b.Run(t.Context(), t, Plan(), tiny().With(workloads.Values{"grow": growContext, "budget": 1e-6})); err != nil {
		t.Fatal(err)
	}
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, "does not fit into 1.00 kB: a context of 16 tokens exceeds that by") {
		t.Errorf("findings %+v", b.Findings)
	}
	for i := range b.Findings {
		if b.Findings[i].Mark(b.Measured) {
			t.Errorf("a row that does not fit is marked %q", b.Findings[i].Kind)
		}
	}
}

// If the machine has less than the budget, the plan finds where its memory ends, with few allocations.
func TestPlanFindsTheEndOfMemory(t *testing.T) {
	one := float64(tinyCache + tinyActive + tinyLogits + tinyScores)
	for _, tc := range []struct {
		memory float64
		want   string
		rows   string // batches of the plan that could be allocated, and that could not
	}{
		{tinyWeights + 300.5*one, fmt.Sprintf("is the limit: a batch of 300, which takes %s, was allocated; a batch of 301, which takes %s, was refused.", si.Bytes(tinyWeights+300*one), si.Bytes(tinyWeights+301*one)), "[1 300] []"},
		{tinyWeights + 1.5*one, fmt.Sprintf("is the limit: a batch of 1, which takes %s, was allocated; a batch of 2, which takes %s, was refused.", si.Bytes(tinyWeights+one), si.Bytes(tinyWeights+2*one)), "[1] []"},
		{tinyWeights + one/2, fmt.Sprintf("is the limit: even a batch of 1, which takes %s, was refused.", si.Bytes(tinyWeights+one)), "[] [1]"},
	} {
		b := benchtest.New(t, gputest.Script{MemoryLimit: int64(tc.memory)})
		set := tiny().With(workloads.Values{"grow": growBatch, "budget": 0.02, "max_batch": 1})
		if err := b.Run(t.Context(), t, Plan(), set); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		var ok, not []int
		for i := range b.Measured {
			switch r := &b.Measured[i]; {
			case r.Status != workloads.OK && r.Status != workloads.Unsupported:
				t.Errorf("%s, %s is %s %q", r.Case, r.Variant, r.Status, r.Failure.Text)
			case r.Variant == whole && r.Status == workloads.OK:
				ok = append(ok, r.Setting(growBatch).(int))
			case r.Variant == whole:
				not = append(not, r.Setting(growBatch).(int))
			}
		}
		if rows := fmt.Sprint(ok, not); rows != tc.rows {
			t.Errorf("with %s: plans of batches %s, want %s", si.Bytes(tc.memory), rows, tc.rows)
		}
		want := ": this machine’s memory, not the budget of 20.0 MB, " + tc.want
		if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, want) {
			t.Errorf("with %s: findings %+v, want %q", si.Bytes(tc.memory), b.Findings, want)
		} else if marks := b.Findings[0].Mark(b.Measured); marks != (len(ok) > 0) {
			t.Errorf("with %s: a row is marked: %t", si.Bytes(tc.memory), marks)
		}
	}
}

// However much memory there is, the search makes few allocations, and the answer is close.
func TestHuntTakesFewAllocations(t *testing.T) {
	one := float64(tinyCache + tinyActive + tinyLogits + tinyScores)
	w := Plan()
	v := w.Defaults(true).With(tiny())
	m, err := planned(v)
	if err != nil {
		t.Fatal(err)
	}
	for fits := 1; fits < 4000; fits += 1 + fits/3 {
		b := benchtest.New(t, gputest.Script{MemoryLimit: int64(tinyWeights + (float64(fits)+0.5)*one)})
		h := hunt{plan: &plan{bench: bench.New(b.Env), v: v, model: m}, along: growBatch, full: math.Inf(1)}
		if err := h.run(t.Context(), 5000); err != nil {
			t.Fatal(err)
		}
		b.NoLive(t)
		if most := (1 + tries) * len(m.buffers(1, 16)); b.Engine.Allocations() > most {
			t.Errorf("%d fit: %d buffers allocated, want at most %d", fits, b.Engine.Allocations(), most)
		}
		if h.good > fits || h.bad <= fits || h.bad-h.good > 1+fits/25 || h.by != machineMemory {
			t.Errorf("%d fit: found %d to %d, by %s", fits, h.good, h.bad, h.by)
		}
	}
}

// scarce is an engine whose memory other programs may take.
type scarce struct {
	gpu.Engine
	gone bool
}

func (s *scarce) NewBuffer(bytes int, storage gpu.Storage, label string) (gpu.Buffer, error) {
	if s.gone {
		return nil, gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "%q: %d B", label, bytes)
	}
	return s.Engine.NewBuffer(bytes, storage, label)
}

// If other programs take memory while the largest plan is timed, that is not an error and does not change what was found.
func TestPlanWhoseMemoryGoes(t *testing.T) {
	one := float64(tinyCache + tinyActive + tinyLogits + tinyScores)
	b := benchtest.New(t, gputest.Script{MemoryLimit: int64(tinyWeights + 300.5*one)})
	engine := &scarce{Engine: b.Engine}
	b.Env.Engine = engine
	b.OnProgress = func(p workloads.Progress) {
		engine.gone = engine.gone || p.Case == "batch 300" && p.Measure.Phase != measure.Preparing
	}
	if err := b.Run(t.Context(), t, Plan(), tiny().With(workloads.Values{"grow": growBatch, "budget": 0.02, "max_batch": 1})); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	last := &b.Measured[len(b.Measured)-1]
	if last.Status != workloads.Unsupported || !strings.Contains(last.WithoutTime(), "this machine has no memory for a buffer of") {
		t.Errorf("%s, %s is %s", last.Case, last.Variant, last.WithoutTime())
	}
	if len(b.Findings) != 1 || !strings.Contains(b.Findings[0].Text, "a batch of 300, which takes") || b.Findings[0].Mark(b.Measured) {
		t.Errorf("findings %+v", b.Findings)
	}
}

func TestRefusals(t *testing.T) {
	gone := gpu.Errorf(gpu.ErrOutOfMemory, "allocate", "", "5 B")
	for _, tc := range []struct {
		held, size   int64
		words, limit string
	}{
		{0, 2e9, "this machine has no memory for a buffer of 2.00 GB", "this machine’s memory"},
		{3e9, 2e9, "this machine has no memory for a buffer of 2.00 GB on top of the 3.00 GB already allocated", "this machine’s memory"},
		{3e9, 5e9, "a buffer of 5.00 GB exceeds this device’s maximum of 4.00 GB for one buffer", "this device’s maximum of 4.00 GB for one buffer"},
	} {
		no := (*refusal)(nil)
		err := refused(gone, tc.held, tc.size, 4e9)
		if !errors.As(err, &no) || no.Error() != tc.words || no.limit() != tc.limit || !errors.Is(err, gpu.ErrUnsupported) || !errors.Is(err, gpu.ErrOutOfMemory) {
			t.Errorf("refused %v, want %q by %q", err, tc.words, tc.limit)
		}
	}
	if err := refused(gpu.ErrDeviceLost, 0, 1, 2); !errors.Is(err, gpu.ErrDeviceLost) || errors.Is(err, gpu.ErrUnsupported) {
		t.Errorf("a lost device is told as %v", err)
	}
}

// A device without enough memory for a category loses that row and the total's.
func TestPlanOutOfMemory(t *testing.T) {
	b := benchtest.New(t, gputest.Script{Allocations: map[int]error{1: gpu.ErrOutOfMemory}})
	if err := b.Run(t.Context(), t, Plan(), tiny().With(workloads.Values{"grow": growBatch, "budget": 0.001})); err != nil {
		t.Fatal(err)
	}
	b.NoLive(t)
	if r := &b.Measured[0]; r.Status != workloads.Unsupported || !strings.Contains(r.Failure.Text, "this machine has no memory for a buffer of 320 B") || !math.IsNaN(r.Number(workloads.HeldBytes)) {
		t.Errorf("%s, %s: %s %q, %g B", r.Case, r.Variant, r.Status, r.Failure.Text, r.Number(workloads.HeldBytes))
	}
}

// A file's header determines the bytes of the weights; tensor names and shapes determine the model.
func TestPlanReadsAHeader(t *testing.T) {
	header := `{"model.embed_tokens.weight":{"dtype":"F16","shape":[12,6],"data_offsets":[0,144]},` +
		`"model.layers.0.self_attn.k_proj.weight":{"dtype":"F16","shape":[3,6],"data_offsets":[144,180]},` +
		`"model.layers.4.mlp.up_proj.weight":{"dtype":"F16","shape":[20,6],"data_offsets":[180,420]}}`
	file := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	path := filepath.Join(t.TempDir(), "small.safetensors")
	if err := os.WriteFile(path, append(file, make([]byte, 420)...), 0o600); err != nil {
		t.Fatal(err)
	}
	w := Plan()
	m, err := planned(w.Defaults(false).With(workloads.Values{"file": path}))
	if err != nil {
		t.Fatal(err)
	}
	if m.layers != 5 || m.hidden != 6 || m.kv != 3 || m.ffn != 20 || m.vocab != 12 || fmt.Sprint(m.weightBuffers()) != "[144 36 240]" {
		t.Errorf("model %+v", m)
	}
	gguf := (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{
		{Name: "token_embd.weight", ID: 1, Shape: []int64{12, 6}, Data: make([]byte, 144)},
		{Name: "blk.0.attn_k.weight", ID: 1, Shape: []int64{3, 6}, Data: make([]byte, 36)},
		{Name: "blk.4.ffn_up.weight", ID: 1, Shape: []int64{20, 6}, Data: make([]byte, 240)},
	}}).Save(t)
	if same, err := planned(w.Defaults(false).With(workloads.Values{"file": gguf})); err != nil || !reflect.DeepEqual(same, m) {
		t.Errorf("the same model as .gguf: %+v, %v; want %+v", same, err, m)
	}
	if err := w.Ready(w.Defaults(false).With(workloads.Values{"file": path + ".no"})); err == nil {
		t.Error("a file that is not there is accepted")
	}
}

func TestPlanRefuses(t *testing.T) {
	w := Plan()
	for _, tc := range []struct {
		set  workloads.Values
		want string
	}{
		{workloads.Values{"heads": 33}, "heads is 33, want a number that divides hidden, which is 4,096"},
		{workloads.Values{"kv_heads": 64}, "kv_heads is 64, above heads, which is 32"},
		{workloads.Values{"min_batch": 32}, "min_batch is 32, above max_batch"},
		{workloads.Values{"weights": "int3"}, "weights must be one of"},
	} {
		if err := w.Check(w.Defaults(false).With(tc.set)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: error %v, want %q", tc.set, err, tc.want)
		}
	}
}
