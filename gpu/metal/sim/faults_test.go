//go:build metalsim && cgo

package sim_test

import (
	"strings"
	"testing"
	"time"

	"assay/gpu/metal/sim"
)

// settled waits until the queues' threads have released their command buffers, then returns the live objects.
func settled() []sim.Object {
	for range 200 {
		if len(sim.Live()) == 0 {
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	return sim.Live()
}

func TestRefusedAllocation(t *testing.T) {
	sim.Reset()
	sim.Inject(sim.Script{Allocation: 2, Allocations: 2})
	if r := play(t, "allocate"); r.Value != 1001 {
		t.Errorf("allocations went %04v, want 1001", r.Value)
	}
	clean(t)
}

func TestFailedCommandBuffers(t *testing.T) {
	for _, code := range []sim.ErrorCode{
		sim.Internal, sim.Timeout, sim.PageFault, sim.AccessRevoked, sim.NotPermitted, sim.OutOfMemory,
		sim.InvalidResource, sim.StackOverflow, sim.ImpactingInteractivity,
	} {
		sim.Reset()
		sim.Inject(sim.Script{Commit: 2, Commits: 2, CommitError: code})
		r := play(t, "commits")
		if r.Value != 1001 || r.Code != int(code) || r.Status != failed || r.Encoder != "adder" {
			t.Errorf("commits went %04v, want 1001; status %d, code %d, want %d; encoder %q", r.Value, r.Status, r.Code, code,
				r.Encoder)
		}
		clean(t)
	}
}

func TestHang(t *testing.T) {
	sim.Reset()
	sim.Inject(sim.Script{Hang: 1})
	if r := play(t, "hang"); r.Status != completed || int(r.Value) >= completed {
		t.Errorf("status %d on the other queue, %v on the hung one", r.Status, r.Value)
	}
	sim.ReleaseHangs()
	if r := play(t, "hang end"); r.Status != completed {
		t.Errorf("after its release the status is %d", r.Status)
	}
	clean(t)
}

// A removed device fails every command buffer; a new one works.
func TestRemoval(t *testing.T) {
	sim.Reset()
	sim.Inject(sim.Script{RemoveDevice: 2})
	r := play(t, "removal")
	if r.Value != 100 || r.Code != int(sim.DeviceRemoved) {
		t.Errorf("commits went %03v, want 100; code %d", r.Value, r.Code)
	}
	if r.Made || r.Start != 1 || r.End != completed {
		t.Errorf("old device creates objects: %v; registry IDs differ by %v; status on the new one: %v", r.Made, r.Start,
			r.End)
	}
	clean(t)
}

func TestCompilerFaults(t *testing.T) {
	for _, c := range []struct {
		name, scene string
		script      sim.Script
		code        int
		text        string
	}{
		{"refuses", "compile", sim.Script{CompileError: "program_source:1:2: error: no"}, 3, "program_source:1:2: error: no"},
		{"dies", "compile", sim.Script{CompilerDies: true}, 2, "Compiler encountered an internal error"},
		{"is silent", "compile", sim.Script{CompilerSilent: true}, 2, ""},
		{"bad source", "bad source", sim.Script{}, 3, "program_source:3:12: error: "},
		{"missing function", "missing function", sim.Script{}, 5, "Function nowhere was not found in the library"},
		{"no pipeline", "pipeline", sim.Script{NoPipeline: true}, 2, "Compiler encountered an internal error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sim.Reset()
			sim.Inject(c.script)
			r := play(t, c.scene)
			if r.Made || r.Code != c.code || !strings.HasPrefix(r.Text, c.text) || (c.text == "") != (r.Text == "") {
				t.Errorf("made %v, code %d, %q; want code %d, %q", r.Made, r.Code, r.Text, c.code, c.text)
			}
			clean(t)
		})
	}
}

func TestNoQueue(t *testing.T) {
	sim.Reset()
	sim.Inject(sim.Script{NoQueue: true})
	if r := play(t, "queue"); r.Made {
		t.Error("a queue was created")
	}
	sim.Reset()
	if r := play(t, "queue"); !r.Made {
		t.Error("no queue was created")
	}
	clean(t)
}

func TestZeroTimes(t *testing.T) {
	sim.Reset()
	sim.Inject(sim.Script{ZeroTimes: true})
	if r := play(t, "add"); r.Status != completed || r.Start != 0 || r.End != 0 {
		t.Errorf("status %d, times from %v to %v, want 0", r.Status, r.Start, r.End)
	}
	clean(t)
}

// A kernel that writes out of bounds ends its command buffer with a page fault naming the kernel; the next command
// buffer works.
func TestKernelFault(t *testing.T) {
	sim.Reset()
	r := play(t, "stray write")
	if r.Status != failed || r.Code != int(sim.PageFault) || !strings.Contains(r.Text, "stray") || r.Encoder != "adder" {
		t.Errorf("status %d, code %d, %q in encoder %q", r.Status, r.Code, r.Text, r.Encoder)
	}
	if r := play(t, "add"); r.Status != completed || r.Value != 3000 {
		t.Errorf("afterward: status %d, value %v", r.Status, r.Value)
	}
	clean(t)
}

// A thousand runs leak nothing.
func TestThousandRuns(t *testing.T) {
	sim.Reset()
	for range 1000 {
		if r := play(t, "blit"); r.Value != 7 {
			t.Fatalf("got %v", r.Value)
		}
	}
	clean(t)
}
