//go:build linux && cgo && (amd64 || arm64)

package cuda

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"assay/gpu"
	"assay/gpu/gputest"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/shaders/elementwise"
)

// The tests of this file run on a real GPU, if ASSAY_TEST_CUDA is 1 (make test-cuda). They do not need the source tree, so the
// test binary can be copied to a machine with a GPU.

const realVariable = "ASSAY_TEST_CUDA"

func needReal(t *testing.T) {
	t.Helper()
	if os.Getenv(realVariable) != "1" {
		t.Skip("needs an NVIDIA GPU: " + realVariable + "=1 runs it")
	}
}

func TestRealContract(t *testing.T) {
	needReal(t)
	gputest.Contract(t, Open)
}

func TestRealContractStages(t *testing.T)     { realEncodedContract(t, gpu.Encoding{Stages: true}) }
func TestRealContractConcurrent(t *testing.T) { realEncodedContract(t, gpu.Encoding{Concurrent: true}) }

func realEncodedContract(t *testing.T, how gpu.Encoding) {
	needReal(t)
	gputest.EncodedContract(t, func() (gpu.Engine, error) {
		e, err := Open()
		return encoded{e, how}, err
	})
}

// The reported properties of a real device are plausible.
func TestRealInfo(t *testing.T) {
	needReal(t)
	e := open(t, Options{})
	defer closed(t, e)
	i := e.Info()
	t.Logf("%+v", i)
	all, _ := e.Devices()
	t.Logf("%+v", all)
	if i.Cores < 1 || i.LastLevelCache < 1<<20 || i.MaxBuffer < 1<<30 || !strings.HasPrefix(e.facts.uuid, "GPU-") || e.facts.shared < plainShared {
		t.Errorf("%+v", e.facts)
	}
	m, err := e.DeviceMemory()
	if err != nil || m.Allocated <= 0 || m.Allocated > i.MaxBuffer {
		t.Errorf("%+v, %v", m, err)
	}
}

// ptx returns the text of add_f32 with a body of the test's own: its one parameter is a msl_launch.
func ptx(version, body string) []byte {
	return fmt.Appendf(nil, ".version %s\n.target sm_80\n.address_size 64\n\n.visible .entry add_f32(.param .align 16 .b8 launch[640])\n{\n%s\nret;\n}\n",
		version, body)
}

// withPTX returns options whose only kernel has that body.
func withPTX(version, body string) Options {
	return Options{Timeout: 3 * time.Second, Compile: func(context.Context, shaders.Kernel, bool) (Code, error) {
		return Code{PTX: ptx(version, body), Entry: "add_f32", Source: "of the test"}, nil
	}}
}

// Bodies of these tests' kernels. The first stores 3 in the 64 elements of the third buffer, regardless of the geometry.
const (
	threesBody = `.reg .b64 %a<4>; .reg .b32 %i<2>; .reg .f32 %f<1>; .reg .pred %p<1>;
ld.param.u64 %a0, [launch+16]; cvta.to.global.u64 %a1, %a0;
mov.u32 %i0, %tid.x; mov.u32 %i1, %ntid.x; mov.f32 %f0, 0f40400000;
next: setp.ge.u32 %p0, %i0, 64; @%p0 bra done;
mul.wide.u32 %a2, %i0, 4; add.s64 %a3, %a1, %a2; st.global.f32 [%a3], %f0; add.u32 %i0, %i0, %i1; bra next;
done:`
	illegalBody = `.reg .b64 %a<1>; .reg .b32 %i<1>;
mov.u64 %a0, 16; mov.u32 %i0, 1; st.global.u32 [%a0], %i0;`
	trapBody = `trap;`
	// It rereads memory, since a compiler may remove a loop that does nothing.
	endlessBody = `.reg .b64 %a<2>; .reg .b32 %i<1>; .reg .pred %p<1>;
ld.param.u64 %a0, [launch]; cvta.to.global.u64 %a1, %a0;
again: ld.volatile.global.u32 %i0, [%a1]; setp.ne.u32 %p0, %i0, 12345; @%p0 bra again;`
)

// A kernel in the test's own PTX runs: the baseline of the fault tests.
func TestRealOwnPTX(t *testing.T) {
	needReal(t)
	x := newAdder(t, open(t, withPTX("7.8", threesBody)), 64)
	x.works()
	x.close()
}

func TestRealCompileErrors(t *testing.T) {
	needReal(t)
	for _, c := range []struct {
		version, body string
		says          string
	}{
		{"7.8", "nonsense;", "line "},
		{"99.0", "", "later version"},
	} {
		e := open(t, withPTX(c.version, c.body))
		_, err := e.Kernel(catalog.MustFind("add_f32"))
		says(t, err, gpu.ErrCompile, "add_f32", c.says)
		t.Log(err)
		closed(t, e)
	}
}

func TestRealOutOfMemory(t *testing.T) {
	needReal(t)
	x := newAdder(t, open(t, withPTX("7.8", threesBody)), 64)
	var all []gpu.Buffer
	for {
		b, err := x.e.NewBuffer(int(x.e.info.MaxBuffer/3), gpu.Private, "a third")
		if err != nil {
			says(t, err, gpu.ErrOutOfMemory, "a third", "free of")
			t.Log(err)
			break
		}
		if all = append(all, b); len(all) > 3 {
			t.Fatal("more was allocated than there is")
		}
	}
	for _, b := range all {
		if err := b.Release(); err != nil {
			t.Error(err)
		}
	}
	x.works()
	x.close()
}

// Sticky faults are each tried in a separate process.

const childVariable = "ASSAY_TEST_CUDA_CHILD"

func TestRealStickyFaults(t *testing.T) {
	needReal(t)
	for _, name := range []string{"illegal", "trap", "endless"} {
		t.Run(name, func(t *testing.T) {
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			child := exec.CommandContext(ctx, self, "-test.run=^TestRealChild$", "-test.v")
			child.Env = append(os.Environ(), childVariable+"="+name)
			out, err := child.CombinedOutput()
			t.Logf("%s", out)
			if err != nil || !strings.Contains(string(out), "--- PASS: TestRealChild") {
				t.Errorf("the child failed: %v", err)
			}
		})
	}
}

// TestRealChild runs in the child processes of TestRealStickyFaults.
func TestRealChild(t *testing.T) {
	switch os.Getenv(childVariable) {
	case "illegal":
		sticky(t, illegalBody, gpu.ErrExecution, "an address")
	case "trap":
		sticky(t, trapBody, gpu.ErrExecution)
	case "endless":
		sticky(t, endlessBody, gpu.ErrTimeout, "only with this process")
	default:
		t.Skip("only in a process of its own")
	}
}

func sticky(t *testing.T, body string, kind error, words ...string) {
	t.Helper()
	good := newAdder(t, open(t, withPTX("7.8", threesBody)), 64)
	good.works()
	o := withPTX("7.8", body)
	x := newAdder(t, open(t, o), 64)
	err := x.run()
	t.Log(err)
	says(t, err, kind, append(words, "add_f32", "restart Assay")...)
	x.lost(o)
	good.lost(o)
}

// Logs the round trip of an empty dispatch, for comparison with the driver alone.
func TestRealRoundTrip(t *testing.T) {
	needReal(t)
	e := open(t, Options{Compile: withPTX("7.8", "").Compile})
	k, err := e.Kernel(catalog.MustFind("add_f32"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := e.NewBuffer(256, gpu.Private, "one")
	if err != nil {
		t.Fatal(err)
	}
	q, err := e.NewQueue("round trips")
	if err != nil {
		t.Fatal(err)
	}
	launch := gpu.Launch{Kernel: k, Params: elementwise.ElementwiseParams{N: 32}, Bindings: gpu.Bind(b, b, b)}
	p, err := e.Prepare(launch)
	if err != nil {
		t.Fatal(err)
	}
	for _, repeat := range []int{1, 1, 10, 1000} {
		const rounds = 1000
		best, bestDevice, start := 1.0, 1.0, time.Now()
		for range rounds {
			s, err := q.Submit(p, repeat)
			if err != nil {
				t.Fatal(err)
			}
			timing, err := s.Wait(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			best, bestDevice = min(best, timing.Wall), min(bestDevice, timing.Device)
		}
		t.Logf("%d dispatches: wall %.2f µs at best, device %.2f µs, with Go %.2f µs on average", repeat, 1e6*best, 1e6*bestDevice,
			1e6*time.Since(start).Seconds()/rounds)
	}
	if err := errors.Join(p.Release(), b.Release(), q.Close(), e.Close()); err != nil {
		t.Error(err)
	}
}
