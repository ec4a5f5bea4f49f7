//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/msl"
	"assay/gpu/msl/clang"
	"assay/shaders"
)

// The tests of this file and those that call fakeOptions run the engine, its C included, on a driver in testdata/fake, which they
// build. It runs kernels on this machine's processor, compiled by gpu/msl/clang.

// fakeLibrary is the path of the fake driver, built once.
var fakeLibrary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "assay-fake-cuda")
	if err != nil {
		return "", err
	}
	out := filepath.Join(dir, "libcuda.so.1")
	args := []string{"-shared", "-fPIC", "-O1", "-w", "-o", out}
	for _, pattern := range []string{"testdata/fake/*.c", "../msl/exec/exec_*.c", "../msl/exec/exec_*" + runtime.GOARCH + ".S"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			return "", fmt.Errorf("%w: no sources %s", errNoSources, pattern)
		}
		args = append(args, files...)
	}
	text, err := exec.Command("cc", append(args, "-lpthread", "-ldl")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, text)
	}
	return out, nil
})

var errNoSources = errors.New("this binary is not where it was built")

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := fakeLibrary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

// fakeOptions returns options with a driver of the test's own, with the state of a fresh process. script is described in
// testdata/fake/script.c.
func fakeOptions(t *testing.T, script string) Options {
	t.Helper()
	built, err := fakeLibrary()
	if errors.Is(err, errNoSources) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(built)
	if err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(t.TempDir(), "libcuda.so.1")
	if err := os.WriteFile(own, text, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("FAKE_CUDA", script)
	t.Setenv(deviceVariable, "")
	return Options{Library: own, BLAS: []string{own}, Timeout: 20 * time.Second, Compile: fakeCompile}
}

// ledger checks at the end of the test that no driver object is left.
func ledger(t *testing.T) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ledger")
	t.Setenv("FAKE_CUDA_LEDGER", path)
	t.Cleanup(func() {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Errorf("the context was not released: %v", err)
		}
		if len(text) > 0 {
			t.Errorf("not freed: %s", text)
		}
	})
}

// openFake opens an engine on a driver with a script.
func openFake(t *testing.T, script string) *engine {
	t.Helper()
	return open(t, fakeOptions(t, script))
}

func open(t *testing.T, o Options) *engine {
	t.Helper()
	e, err := OpenWith(o)
	if err != nil {
		t.Fatal(err)
	}
	return e.(*engine)
}

// fakeCompile creates what the fake driver accepts as PTX.
func fakeCompile(ctx context.Context, k shaders.Kernel, _ bool) (Code, error) {
	values := map[int][]byte{}
	for _, v := range k.Values() {
		values[v.Index] = v.Bytes()
	}
	library, err := fakeSource(ctx, k.Impl.Source)
	if err != nil {
		return Code{}, err
	}
	object, err := library.Object(ctx, k.Name, values)
	if err != nil {
		return Code{}, err
	}
	text := fmt.Sprintf("// object %s\n// entry %s\n", object.Path, k.Name)
	return Code{PTX: []byte(text), Entry: k.Name, Source: "for the test", Warm: true, Parts: k.Impl.Source.User() && !k.Impl.Source.Generated()}, nil
}

// fakeSources keeps compiled sources: the contract opens many engines.
var fakeSources sync.Map

func fakeSource(ctx context.Context, s shaders.Source) (*clang.Library, error) {
	if l, ok := fakeSources.Load(s.Hash()); ok {
		return l.(*clang.Library), nil
	}
	compiler, err := clang.Find()
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	l, err := compiler.Compile(ctx, msl.Source{Name: s.File, Text: s.Text()},
		clang.Options{Cache: filepath.Join(cache, "assay", "metalsim")})
	if err == nil {
		fakeSources.Store(s.Hash(), l)
	}
	return l, err
}

// says checks that err is of a kind and contains all of the words.
func says(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("error %v, want kind %q", err, kind)
		return
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
}

func closed(t *testing.T, e gpu.Engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}
