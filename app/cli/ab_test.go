package cli

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"assay/app"
	"assay/gpu/gputest"
)

func TestABCommand(t *testing.T) {
	c := config(t, gputest.Script{})
	code, out, errOut := assay(t, c, "ab", "matmul", "--set", "max_size=8", "--set", "min_size=8", "--a", "variant=tiled 64", "--b", "variant=naive", "--rounds", "6", "--time", "1ms", "--json")
	var got struct {
		Verdict      string
		Sentence     string
		Measurements []struct{ Side, Variant string }
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v in %s, %s", err, out, errOut)
	}
	slower := got.Verdict == "slower"
	if len(got.Measurements) < 24 || got.Measurements[1].Side != "B" || got.Measurements[1].Variant != "naive" || got.Sentence == "" || slower != (code == 1) {
		t.Errorf("exit %d, %+v", code, got)
	}
	for _, args := range [][]string{
		{"ab"},
		{"ab", "matmul"},
		{"ab", "nonsense", "--a", "dtype=f32"},
		{"ab", "matmul", "--a", "nonsense=1"},
		{"ab", "matmul", "--a", "dtype"},
		{"ab", "matmul", "--a", "engine=nonsense"},
		{"ab", "matmul", "--against", "/nonexistent/assay"},
		{"crossover", "matmul", "--a", "dtype=f32"},
		{"ab", "matmul", "--against", t.TempDir()},
		{"ab", t.TempDir(), "--against", t.TempDir(), "--a", "dtype=f32"},
		{"ab", "matmul", "--a", "dtype=f32", "--b", "dtype=f16", "--rounds", "0"},
		{"ab", "matmul", "--a", "dtype=f32", "--b", "dtype=f16", "--time", "0"},
		{"ab", "matmul", "--a", "dtype=f32", "--b", "dtype=f16", "--matters", "-1"},
		{"crossover", "matmul", "--along", "size"},
		{"crossover", "matmul", "--along", "size", "--from", "16", "--to", "8", "--a", "compare=naive", "--b", "compare=tiles"},
		{"crossover", "matmul", "--along", "size", "--from", "16", "--to", "64", "--width", "0", "--a", "compare=naive", "--b", "compare=tiles"},
		{"run", "matmul", "--precision", "0"},
		{"run", "matmul", "--duty", "0"},
		{"run", "matmul", "--time", "0s"},
		{"run", "matmul", "--on", ""},
	} {
		if code, _, errOut := assay(t, c, args...); code != exitUsage || !strings.Contains(errOut, "--help") {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
}

// A bisection without a crossing has no place, which JSON cannot write as a number.
func TestCrossJSON(t *testing.T) {
	r := &app.CrossResult{Plan: app.CrossPlan{Along: "size", From: 16, To: 4096}, Why: "B is slower at both ends", At: math.NaN()}
	rec := r.Record(time.Now(), "1", nil)
	if _, err := json.Marshal(rec); err != nil {
		t.Error(err)
	}
	if !rec.Unsure || !strings.HasPrefix(rec.Shows(), "UNSURE: ") {
		t.Errorf("without its ends: %+v, %s", rec.CrossFigures, rec.Shows())
	}
}

// A comparison is kept, and can be listed, printed, exported and removed.
func TestABIsKept(t *testing.T) {
	t.Setenv("XDG_DATA_HOME", t.TempDir()) // of the trash
	c := config(t, gputest.Script{})
	if code, out, _ := assay(t, c, "ab", "--list"); code != 0 || !strings.Contains(out, "No comparison") {
		t.Errorf("at first: exit %d, %s", code, out)
	}
	_, said, errOut := assay(t, c, "ab", "matmul", "--set", "max_size=8", "--set", "min_size=8", "--a", "variant=tiled 64", "--b", "variant=naive", "--rounds", "6", "--time", "1ms")
	if !strings.Contains(errOut, "Kept: assay ab --show ") {
		t.Fatalf("%s", errOut)
	}
	if code, out, errOut := assay(t, c, "ab", "--show", "last"); code != 0 || out != said {
		t.Errorf("exit %d, printed %s, at first %s, %s", code, out, said, errOut)
	}
	if code, out, _ := assay(t, c, "ab", "--list"); code != 0 || !strings.Contains(out, "variant=naive") || !strings.Contains(out, "-ab-matmul-") {
		t.Errorf("exit %d, %s", code, out)
	}
	for flag, want := range map[string]string{"--json": `"measurements": [`, "--csv": "id,workload,round,side,"} {
		if code, out, _ := assay(t, c, "ab", "--show", "last", flag); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s", flag, code, out)
		}
	}
	for _, args := range [][]string{
		{"--list", "--show", "last"}, {"matmul", "--list"}, {"matmul", "--csv"}, {"--show", "last", "--csv", "--json"},
	} {
		if code, _, errOut := assay(t, c, append([]string{"ab"}, args...)...); code != exitUsage || errOut == "" {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
	if code, _, errOut := assay(t, c, "ab", "--delete", "last"); code != 0 {
		t.Errorf("exit %d, %s", code, errOut)
	}
	if code, _, errOut := assay(t, c, "ab", "--show", "last"); code != exitFailed || !strings.Contains(errOut, "no comparison") {
		t.Errorf("exit %d, %s", code, errOut)
	}
}
