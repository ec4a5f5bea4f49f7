//go:build cgo

package metal

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
)

// These tests need a device; if none can be opened they are skipped with a message.

// openReal opens the best device with archives in a temporary folder.
func openReal(t *testing.T, o Options) *engine {
	t.Helper()
	if o.CacheDir == "" {
		o.CacheDir = t.TempDir()
	}
	e, err := OpenWith(o)
	if errors.Is(err, gpu.ErrUnsupported) {
		t.Skipf("no device for this test: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if device := e.Info().Device; strings.Contains(device, "Paravirtual") && os.Getenv("ASSAY_TEST_VIRTUAL_GPU") == "" {
		_ = e.Close()
		t.Skipf("%s is a virtual GPU, which has given zeros for results; ASSAY_TEST_VIRTUAL_GPU=1 tests it anyway", device)
	}
	return e.(*engine)
}

func closeReal(t *testing.T, e *engine) {
	t.Helper()
	if err := e.Close(); err != nil {
		t.Error(err)
	}
}

func TestContract(t *testing.T) {
	closeReal(t, openReal(t, Options{}))
	dir := t.TempDir()
	gputest.Contract(t, func() (gpu.Engine, error) { return OpenWith(Options{CacheDir: dir}) })
}

// The second engine loads its pipeline from the archive of the first.
func TestArchive(t *testing.T) {
	dir := t.TempDir()
	for _, want := range []string{"stored", "found"} {
		e := openReal(t, Options{CacheDir: dir})
		if _, err := e.Kernel(catalog.MustFind("add_f32")); err != nil {
			t.Fatal(err)
		}
		if all := e.Compiles(); len(all) != 1 || all[0].Cache != want || all[0].Warm != (want == "found") {
			t.Errorf("want %q: %+v", want, all)
		}
		closeReal(t, e)
	}
}

const realElements = 1 << 20

// adding returns out = a + a on e, all ones; the buffers are released at the test's end.
func adding(t *testing.T, e *engine, out gpu.Buffer) gpu.Launch {
	t.Helper()
	k, err := e.Kernel(catalog.MustFind("add_f32"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := e.NewBuffer(4*realElements, gpu.Shared, "ones")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Release(); err != nil {
			t.Error(err)
		}
		closeReal(t, e)
	})
	for i := range realElements {
		binary.NativeEndian.PutUint32(a.Bytes()[4*i:], math.Float32bits(1))
	}
	return gpu.Launch{
		Kernel: k, Params: elementwise.ElementwiseParams{N: realElements}, Bindings: gpu.Bind(a, a, out),
	}
}

// submitReal runs d count times in one command buffer, and closes the queue.
func submitReal(t *testing.T, e *engine, how gpu.Encoding, d gpu.Launch, count int) (gpu.Submission, gpu.Timing) {
	t.Helper()
	q, err := e.NewQueue("real")
	if err != nil {
		t.Fatal(err)
	}
	p, err := e.PrepareWith(how, d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := q.Submit(p, count)
	if err := errors.Join(err, p.Release()); err != nil {
		t.Fatal(err)
	}
	timing, err := s.Wait(context.Background())
	if err := errors.Join(err, q.Close()); err != nil {
		t.Fatal(err)
	}
	return s, timing
}

// Every dispatch has its own time, and together they take no longer than their command buffer, with a tolerance of 10 % for
// the error of both clocks.
func TestCounters(t *testing.T) {
	e := openReal(t, Options{})
	out, err := e.NewBuffer(4*realElements, gpu.Shared, "sums")
	if err != nil {
		t.Fatal(err)
	}
	s, timing := submitReal(t, e, gpu.Encoding{Stages: true}, adding(t, e, out), 3)
	if err := out.Release(); err != nil {
		t.Error(err)
	}
	stages, err := gpu.Stages(context.Background(), s)
	if err != nil || len(stages) != 3 {
		t.Fatalf("%+v, %v", stages, err)
	}
	var sum float64
	for _, stage := range stages {
		if stage.Why != "" || stage.Seconds <= 0 {
			t.Errorf("stage %+v", stage)
		}
		sum += stage.Seconds
	}
	if sum > 1.1*timing.Device {
		t.Errorf("the stages took %g s, the command buffer %g s", sum, timing.Device)
	}
}

// The caller's memory is used in place, and returned to the caller after its release.
func TestNoCopy(t *testing.T) {
	e := openReal(t, Options{})
	pages, err := unix.Mmap(-1, 0, 4*realElements, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	given := make(chan struct{})
	out, err := e.Wrap(pages, "mapped", func() { close(given) })
	if err != nil {
		t.Fatal(err)
	}
	submitReal(t, e, gpu.Encoding{}, adding(t, e, out), 1)
	sum := shaders.View{Type: shaders.F32, Data: pages}
	for i := range realElements {
		if sum.At(i) != 2 {
			t.Fatalf("element %d of the mapped memory is %g, want 2", i, sum.At(i))
		}
	}
	if err := out.Release(); err != nil {
		t.Fatal(err)
	}
	select {
	case <-given:
	case <-time.After(10 * time.Second):
		t.Fatalf("%d B of %d B pages were not given back", len(pages), os.Getpagesize())
	}
	if err := unix.Munmap(pages); err != nil {
		t.Error(err)
	}
}
