package cli

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

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
		{"crossover", "matmul", "--along", "size"},
	} {
		if code, _, errOut := assay(t, c, args...); code != exitUsage || !strings.Contains(errOut, "--help") {
			t.Errorf("%v: exit %d, %s", args, code, errOut)
		}
	}
}

// A bisection without a crossing has no place, which JSON cannot write as a number.
func TestCrossJSON(t *testing.T) {
	r := &app.CrossResult{Plan: app.CrossPlan{Along: "size", From: 16, To: 4096}, Why: "B is slower at both ends", At: math.NaN()}
	if _, err := json.Marshal(crossJSON(r)); err != nil {
		t.Error(err)
	}
}
