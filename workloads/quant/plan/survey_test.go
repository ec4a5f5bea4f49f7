package plan

import (
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"assay/workloads/quant"
	"assay/workloads/quant/weightfile"
	"assay/workloads/quant/weighttest"
)

// formats used by the tests.
func formats(t testing.TB, names ...string) []quant.Format {
	t.Helper()
	var all []quant.Format
	for _, n := range names {
		f, err := quant.ParseFormat(n)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func weights(seed uint64, rows, cols int, o quant.Outliers) []float32 {
	w := make([]float32, rows*cols)
	quant.NewGenerator(seed, cols, o).Fill(w)
	return w
}

// model is a file with matrices that quantize well or badly, and other tensors.
func model(t testing.TB) *weightfile.File {
	t.Helper()
	nan := weights(9, 2, 256, quant.Outliers{})
	nan[300] = float32(math.NaN())
	hard := weights(2, 16, 512, quant.Outliers{Columns: 0.02, Scale: 100})
	return open(t, &weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{
		weighttest.Matrix(t, "easy", 0, quant.F32, weights(1, 24, 512, quant.Outliers{}), 24),
		weighttest.Matrix(t, "hard", 0, quant.F32, hard, 16),
		weighttest.Matrix(t, "narrow", 0, quant.F32, weights(3, 10, 96, quant.Outliers{}), 10),
		{Name: "norm", Shape: []int64{512}, Data: make([]byte, 2048)},
		weighttest.Matrix(t, "broken", 0, quant.F32, nan, 2),
		{Name: "unread", ID: 13, Shape: []int64{1, 256}, Data: make([]byte, 176)},
		{Name: "empty", Shape: []int64{0, 256}},
		experts(t),
	}})
}

// experts is a three-dimensional tensor.
func experts(t testing.TB) weighttest.Tensor {
	x := weighttest.Matrix(t, "experts", 1, quant.F16, weights(4, 6, 256, quant.Outliers{}), 6)
	x.Shape = []int64{2, 3, 256}
	return x
}

func open(t testing.TB, g *weighttest.GGUF) *weightfile.File {
	t.Helper()
	f, err := weightfile.Open(g.Save(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func surveyed(t testing.TB, f *weightfile.File, o Options) *Report {
	t.Helper()
	r, err := Survey(t.Context(), f, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSurvey(t *testing.T) {
	file := model(t)
	var told []Progress
	o := Options{
		Formats:  formats(t, "f16", "int8 tensor", "int4 block 32", "q4_K", "ternary row"),
		Progress: func(p Progress) { told = append(told, p) },
	}
	r := surveyed(t, file, o)
	last := told[len(told)-1]
	if len(r.Tensors) != 8 || last.Done != last.Total || last.Tensor != "experts" ||
		!slices.IsSortedFunc(told, func(a, b Progress) int { return cmp.Compare(a.Done, b.Done) }) {
		t.Fatalf("%d tensors, progress %v", len(r.Tensors), told)
	}
	for i := range r.Tensors {
		x := &r.Tensors[i]
		kept := map[string]string{
			"norm": "1 dimension: only matrices are quantized", "broken": "weight [1, 44] is NaN", "unread": "type q5_K is not available", "empty": "it is empty",
		}[x.Name]
		if !strings.Contains(x.Kept, kept) || (x.Kept == "") != (kept == "") || (len(x.Losses) == 5) != (kept == "") {
			t.Errorf("%s: kept %q with %d losses, want %q", x.Name, x.Kept, len(x.Losses), kept)
		}
		for _, l := range x.Losses {
			checkLoss(t, file, x, &l)
		}
	}
	if x := &r.Tensors[7]; x.Rows != 6 || x.Cols != 256 || x.Read != 6 {
		t.Errorf("experts are %d × %d, %d rows read", x.Rows, x.Cols, x.Read)
	}
}

// checkLoss compares a loss with the tensor quantized at once.
func checkLoss(t *testing.T, file *weightfile.File, x *Tensor, l *Loss) {
	t.Helper()
	if x.Name == "narrow" && l.Format.Kind == "q4_K" {
		if !strings.Contains(l.Absent, "rows of 96 weights") || l.Bytes != 0 {
			t.Errorf("%s in %v: %+v", x.Name, l.Format, l)
		}
		return
	}
	tensor, err := file.Tensor(x.Name)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float32, tensor.Elements())
	if err := file.ReadFloat32At(tensor, w, 0); err != nil {
		t.Fatal(err)
	}
	p, tally, err := l.Format.Encode(w, x.Rows, x.Cols)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float32, len(w))
	if err := p.Decode(got); err != nil {
		t.Fatal(err)
	}
	var want quant.Errors
	if err := want.Add(w, got); err != nil {
		t.Fatal(err)
	}
	if l.Errors != want || l.Tally != tally || l.Bytes != l.Format.Bytes(x.Rows, x.Cols) || l.Absent != "" {
		t.Errorf("%s in %v: %+v, want %+v", x.Name, l.Format, l, want)
	}
}

// A sample of rows has about the same errors as all rows.
func TestSurveyOfSomeRows(t *testing.T) {
	g := &weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{weighttest.Matrix(t, "w", 0, quant.F32, weights(1, 100, 512, quant.Outliers{}), 100)}}
	file := open(t, g)
	o := Options{Formats: formats(t, "int8 tensor", "q6_K")}
	all := surveyed(t, file, o)
	o.MaxRows = 10
	some := surveyed(t, file, o)
	for i := range o.Formats {
		a, b := &all.Tensors[0].Losses[i], &some.Tensors[0].Losses[i]
		if b.Errors.Count != 5120 || a.Bytes != b.Bytes || math.Abs(a.Errors.SNR()-b.Errors.SNR()) > 1.5 {
			t.Errorf("%v: %.1f dB of %d weights, %.1f dB of %d", a.Format, a.Errors.SNR(), a.Errors.Count, b.Errors.SNR(), b.Errors.Count)
		}
	}
	if some.Tensors[0].Read != 10 {
		t.Errorf("%d rows read, want 10", some.Tensors[0].Read)
	}
}

func TestSurveyStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Survey(ctx, model(t), Options{Formats: formats(t, "f16")}); !errors.Is(err, context.Canceled) {
		t.Errorf("a survey that was stopped: %v", err)
	}
	bad := Options{Formats: []quant.Format{{Kind: "int5"}}}
	if _, err := Survey(t.Context(), model(t), bad); err == nil || !strings.Contains(err.Error(), `no kind "int5"`) {
		t.Errorf("an unknown format: %v", err)
	}
}

// If a file is truncated after it was opened, the error names the tensor and the byte.
func TestSurveyOfAFileThatShrank(t *testing.T) {
	g := &weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{weighttest.Matrix(t, "w", 0, quant.F32, weights(1, 4, 64, quant.Outliers{}), 4)}}
	path := g.Save(t)
	f, err := weightfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 200); err != nil {
		t.Fatal(err)
	}
	if _, err := Survey(t.Context(), f, Options{Formats: formats(t, "q8_0")}); err == nil || !strings.Contains(err.Error(), `tensor "w": read at byte 200`) {
		t.Errorf("error %v", err)
	}
}

// A survey keeps only a few pieces of a file in memory, however large it is.
func TestSurveyIsBounded(t *testing.T) {
	const rows, cols = 4096, 1024
	path := filepath.Join(t.TempDir(), "large.gguf")
	head := (&weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{{Name: "w", Shape: []int64{rows, cols}}}}).Encode(t)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(head); err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(int64(len(head)) + 4*rows*cols); err != nil { // zeros that take no disk space
		t.Fatal(err)
	}
	file, err := weightfile.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	told := 0
	r := surveyed(t, file, Options{Formats: formats(t, "f16", "int8 tensor"), Progress: func(Progress) { told++ }})
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*rows*cols {
		t.Errorf("%d MiB were allocated in all for a file of %d MiB", got>>20, 4*rows*cols>>20)
	}
	if told < 2*rows*cols/pieceWeights {
		t.Errorf("progress was told %d times", told)
	}
	if n := r.Tensors[0].Losses[0].Errors.Count; n != rows*cols {
		t.Errorf("%d weights compared, want %d", n, rows*cols)
	}
}

// A row is an output channel in a convolution, and a row of one expert in a tensor of experts.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		shape      []int64
		rows, cols int
	}{
		{[]int64{64, 32, 3, 3}, 64, 288},
		{[]int64{8, 16, 5}, 8, 80},
		{[]int64{8, 16, 32}, 128, 32},
		{[]int64{4, 8, 16, 64}, 512, 64},
		{[]int64{100, 3}, 100, 3},
	} {
		n := 1
		for _, d := range c.shape {
			n *= int(d)
		}
		x := weighttest.Matrix(t, "w", 0, quant.F32, weights(1, n, 1, quant.Outliers{}), n)
		x.Shape = c.shape
		r := surveyed(t, open(t, &weighttest.GGUF{Align: 32, Tensors: []weighttest.Tensor{x}}), Options{Formats: formats(t, "int8 row")})
		if got := r.Tensors[0]; got.Rows != c.rows || got.Cols != c.cols || got.Losses[0].Errors.Count != n {
			t.Errorf("%v: %d rows of %d, %d weights compared", c.shape, got.Rows, got.Cols, got.Losses[0].Errors.Count)
		}
	}
}
