package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/suite"
)

// tuningSession is a session on an engine on which the naive GEMM is twice as fast as any other.
func tuningSession(t *testing.T, file, version string) *Session {
	t.Helper()
	s, err := New(Config{
		Version: version, TuningFile: file, Workloads: suite.All(), RunsDir: t.TempDir(),
		Engines: []Engine{{Name: "fake", Title: "Fake", Open: func() (gpu.Engine, error) {
			return &gputest.Paced{Engine: gputest.NewFake(gputest.Script{}), Factor: func(k *shaders.Kernel) float64 {
				return map[bool]float64{true: 0.5, false: 1}[k.Impl.Name == "naive"]
			}}, nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func do(t *testing.T, s *Session, r Request) *bundle.Run {
	t.Helper()
	r.Quick = true
	run, err := s.Runs().Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// tuneEight searches with enough time for a busy machine; with scripted times it ends long before.
func tuneEight(t *testing.T, s *Session) *bundle.Run {
	t.Helper()
	return do(t, s, Request{Jobs: []bundle.Job{job(t, s, "tuning", map[string]any{
		"rows": 8, "columns": 8, "inner": 8, "operands": "cache", "candidates": 4, "budget": 5.0,
	})}})
}

// What a search finds is kept, and a run that asks for it uses it: for the same call, and nowhere else.
func TestTunedChoicesAreKeptAndUsed(t *testing.T) {
	file := filepath.Join(t.TempDir(), "data", "tuning.json")
	s := tuningSession(t, file, "1")
	found := tuneEight(t, s)
	list, err := s.Tunings().List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%d kept, %v", len(list), err)
	}
	k := list[0]
	if k.Choice() != "matmul/naive/f32" || k.Gain.Lo < 1.5 || k.Unused != "" || k.Run != found.Meta.ID || k.On.Device != "scripted device" {
		t.Errorf("kept %+v", k)
	}
	small := job(t, s, "batching", map[string]any{"sweep": "matmul", "min_size": 8, "max_size": 16, "library": false})
	for _, tuned := range []bool{false, true} {
		run := do(t, s, Request{Jobs: []bundle.Job{small}, Tuned: tuned})
		if run.Meta.Tuned != tuned {
			t.Errorf("the run says tuned: %v, want %v", run.Meta.Tuned, tuned)
		}
		for i := range run.Results {
			r := &run.Results[i]
			want := ""
			if tuned && r.Setting("size") == 8 {
				want = "matmul/naive/f32: 2.00× faster than matmul/simd/f32"
			}
			if got := r.Values.Text(workloads.Tuned); got != want {
				t.Errorf("%s, tuned %v: %q, want %q", r.Case, tuned, got, want)
			}
		}
		loaded, err := bundle.Load(run.Dir)
		if err != nil || loaded.Meta.Tuned != tuned || loaded.Results[0].Values.Text(workloads.Tuned) != run.Results[0].Values.Text(workloads.Tuned) {
			t.Errorf("read back: %v, %+v", err, loaded.Meta)
		}
	}
}

// A choice for another device, driver, system or source is shown, with the reason, and not used.
func TestTunedChoicesThatDoNotHold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tuning.json")
	s := tuningSession(t, file, "1")
	tuneEight(t, s)
	list, err := s.Tunings().List()
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(k *KeptTuning){
		"":                         func(*KeptTuning) {},
		"for another device: ":     func(k *KeptTuning) { k.On.Device = "older device" },
		"for another driver ":      func(k *KeptTuning) { k.On.Features = "driver 1" },
		"for another system: ":     func(k *KeptTuning) { k.On.System = "plan9" },
		"another version of Assay": func(k *KeptTuning) { k.On.Program = "0.9" },
		"naive_f32 was changed":    func(k *KeptTuning) { k.Sources[1] = "of last week" },
		"simd_f32 was changed":     func(k *KeptTuning) { k.Sources[0] = "of last week" },
		"there is no kernel":       func(k *KeptTuning) { k.Impl = "gone" },
		"the gone engine is not":   func(k *KeptTuning) { k.On.Engine = "gone" },
	} {
		k := list[0]
		change(&k)
		if err := writeTunings(file, []KeptTuning{k}); err != nil {
			t.Fatal(err)
		}
		now, err := s.Tunings().List()
		if err != nil || !strings.Contains(now[0].Unused, want) || (want == "") != (now[0].Unused == "") {
			t.Errorf("%q, %v, want %q", now[0].Unused, err, want)
		}
		if want == "the gone engine is not" {
			continue
		}
		find, err := s.tuned(mustEngine(t, s))
		if err != nil {
			t.Fatal(err)
		}
		byDefault, _ := kernelOf("matmul/simd/f32")
		if _, used := find(&byDefault, paramsFor(t, k.Params)); used != (want == "") {
			t.Errorf("%s: used %v", want, used)
		}
	}
}

func mustEngine(t *testing.T, s *Session) gpu.Engine {
	t.Helper()
	e, _, err := s.engines.get("auto")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// paramsFor is a value spelled like the parameters of a GEMM of size eight.
func paramsFor(t *testing.T, spelled string) any {
	t.Helper()
	p := struct{ M, N, K, Batch uint32 }{8, 8, 8, 1}
	if got := workloads.SpellParams(p); got != spelled {
		t.Fatalf("parameters are spelled %q, want %q", got, spelled)
	}
	return p
}

// Exported choices are taken over elsewhere, once; newer entries replace older ones, and cleared ones are gone.
func TestTunedChoicesTravel(t *testing.T) {
	folder := t.TempDir()
	s := tuningSession(t, filepath.Join(folder, "a.json"), "1")
	tuneEight(t, s)
	out := filepath.Join(folder, "out.json")
	if n, err := s.Tunings().Export(out); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	other := tuningSession(t, filepath.Join(folder, "b.json"), "1")
	for _, want := range []int{1, 0} {
		if n, err := other.Tunings().Import(out); n != want || err != nil {
			t.Errorf("%d taken over, %v, want %d", n, err, want)
		}
	}
	list, err := other.Tunings().List()
	if err != nil || len(list) != 1 || list[0].Choice() != "matmul/naive/f32" {
		t.Fatalf("%+v, %v", list, err)
	}
	if n, err := other.Tunings().Clear([]string{list[0].ID(), "gone"}); n != 1 || err != nil {
		t.Errorf("%d removed, %v", n, err)
	}
	if list, err = other.Tunings().List(); err != nil || len(list) != 0 {
		t.Errorf("%d left, %v", len(list), err)
	}
}

// A file from elsewhere that no search would have written is refused, with the reason, and changes nothing.
func TestImpossibleTunedChoicesAreRefused(t *testing.T) {
	folder := t.TempDir()
	s := tuningSession(t, filepath.Join(folder, "a.json"), "1")
	entry := `{"on":{"engine":"fake","device":"d","system":"s"},"op":"matmul","type":"f32","params":"M=1","default":"matmul/simd/f32","implementation":"tiled","tunables":{"tile":%TILE},"gain":{"median":%GAIN,"lo":1.1,"hi":9},"noise":0.01,"candidates":3,"at":"2026-11-23T00:00:00Z","sources":["a","b"]}`
	with := func(tile, gain string) string {
		return `{"schema":1,"tunings":[` + strings.NewReplacer("%TILE", tile, "%GAIN", gain).Replace(entry) + `]}`
	}
	for text, want := range map[string]string{
		with("32", "2"):                      "",
		with("33", "2"):                      "no tunable tile of 33",
		with("32", "0.5"):                    "gain 0.5",
		`{"schema":2,"tunings":[]}`:          "schema 2",
		`{"schema":1,"tunings":[{}]}`:        "no op, type or default",
		`[]`:                                 "cannot unmarshal",
		strings.Repeat(" ", 2+maxTuningFile): "at most",
	} {
		path := filepath.Join(folder, "in.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := s.Tunings().Import(path)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.80s: %v, want %q", text, err, want)
		}
	}
	if list, err := s.Tunings().List(); err != nil || len(list) != 1 {
		t.Errorf("%d kept, %v, want the one that is possible", len(list), err)
	}
}
