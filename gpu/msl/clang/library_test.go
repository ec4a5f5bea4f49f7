package clang

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/gpu/msl"
	"assay/internal/race"
	"assay/shaders"
	"assay/shaders/catalog"
)

func fakeClang(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nif [ \"$1\" = --version ]; then echo \"clang version 16.0.0\"; exit 0; fi\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A compiler that hangs, crashes or is not clang is an error.
func TestBrokenCompilers(t *testing.T) {
	tests := map[string]struct{ script, want string }{
		"hangs":   {"sleep 60\n", "did not end in time"},
		"crashes": {"kill -SEGV $$\n", "crashed"},
		"reports": {"echo 'PLEASE submit a bug report' >&2; exit 1\n", "crashed"},
		"memory":  {"echo 'LLVM ERROR: out of memory' >&2; kill -ABRT $$\n", "ran out of memory: it may use 4.29 GB"},
		"expands": {"yes\n", "it expands to more than 268 MB"},
		"errors":  {"case \"$*\" in *dump-tokens*) yes >&2;; esac; exit 1\n", "it expands to more than 268 MB"},
		"refuses": {"echo 'no such option' >&2; exit 1\n", "no such option"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if race.On && strings.Contains(tt.script, "yes") {
				t.Skip("reads 268 MB, in the way of all output")
			}
			c, err := tryClang(fakeClang(t, tt.script))
			if err != nil {
				t.Fatal(err)
			}
			limit := time.Minute // a loaded machine is slow to start a program
			if name == "hangs" {
				limit = 300 * time.Millisecond
			}
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			defer cancel()
			_, err = c.Compile(ctx, msl.Source{Name: "x.metal", Text: "int a;"}, Options{Cache: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestFind(t *testing.T) {
	old := filepath.Join(t.TempDir(), "clang")
	if err := os.WriteFile(old, []byte("#!/bin/sh\necho Debian clang version 14.0.6\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("ASSAY_CLANG", old)
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "is clang 14, want 16 or later") {
		t.Errorf("clang 14: %v", err)
	}
	t.Setenv("ASSAY_CLANG", "/nowhere/clang")
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "ASSAY_CLANG") {
		t.Errorf("no file: %v", err)
	}
	t.Setenv("ASSAY_CLANG", "")
	t.Setenv("PATH", t.TempDir())
	if _, err := Find(); err == nil || !strings.Contains(err.Error(), "apt install") {
		t.Errorf("no clang: %v", err)
	}
}

func TestIncludesAndMacros(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		filepath.Join(dir, "beside.h"): "#pragma once\nconstant int a = 1;\n", filepath.Join(other, "far.h"): "constant int b = VALUE;\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := msl.Source{
		Name: filepath.Join(dir, "k.metal"), Include: []string{other}, Macros: map[string]string{"VALUE": "7"},
		Text: "#include \"beside.h\"\n#include <far.h>\nkernel void k(device int *x) { x[0] = a + b; }",
	}
	if _, err := testCompiler(t).Compile(context.Background(), s, Options{Cache: sharedCache}); err != nil {
		t.Fatal(err)
	}
	s.Macros["VALUE"] = "nothing"
	_, err := testCompiler(t).Compile(context.Background(), s, Options{Cache: sharedCache})
	if err == nil || !strings.Contains(err.Error(), "far.h:1:18: error: use of undeclared identifier 'nothing'") {
		t.Errorf("an error in an included file: %v", err)
	}
}

func TestRuleFiles(t *testing.T) {
	rule := "opened: \\\n  /tmp/macros.h a\\ b.h \\\n  c$$d\\#.h\n"
	if got := ruleFiles(rule); !slices.Equal(got, []string{"/tmp/macros.h", "a b.h", "c$d#.h"}) {
		t.Errorf("%q", got)
	}
}

// Assay's own sources, which #line directives divide into files, need no slow pass for exact places.
func TestOwnSourcesNeedOnePass(t *testing.T) {
	c := testCompiler(t)
	for _, name := range []string{"add_f32", "matmul_simd_f16"} {
		i := slices.IndexFunc(catalog.All(), func(k shaders.Kernel) bool { return k.Name == name })
		s := catalog.All()[i].Impl.Source
		l, err := c.Compile(t.Context(), msl.Source{Name: s.File, Text: s.Text()}, Options{Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if l.placed != nil {
			t.Errorf("%s: the lines of its kernels are not certain without exact places", s.File)
		}
		for _, e := range l.Entries() {
			if !strings.HasSuffix(e.File, s.File) || e.Line == 0 {
				t.Errorf("%s: kernel %s is in line %d of %s", s.File, e.Name, e.Line, e.File)
			}
		}
	}
}
