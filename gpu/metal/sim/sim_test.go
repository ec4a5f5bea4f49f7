//go:build metalsim && cgo

package sim_test

import (
	"path/filepath"
	"strings"
	"testing"

	"assay/gpu/metal/sim"
	"assay/gpu/metal/sim/internal/drive"
)

// Values of MTLCommandBufferStatus.
const (
	completed = 4
	failed    = 5
)

// play runs a scene with an empty ledger.
func play(t *testing.T, scene string) drive.Result {
	t.Helper()
	r := drive.Play(scene, filepath.Join(t.TempDir(), "file"))
	if !r.Found {
		t.Fatalf("no scene %q", scene)
	}
	return r
}

// clean checks that no rule was broken and no object is live.
func clean(t *testing.T) {
	t.Helper()
	for _, v := range sim.Violations() {
		t.Errorf("broken rule: %s", v)
	}
	for _, o := range settled() {
		t.Errorf("leaked: %s", o)
	}
}

// Correct uses compute the expected results and leave the ledger empty.
func TestWork(t *testing.T) {
	for _, c := range []struct {
		scene string
		want  float64
	}{
		{"add", 3000},
		{"edges", 70},
		{"threadgroup memory", 3},
		{"blit", 7},
		{"with barrier", 2},
		{"without barrier", 1},
		{"product", 0},
		{"softmax", float64(float32(0.2))},
		{"residency", 4096},
		{"many counters", 32},
	} {
		t.Run(c.scene, func(t *testing.T) {
			sim.Reset()
			r := play(t, c.scene)
			if r.Code != 0 || r.Value != c.want {
				t.Errorf("got %v, want %v (error %d %s)", r.Value, c.want, r.Code, r.Text)
			}
			if r.Status != 0 && (r.Status != completed || r.Start <= 0 || r.End < r.Start) {
				t.Errorf("status %d, from %v to %v", r.Status, r.Start, r.End)
			}
			clean(t)
		})
	}
}

func TestArchive(t *testing.T) {
	sim.Reset()
	if r := play(t, "archive"); !r.Made || r.Value != 1 {
		t.Errorf("archive read: %v, pipeline of it: %v (error %d %s)", r.Made, r.Value, r.Code, r.Text)
	}
	clean(t)
	sim.Inject(sim.Script{NoArchive: true})
	if r := play(t, "archive"); r.Made || r.Value != 0 || r.Text == "" {
		t.Errorf("archive read: %v, pipeline of it: %v (error %d %s)", r.Made, r.Value, r.Code, r.Text)
	}
	clean(t)
}

func TestCounters(t *testing.T) {
	for _, c := range []struct {
		mode sim.Counters
		fits func(first, last uint64) bool
	}{
		{sim.TrueCounters, func(first, last uint64) bool { return first > 0 && last > first }},
		{sim.ZeroCounters, func(first, last uint64) bool { return first == 0 && last == 0 }},
		{sim.ErrorCounters, func(first, last uint64) bool { return first == ^uint64(0) && last == first }},
	} {
		sim.Reset()
		sim.Inject(sim.Script{Counters: c.mode})
		if r := play(t, "counters"); !c.fits(r.Samples[0], r.Samples[1]) {
			t.Errorf("mode %d: samples %v", c.mode, r.Samples)
		}
		clean(t)
	}
}

// Wrong uses are reported with class and label.
func TestMisuse(t *testing.T) {
	for _, c := range []struct {
		scene string
		want  []string
	}{
		{"commit twice", []string{`MTLCommandBuffer "commands": committed twice`}},
		{"encoder after commit", []string{`MTLCommandBuffer "commands": a compute encoder after its commit`}},
		{"dispatch after end", []string{`MTLComputeCommandEncoder "adder": a dispatch after endEncoding`}},
		{"commit before end", []string{`MTLCommandBuffer "commands": committed while the encoder "adder" has not ended`}},
		{"two encoders", []string{`"commands": a blit encoder while the encoder "adder" has not ended`}},
		{"encoder dropped", []string{`MTLComputeCommandEncoder "adder": released before endEncoding`}},
		{"no pipeline", []string{`"adder": a dispatch without a pipeline`}},
		{"unbound buffer", []string{`"adder": argument x at index 0 is not bound`}},
		{"unbound memory", []string{`"adder": threadgroup argument t at index 0 has no length`}},
		{"offset past end", []string{`"adder": offset 64 in buffer "numbers" of 64 B`, "argument x at index 0 is not bound"}},
		{"too many threads", []string{`"adder": 1025 threads in a threadgroup, 1024 are allowed`}},
		{"too much memory", []string{`"adder": 32784 B of threadgroup memory, 32768 are allowed`}},
		{"odd memory", []string{`"adder": threadgroup memory of 130 B is not a multiple of 16`}},
		{"no threads", []string{`"adder": a threadgroup of 0×1×1`}},
		{"long bytes", []string{
			`"adder": setBytes of 4100 B at index 0, from 1 to 4096 are allowed`,
			`setBytes at index 31, the last is 30`,
		}},
		{"no labels", []string{
			`MTLCommandQueue "": it has no label`, `MTLComputePipelineState "": it has no label`,
			`MTLBuffer "": it has no label`, `MTLComputeCommandEncoder "": it has no label`,
			`MTLCommandBuffer "": it has no label`,
		}},
		{"released while used", []string{`MTLBuffer "short-lived": used by a command buffer after its release`}},
		{"over-release", []string{`MTLBuffer "once": released more often than retained`}},
		{"message after release", []string{`MTLBuffer "gone": length after its release`}},
		{"bind after release", []string{`MTLBuffer "gone": setBuffer:offset:atIndex: after its release`}},
		{"long copy", []string{
			`MTLBlitCommandEncoder "copies": copyFromBuffer: 36 B at offset 32 of buffer "numbers" of 64 B`,
			`fillBuffer: 4 B at offset 1, multiples of 4 are allowed`, `source and destination overlap`,
		}},
		{"early wait", []string{`"commands": waited for before its commit`, `a handler is added after its commit`}},
		{"unbalanced groups", []string{`popDebugGroup without a group`, `1 debug groups were pushed and not popped`}},
		{"private contents", []string{`MTLBuffer "private": contents of a private buffer`}},
		{"uncommitted set", []string{`MTLResidencySet "resident": released with changes that were never committed`}},
		{"bad softmax", []string{
			`MPSMatrix of data type 0x10000040: want Float32 or Float16`,
			`MPSMatrixSoftMax "softmax": a result of 3×4 is too small for 3×5`,
			`MPSMatrixSoftMax "softmax": input and result have different element types`,
			`MPSMatrixSoftMax "": it has no label`,
		}},
		{"odd pages", []string{"memory without copy is not whole pages"}},
	} {
		t.Run(c.scene, func(t *testing.T) {
			sim.Reset()
			play(t, c.scene)
			found := sim.Violations()
			if len(found) != len(c.want) {
				t.Errorf("%d findings, want %d: %q", len(found), len(c.want), found)
			}
			for i := range min(len(found), len(c.want)) {
				if !strings.Contains(found[i], c.want[i]) {
					t.Errorf("found %q, want %q", found[i], c.want[i])
				}
			}
		})
	}
}

func TestLeak(t *testing.T) {
	sim.Reset()
	play(t, "leak")
	live := sim.Live()
	var buffer *sim.Object
	for i := range live {
		if live[i].Kind == "MTLBuffer" {
			buffer = &live[i]
		}
	}
	if buffer == nil {
		t.Fatalf("the leaked buffer is not listed: %v", live)
	}
	if buffer.Label != "leaked" || buffer.Retains != 1 || !strings.Contains(buffer.Site, "drive_play") {
		t.Errorf("got %v", buffer)
	}
	sim.Reset()
	if left := sim.Live(); len(left) != 0 {
		t.Errorf("after Reset there are still %v", left)
	}
}
