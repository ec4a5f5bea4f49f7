package app

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/app/bundle"
	"assay/gpu/gputest"
	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

// weightsModel writes a model with matrices that quantize well and badly, and a tensor that is not a matrix.
func weightsModel(t *testing.T) string {
	t.Helper()
	fill := func(seed uint64, rows int, o quant.Outliers) []float32 {
		w := make([]float32, rows*512)
		quant.NewGenerator(seed, 512, o).Fill(w)
		return w
	}
	return (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{
		weighttest.Matrix(t, "blk.0.easy", 0, quant.F32, fill(1, 24, quant.Outliers{}), 24),
		weighttest.Matrix(t, "blk.0.hard", 1, quant.F16, fill(2, 16, quant.Outliers{Columns: 0.02, Scale: 12}), 16),
		{Name: "norm", Shape: []int64{512}, Data: make([]byte, 2048)},
	}}).Save(t)
}

func TestWeightsOpen(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	path := weightsModel(t)
	f, err := s.Weights().Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if f.Name != path || len(f.Tensors) != 3 || f.Bytes != 24*512*4+16*512*2+2048 || f.Weights != 41*512 {
		t.Errorf("%+v", f)
	}
	hard := &f.Tensors[1]
	if hard.Type != "f16" || hard.ShapeText() != "16 × 512" || hard.File != path || !hard.Matrix() || f.Tensors[2].Matrix() {
		t.Errorf("%+v", hard)
	}
	if !hard.Has([]string{"16 ×", "hard"}) || hard.Has([]string{"hard", "easy"}) {
		t.Error("words are not found in a tensor")
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cut := filepath.Join(t.TempDir(), "cut.gguf")
	if err := os.WriteFile(cut, whole[:len(whole)-3000], 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Weights().Open(cut); err == nil || !strings.Contains(err.Error(), "blk.0.hard") {
		t.Errorf("a file that was cut short: %v", err)
	}
}

func TestWeightsSurveyAndPlan(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	path := weightsModel(t)
	told := 0
	r := SurveyRequest{Paths: []string{path}, Formats: []string{"q8_0", "int4 block 32 affine", "q4_K", "q8_0"}}
	found, err := s.Weights().Survey(t.Context(), r, func(p SurveyProgress) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Formats) != 3 || found.Formats[1].Name != "int4 block 32" || found.Smallest() != 2 || found.Format("q4_K") != 2 || told == 0 {
		t.Fatalf("%+v, progress told %d times", found.Formats, told)
	}
	for i, f := range found.Formats {
		if f.Kept != 1 || f.SNR < 10 || f.SNR > 60 || f.Bytes >= found.File.Bytes {
			t.Errorf("%s: %+v", f.Name, f)
		}
		worst := found.Worst(i)
		if last := worst[2]; last.Name != "norm" || last.Loss(i) != nil || CompareLoss(worst[0].Loss(i), worst[1].Loss(i)) > 0 {
			t.Errorf("%s: worst %s, last %s", f.Name, worst[0].Name, last.Name)
		}
	}
	if kept := found.Kept(); len(kept) != 1 || kept[0].Names[0] != "norm" || !strings.HasPrefix(kept[0].Why, "1 dimension") {
		t.Errorf("kept %+v", kept)
	}
	lo, hi := found.Limits()
	if lo >= hi || lo < 10 || hi > 60 {
		t.Errorf("plans from %g to %g dB", lo, hi)
	}
	checkPlans(t, s, found, lo, hi)
}

// checkPlans compares plans with their budgets and their exports.
func checkPlans(t *testing.T, s *Session, found *Survey, lo, hi float64) {
	t.Helper()
	last := int64(0)
	for _, snr := range []float64{lo, (lo + hi) / 2, hi, 250} {
		p, err := found.Plan(WeightsBudget{SNR: snr})
		if err != nil || p.SNR < snr-1e-9 || p.Bytes < last {
			t.Fatalf("%g dB: %+v, %v; %d B for less", snr, p, err, last)
		}
		again, err := found.Plan(WeightsBudget{Bytes: p.Bytes})
		if err != nil || again.Bytes > p.Bytes || again.SNR < p.SNR-1e-9 {
			t.Errorf("%d B: %+v, %v; %g dB is possible", p.Bytes, again, err, p.SNR)
		}
		tensors, bytes := 0, int64(0)
		for _, f := range p.Formats() {
			tensors, bytes = tensors+f.Tensors, bytes+f.Bytes
		}
		if tensors != 3 || bytes != p.Bytes || len(p.Keeping()) != p.More {
			t.Errorf("%g dB: %d tensors of %d B in formats, want 3 of %d", snr, tensors, bytes, p.Bytes)
		}
		last = p.Bytes
	}
	if last != found.File.Bytes {
		t.Errorf("the most exact plan has %d B, the file %d", last, found.File.Bytes)
	}
	if _, err := found.Plan(WeightsBudget{Bytes: 100}); err == nil || !strings.Contains(err.Error(), "too much") {
		t.Errorf("a budget of 100 B: %v", err)
	}
	p, err := found.Plan(WeightsBudget{SNR: lo})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "plan.csv")
	if err := s.Weights().ExportTable(out, p, CSVTable); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil || len(rows) != 4 {
		t.Errorf("%d rows of a plan, %v", len(rows), err)
	}
	var b bytes.Buffer
	if err := WriteTable(&b, found, JSONTable); err != nil || !json.Valid(b.Bytes()) {
		t.Errorf("the survey as JSON: %v", err)
	}
}

func TestWeightsBudget(t *testing.T) {
	for text, want := range map[string]WeightsBudget{
		"30dB": {SNR: 30}, " 27.5 db": {SNR: 27.5}, "4GB": {Bytes: 4e9}, "1.5 GiB": {Bytes: 3 << 29}, "4096": {Bytes: 4096},
	} {
		if b, err := ParseWeightsBudget(text); err != nil || b != want {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
	for _, text := range []string{"", "dB", "-3dB", "0", "301dB", "naNdB", "4 parsecs", "infdB"} {
		if b, err := ParseWeightsBudget(text); err == nil || !strings.Contains(err.Error(), "invalid budget") {
			t.Errorf("%q: %+v, %v", text, b, err)
		}
	}
	if a, b := SNRText(math.Inf(1)), SNRText(math.Inf(-1)); a != "exact" || b != "overflow" || SNRText(31.62) != "31.6 dB" {
		t.Errorf("%s, %s, %s", a, b, SNRText(31.62))
	}
}

func TestSplitFormats(t *testing.T) {
	got := SplitFormats("q8_0,int4 block 32, f16 scales , q4_K,,nonsense")
	if want := []string{"q8_0", "int4 block 32, f16 scales", "q4_K", "nonsense"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	r := SurveyRequest{Formats: got}
	if err := r.Check(); err == nil || !strings.Contains(err.Error(), `no kind "nonsense"`) {
		t.Errorf("%v", err)
	}
	r.Formats = got[:3]
	if name, err := r.FormatName("int4 block 32 affine, f16 scales"); err != nil || name != got[1] {
		t.Errorf("%q, %v", name, err)
	}
	if _, err := r.FormatName("f32"); err == nil {
		t.Error("a format that is not in the survey was found")
	}
	for _, name := range append(FormatNames(), SurveyFormats()...) {
		if err := CheckFormat(name); err != nil {
			t.Error(err)
		}
	}
}

// Only one survey runs at a time, and no run meanwhile; a canceled survey says so and leaves nothing behind.
func TestSurveyExcludesRuns(t *testing.T) {
	s, rec := session(t, gputest.Script{})
	r := SurveyRequest{Paths: []string{weightsModel(t)}}
	inside, leave := make(chan struct{}), make(chan struct{})
	var once bool
	ended := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_, err := s.Weights().Survey(ctx, r, func(SurveyProgress) {
			if !once {
				once = true
				close(inside)
				<-leave
			}
		})
		ended <- err
	}()
	within(t, "the survey to begin", inside)
	if _, err := s.Weights().Survey(t.Context(), r, func(SurveyProgress) {}); !errors.Is(err, ErrSurveying) {
		t.Errorf("a second survey: %v", err)
	}
	if err := s.Weights().Start(r); !errors.Is(err, ErrSurveying) {
		t.Errorf("a second survey in the background: %v", err)
	}
	if err := s.Runs().Start(tinyRequest(t, s)); !errors.Is(err, ErrSurveying) {
		t.Errorf("a run: %v", err)
	}
	s.Weights().Cancel()
	close(leave)
	if err := within(t, "the survey to end", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("a survey that was canceled: %v", err)
	}
	if err := s.Weights().Start(r); err != nil {
		t.Fatal(err)
	}
	over := func(u Update) bool {
		e, ok := u.(SurveyUpdate)
		return ok && e.Ended && e.Survey != nil && e.Err == nil
	}
	for deadline := time.Now().Add(20 * time.Second); rec.count(over) == 0 && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	if rec.count(over) != 1 {
		t.Fatal("the survey in the background did not end")
	}
	lease, err := s.device.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	defer lease.Release()
	if err := s.Weights().Start(r); !errors.Is(err, ErrBusy) {
		t.Errorf("a survey during a run: %v", err)
	}
}

func tinyRequest(t *testing.T, s *Session) Request {
	t.Helper()
	j := job(t, s, "batching", map[string]any{"sweep": "matmul", "min_size": 4, "max_size": 4})
	return Request{Jobs: []bundle.Job{j}, Engine: "fake", Quick: true}
}

// A format that no tensor can be in has no signal-to-noise ratio: nothing is exact in it.
func TestFormatThatFitsNoTensor(t *testing.T) {
	s := &Survey{Tensors: make([]SurveyedTensor, 2), Formats: []FormatTotal{{Kept: 2, SNR: math.Inf(1)}, {Kept: 1, SNR: 40}, {Kept: 0, SNR: math.Inf(1)}}}
	for i, want := range []string{"fits no tensor", "40.0 dB", "exact"} {
		if got := s.FormatSNR(i); got != want {
			t.Errorf("format %d: %q, want %q", i, got, want)
		}
	}
}
