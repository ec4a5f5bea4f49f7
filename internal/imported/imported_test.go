package imported

import (
	"math"
	"strings"
	"testing"
)

// files are shortened versions of the examples in the programs' own documentation.
var files = map[string]string{
	"llama-bench": `[{"build_commit": "8cf427ff", "build_number": 5163, "cpu_info": "a CPU", "gpu_info": "a GPU", "backends": "CUDA", "model_type": "qwen2 7B Q4_K - Medium",
		"n_threads": 8, "n_prompt": 512, "n_gen": 0, "n_depth": 0, "avg_ns": 72135640, "avg_ts": 7100.002165, "samples_ns": [74601900, 71632900, 71745200, 71952700, 70745500]}]`,
	"llama-bench, lines": `{"model_type": "qwen2 7B", "n_gen": 128, "n_depth": 64, "avg_ts": 118.88, "avg_ns": 1076767880, "cpu_info": "a CPU"}
		{"model_type": "qwen2 7B", "n_gen": 256, "avg_ts": 117.0, "avg_ns": 2076767880}`,
	"MLX":             `[{"Model": "m", "Model Load Time (s)": 1.5, "Prompt Tokens": 512, "Prompt TPS": 1024.0, "Response Tokens": 128, "Response TPS": 64.0, "Execution Time (s)": 2.5, "Memory Usage (GB)": 4.2}]`,
	"mlx_lm, as text": "Running warmup..\nTiming with prompt_tokens=512\nTrial 1:  prompt_tps=900.5, generation_tps=60.1, peak_memory=4.1\nAverages: prompt_tps=901.5, generation_tps=60.2, peak_memory=4.1\n",
	"google-benchmark": `{"context": {"host_name": "h", "num_cpus": 40, "library_build_type": "release"}, "benchmarks": [
		{"name": "BM_SetInsert/1024/1", "run_name": "BM_SetInsert/1024/1", "run_type": "iteration", "iterations": 94877, "real_time": 29275, "cpu_time": 29836, "time_unit": "ns", "items_per_second": 33000},
		{"name": "BM_SetInsert/1024/1_stddev", "run_name": "BM_SetInsert/1024/1", "run_type": "aggregate", "aggregate_name": "stddev", "real_time": 30, "time_unit": "ns"},
		{"name": "BM_Copy_mean", "run_name": "BM_Copy", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 3, "time_unit": "us"},
		{"name": "BM_Copy_median", "run_name": "BM_Copy", "run_type": "aggregate", "aggregate_name": "median", "real_time": 2, "time_unit": "us", "bytes_per_second": 5e9},
		{"name": "BM_Broken", "run_type": "iteration", "error_occurred": true, "error_message": "no"}]}`,
	"hyperfine":            `{"results": [{"command": "sleep 0.1", "mean": 0.102, "stddev": null, "median": 0.101, "user": 0, "system": 0, "min": 0.1, "max": 0.2, "times": [0.1, 0.101, 0.2], "exit_codes": [0, 0, 0]}]}`,
	"hyperfine, version 2": `{"schema_version": 2, "results": [{"command": "sleep 1", "name": "one second", "measurements": [{"time_wall_clock": {"value": 1.0, "unit": "second"}, "exit_code": 0}]}]}`,
}

func TestParse(t *testing.T) {
	want := map[string][]Row{
		"llama-bench": {{
			Source: "llama-bench", Name: "qwen2 7B Q4_K - Medium, pp512", Seconds: 0.0717452, Rate: 7100.002165, Of: "tokens", Samples: 5,
			Context: "build 8cf427ff (5163), CUDA, a GPU, 8 threads",
		}},
		"llama-bench, lines": {
			{Source: "llama-bench", Name: "qwen2 7B, tg128 @ d64", Seconds: 1.07676788, Rate: 118.88, Of: "tokens", Context: "a CPU"},
			{Source: "llama-bench", Name: "qwen2 7B, tg256", Seconds: 2.07676788, Rate: 117, Of: "tokens"},
		},
		"MLX": {
			{Source: "MLX", Name: "m, prompt of 512", Seconds: 0.5, Rate: 1024, Of: "tokens", Context: "4.2 GB of memory"},
			{Source: "MLX", Name: "m, generation of 128", Seconds: 2, Rate: 64, Of: "tokens", Context: "4.2 GB of memory"},
		},
		"mlx_lm, as text": {
			{Source: "MLX", Name: "prompt", Rate: 901.5, Of: "tokens", Context: "4.1 GB of memory"},
			{Source: "MLX", Name: "generation", Rate: 60.2, Of: "tokens", Context: "4.1 GB of memory"},
		},
		"google-benchmark": {
			{Source: "google-benchmark", Name: "BM_SetInsert/1024/1", Seconds: 29275e-9, Rate: 33000, Of: "items", Samples: 1, Context: "h, 40 CPUs, library built as release"},
			{Source: "google-benchmark", Name: "BM_Copy", Seconds: 2e-6, Rate: 5e9, Of: "B", Context: "h, 40 CPUs, library built as release"},
		},
		"hyperfine":            {{Source: "hyperfine", Name: "sleep 0.1", Seconds: 0.101, Samples: 3}},
		"hyperfine, version 2": {{Source: "hyperfine", Name: "one second", Seconds: 1, Samples: 1}},
	}
	for name, text := range files {
		rows, err := Parse([]byte(text))
		if err != nil || len(rows) != len(want[name]) {
			t.Errorf("%s: %+v, %v", name, rows, err)
			continue
		}
		for i, got := range rows {
			w := want[name][i]
			if math.Abs(got.Seconds-w.Seconds) > 1e-9*w.Seconds {
				t.Errorf("%s: %g s, want %g", name, got.Seconds, w.Seconds)
			}
			got.Seconds, got.Lo, got.Hi = w.Seconds, 0, 0
			if got != w {
				t.Errorf("%s:\n%+v, want\n%+v", name, got, w)
			}
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "empty",
		"a table":                         "not a result of",
		"[1]":                             "result 1",
		"{}":                              "not a result of",
		`{"results": []}`:                 "no results",
		`{"results": [{"command": "x"}]}`: "neither a time nor a rate",
		`[{"avg_ts": -1}]`:                "not a time",
		`[{"avg_ts": "fast"}]`:            "result 1",
		"{\"avg_ts\": 1}\n{\"avg_ts\":":   "line 2 is not JSON",
		`{"benchmarks": [{"time_unit": "fortnight"}]}`: "fortnight",
	} {
		if rows, err := Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, rows, err, want)
		}
	}
}

// FuzzParse: whatever a file contains, each row has a figure that can be shown.
func FuzzParse(f *testing.F) {
	for _, text := range files {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rows, err := Parse(data)
		if err == nil && len(rows) == 0 {
			t.Error("neither rows nor an error")
		}
		for _, r := range rows {
			if r.Source == "" || r.check() != nil {
				t.Errorf("%+v", r)
			}
		}
	})
}

// A value of the wrong type, or one that cannot be a time, is named.
func TestWrongValuesAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		`{"results": [{"command": "a", "times": ["x"]}]}`:                                               "results.times is a string, want a number",
		`{"results": [{"command": "a", "times": 3}]}`:                                                   "results.times is a number, want a list",
		`{"results": [{"command": "a", "mean": 1, "times": [0.5, -0.25]}]}`:                             "a: -0.25 is not a time or a rate",
		`{"benchmarks": [{"name": "b", "real_time": "3", "time_unit": "ns", "run_type": "iteration"}]}`: "benchmarks.real_time is a string, want a number",
		`[3]`: "result 1: it is a number, want an object",
	} {
		if _, err := parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
