package main

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/internal/race"
)

// addition is something that was added to the project, the word that all its code contains, and the files it touched: its own
// files, and lists that got one more line. Adding another of its kind touches as many.
type addition struct {
	what       string
	word       string
	own, lines []string
	// besides are its first users, and the simulation of its Apple part.
	besides []string
}

func additions() []addition {
	return []addition{
		{
			what: "a kernel with an in-out argument, bf16, threadgroup memory by size and a tunable", word: "rmsnorm",
			own:   []string{"shaders/norm/rmsnorm.go", "shaders/norm/rmsnorm.metal", "gpu/cpu/rmsnorm.c"},
			lines: []string{"shaders/norm/norm.go", "shaders/include/params/norm.h", "gpu/cpu/families.h"},
			besides: []string{
				"shaders/norm/rmsnorm_registers.metal", "workloads/graph",
				"workloads/suite/latency/compile.go", "workloads/suite/throughput/normalization.go",
			},
		},
		{
			what: "a kernel in two implementations, whose CPU code shares the rows of its family", word: "layernorm",
			own:   []string{"shaders/norm/layernorm.go", "shaders/norm/layernorm.metal", "gpu/cpu/layernorm.c"},
			lines: []string{"shaders/norm/norm.go", "shaders/include/params/norm.h", "gpu/cpu/families.h"},
			besides: []string{
				"workloads/suite/patterns/mlp.go", "workloads/graph",
				"workloads/suite/throughput/normalization.go", "workloads/suite/throughput/blocks.go",
				"shaders/norm/layernorm_registers.metal", "shaders/norm/add_layernorm_registers.metal", "shaders/norm/residual.go", "shaders/norm/residual.metal", "gpu/cpu/residual.c",
			},
		},
		{
			what: "an operation of the system's library", word: "softmax",
			own:   []string{"shaders/norm/softmax.go", "shaders/norm/softmax.metal", "gpu/cpu/softmax.c"},
			lines: []string{"shaders/norm/norm.go", "shaders/include/params/norm.h", "gpu/cpu/families.h", "gpu/metal/libraries.m"},
			besides: []string{
				"shaders/norm/softmax_registers.metal", "workloads/graph", "gpu/metal/sim", "workloads/suite/patterns/training.go", "shaders/train", "shaders/include/params/train.h", "gpu/cpu/train.c", "workloads/suite/throughput/normalization.go", "workloads/suite/throughput/attentionshape.go", "workloads/suite/stability/works.go", "shaders/attention", "workloads/suite/throughput/blocks.go",
			},
		},
		{
			what: "a workload of host work with metrics and charts of its own", word: `latency\.compile|func compile\(\) workloads`,
			own: []string{"workloads/suite/latency/compile.go"}, lines: []string{"workloads/suite/suite.go"},
		},
		{
			what: "a workload that compares methods of several operations", word: "normalization\\(|\\bnormoptions",
			own: []string{"workloads/suite/throughput/normalization.go"}, lines: []string{"workloads/suite/suite.go"},
		},
		{
			what: "a workload of a series", word: "soak",
			own: []string{"workloads/suite/stability/soak.go"}, lines: []string{"workloads/suite/suite.go"},
		},
		{
			what: "a page of a filter, a table and what is known of a row", word: "kernelspage",
			own: []string{"ui/kernelspage"}, lines: []string{"ui/pages.go"},
		},
		{
			what: "a metric of the machine", word: "overheadsource|processoverhead",
			own: []string{"app/overhead.go"}, lines: []string{"monitor/catalog_machine.go", "app/session.go"},
		},
	}
}

// TestHouseIsOpen limits how many files it takes to add one thing: what was added is named in its own files and in one line
// of a list, and nowhere else.
func TestHouseIsOpen(t *testing.T) {
	if race.On {
		t.Skip("reads files on one goroutine: nothing to race with")
	}
	texts := codeTexts(t)
	for _, a := range additions() {
		word := regexp.MustCompile(a.word)
		want := slices.Concat(a.own, a.lines, a.besides)
		used := map[string]bool{}
		for file, text := range texts {
			if !word.MatchString(text) {
				continue
			}
			at := slices.IndexFunc(want, func(w string) bool { return file == w || strings.HasPrefix(file, w+"/") })
			if at < 0 {
				t.Errorf("%s: %s names it too", a.what, file)
				continue
			}
			used[want[at]] = true
		}
		for _, w := range want {
			if !used[w] {
				t.Errorf("%s: %s does not name it", a.what, w)
			}
		}
	}
}

// codeTexts returns the sources that are not tests, by file.
func codeTexts(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if base := path.Base(name); err == nil && name != "." && (strings.HasPrefix(base, ".") || base == "testdata" || base == "bin") {
				return fs.SkipDir
			}
			return err
		}
		if !slices.Contains([]string{".go", ".c", ".h", ".m", ".metal"}, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		data, err := os.ReadFile(name)
		texts[name] = strings.ToLower(string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
