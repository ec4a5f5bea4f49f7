package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/gpu/gputest"
	"assay/workloads/quant"
	"assay/workloads/quant/weighttest"
)

// weightsModel writes a model of three matrices, one of which is hard to quantize, and a vector.
func weightsModel(t *testing.T) string {
	t.Helper()
	fill := func(seed uint64, o quant.Outliers) []float32 {
		w := make([]float32, 16*512)
		quant.NewGenerator(seed, 512, o).Fill(w)
		return w
	}
	return (&weighttest.GGUF{Align: 32, Metadata: [][2]any{{"general.architecture", "tiny"}}, Tensors: []weighttest.Tensor{
		weighttest.Matrix(t, "easy.weight", 0, quant.F32, fill(1, quant.Outliers{}), 16),
		weighttest.Matrix(t, "simple.weight", 0, quant.F32, fill(3, quant.Outliers{}), 16),
		weighttest.Matrix(t, "hard.weight", 1, quant.F16, fill(2, quant.Outliers{Columns: 0.02, Scale: 12}), 16),
		{Name: "norm", Shape: []int64{512}, Data: make([]byte, 2048)},
	}}).Save(t)
}

func TestWeights(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	code, out, errOut := assay(t, c, "weights", path, "--sort", "bytes", "--search", "WEIGHT 512")
	if code != 0 || !strings.Contains(out, "3 of 4 tensors in 1 file; in all 25,088 weights, 84.0 kB") || strings.Contains(out, "norm") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if easy, hard := strings.Index(out, "easy.weight"), strings.Index(out, "hard.weight"); easy < 0 || hard < easy || !strings.Contains(out, "16 × 512") {
		t.Errorf("not the largest first:\n%s", out)
	}
	code, out, _ = assay(t, c, "weights", path, "--json", "--sort", "type")
	var f app.WeightsFile
	if err := json.Unmarshal([]byte(out), &f); err != nil || code != 0 || len(f.Tensors) != 4 || f.Tensors[0].Type != "f16" || f.Metadata["general.architecture"] != "tiny" {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
}

// A model is loaded in parts or as a whole; the speed and the memory are reported.
func TestWeightsLoad(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	code, out, errOut := assay(t, c, "weights", "load", path)
	for _, words := range []string{"through a buffer of 33.6 MB of the engine", "Time: ", "B/s", "Memory of Assay: "} {
		if code != 0 || !strings.Contains(out, words) {
			t.Errorf("exit %d: %q lacks %q, %s", code, out, words, errOut)
		}
	}
	code, out, _ = assay(t, c, "weights", "load", path, "--resident", "--json")
	var l app.Load
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != 0 || !l.Resident || l.Bytes == 0 || l.Buffers != l.Bytes || len(l.Points) < 2 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	if code, _, errOut = assay(t, c, "weights", "load"); code != 2 || !strings.Contains(errOut, "weights load: want a .safetensors") {
		t.Errorf("without a file: exit %d, %q", code, errOut)
	}
}

func TestWeightsLook(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	code, out, errOut := assay(t, c, "weights", "look", path, "--tensor", "easy.weight", "--format", "q4_0")
	if code != 0 || !strings.Contains(out, "easy.weight in q4_0: 16 read of 16 rows, signal-to-noise ratio of the weights 2") || strings.Count(out, "█") < 40 {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
	if code, out, _ = assay(t, c, "weights", "look", path, "--tensor", "easy.weight", "--format", "bf16"); code != 0 || !strings.Contains(out, "bf16 has no codes to count") {
		t.Errorf("exit %d: %s", code, out)
	}
	code, out, _ = assay(t, c, "weights", "look", path, "--tensor", "hard.weight", "--format", "int8 row", "--rows", "4", "--json")
	var l app.WeightsLook
	if err := json.Unmarshal([]byte(out), &l); err != nil || code != 0 || l.Read != 4 || len(l.Counts) != 256 || len(l.Exact) == 0 || len(l.Exact) != len(l.Rounded) {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "--tensor: want the name of a tensor"},
		{[]string{"--tensor", "norm"}, `tensor "norm" stays as it is: 1 dimension`},
		{[]string{"--tensor", "no"}, `"no"`},
		{[]string{"--tensor", "easy.weight", "--format", "q9"}, `no kind "q9"`},
		{[]string{"--tensor", "easy.weight", "--rows", "-1"}, "--rows is -1"},
	} {
		if code, _, errOut := assay(t, c, append([]string{"weights", "look", path}, tc.args...)...); code == 0 || !strings.Contains(errOut, tc.want) {
			t.Errorf("%v: exit %d, %q, want %q", tc.args, code, errOut, tc.want)
		}
	}
}

func TestWeightsSurvey(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	to := filepath.Join(t.TempDir(), "errors.csv")
	code, out, errOut := assay(t, c, "weights", "survey", path, "--formats", "q8_0,q4_0", "--top", "1", "--csv", to)
	if code != 0 || errOut != "" {
		t.Fatalf("exit %d: %s%s", code, out, errOut)
	}
	for _, want := range []string{
		"in q4_0 first", "hard.weight", "… and 2 more tensors", "as in the file  84.0 kB", "q4_0            15.9 kB", "As in the file: norm: 1 dimension:", "CSV: " + to,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the survey lacks %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "easy.weight") {
		t.Errorf("the worst tensor is not first:\n%s", out)
	}
	text, err := os.ReadFile(to)
	if err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll(); err != nil || len(rows) != 1+3*2+1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	code, out, _ = assay(t, c, "weights", "survey", path, "--formats", "q8_0,q4_0", "--rows", "4", "--by", "q8_0", "--json", "-")
	if code != 0 || !json.Valid([]byte(out)) {
		t.Errorf("exit %d, not JSON alone: %s", code, out)
	}
}

func TestWeightsPlan(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	code, out, errOut := assay(t, c, "weights", "plan", path, "--formats", "q8_0,q4_0,q4_K", "--budget", "20kB", "--json", "-")
	var p struct {
		Bytes   int64
		Tensors []map[string]any
	}
	if err := json.Unmarshal([]byte(out), &p); err != nil || code != 0 || p.Bytes > 20_000 || len(p.Tensors) != 4 {
		t.Errorf("exit %d, %v: %s", code, err, out)
	}
	if !strings.Contains(errOut, "keep more bits than q4_") || !strings.Contains(errOut, "Plan: ") {
		t.Errorf("people read %s", errOut)
	}
	code, out, errOut = assay(t, c, "weights", "plan", path, "--budget", "2kB")
	if code != exitFailed || out != "" || !strings.Contains(errOut, "a budget of 2.00 kB: the smallest formats take 15.9 kB, 13.9 kB too much") {
		t.Errorf("exit %d: %s%s", code, out, errOut)
	}
}

func TestWeightsUsage(t *testing.T) {
	c := config(t, gputest.Script{})
	path := weightsModel(t)
	for _, tc := range []struct{ args, says string }{
		{"", "want a .safetensors or .gguf file"},
		{"survey", "weights survey: want a"},
		{"plan FILE", "want --budget"},
		{"plan FILE --budget much", `invalid budget "much"`},
		{"FILE --sort size", `--sort is "size", want one of name, bytes`},
		{"survey FILE --formats q5_0", `no kind "q5_0"`},
		{"survey FILE --by q5_0", "--by: "},
		{"survey FILE --by f32", "format f32 is not in the survey"},
		{"survey FILE --rows -1", "--rows is -1"},
		{"survey FILE --top -1", "--top is -1"},
		{"plan FILE --budget 30dB --top -1", "--top is -1"},
		{"survey FILE --csv - --json -", "same file, -"},
	} {
		args := strings.Fields("weights " + strings.ReplaceAll(tc.args, "FILE", path))
		if code, _, errOut := assay(t, c, args...); code != exitUsage || !strings.Contains(errOut, tc.says) {
			t.Errorf("%s: exit %d: %s", tc.args, code, errOut)
		}
	}
	damaged := filepath.Join(t.TempDir(), "m.gguf")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(damaged, whole[:len(whole)-3000], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{damaged}, {"survey", damaged}, {"plan", damaged, "--budget", "30dB"}} {
		code, _, errOut := assay(t, c, append([]string{"weights"}, args...)...)
		if code != exitFailed || !strings.Contains(errOut, `tensor "hard.weight"`) || !strings.Contains(errOut, "byte") {
			t.Errorf("%v: exit %d: %s", args, code, errOut)
		}
	}
}

func TestWeightsCompletion(t *testing.T) {
	c := config(t, gputest.Script{})
	for args, want := range map[string]string{
		"weights --sort ":                   "bytes",
		"weights survey --formats ":         "int4 block 32",
		"weights plan x.gguf --budget 3dB ": "gguf",
	} {
		words := strings.Split("__complete "+args, " ")
		if code, out, _ := assay(t, c, words...); code != 0 || !strings.Contains("\n"+out, "\n"+want+"\n") {
			t.Errorf("%s: exit %d: %s", args, code, out)
		}
	}
}

func TestSurveyProgress(t *testing.T) {
	var b bytes.Buffer
	p := newSurveyProgress(&b)
	at := app.SurveyProgress{Done: 41, Total: 100, Tensor: "blk.3\x1b.weight", Left: 65 * time.Second}
	p.update(at)
	if b.Len() > 0 {
		t.Errorf("a line too early: %q", b.String())
	}
	p.next = time.Now().Add(-time.Second)
	p.update(at)
	p.stop()
	if got := b.String(); got != "assay: 41.0 % of 100 B · 1:05 left · blk.3\\x1b.weight\n" {
		t.Errorf("%q", got)
	}
	if bar := surveyBar(0.5); strings.Count(bar, "█") != 12 || len([]rune(bar)) != 24 || surveyBar(1) != strings.Repeat("█", 24) {
		t.Errorf("bar %q", bar)
	}
}
