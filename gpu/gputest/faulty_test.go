package gputest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"assay/gpu"
)

// fault is one way in which an engine may break the contract, and the requirement that must fail for it.
type fault struct {
	name        string
	requirement string
	says        string // in the failure
	spoil       func(gpu.Engine) gpu.Engine
}

func faults() []fault {
	return []fault{
		{"wrong results", "kernel results match the reference", "want", func(gpu.Engine) gpu.Engine {
			return NewFake(Script{Steps: []Step{{Wrong: true}}, Repeat: true})
		}},
		{"writes behind an output", "kernel results match the reference", "behind argument out was overwritten", afterwards(
			func(d gpu.Dispatch) error {
				b := d.Bindings[len(d.Bindings)-1]
				spec := d.Kernel.Spec()
				return b.Buffer.Write(min(b.Offset+spec.Bytes(len(spec.Args)-1, d.Params), b.Buffer.Size()-1), []byte{1})
			})},
		{"writes before an output", "kernel results match the reference", "before argument out was overwritten", afterwards(
			func(d gpu.Dispatch) error {
				b := d.Bindings[len(d.Bindings)-1]
				return b.Buffer.Write(max(b.Offset-1, 0), []byte{1})
			})},
		{"changes an input", "kernel results match the reference", "was changed", afterwards(func(d gpu.Dispatch) error {
			return d.Bindings[0].Buffer.Write(d.Bindings[0].Offset, []byte{1})
		})},
		{"touches empty outputs", "zero size touches nothing", "changed argument out", afterwards(func(d gpu.Dispatch) error {
			return d.Bindings[len(d.Bindings)-1].Buffer.Fill(0)
		})},
		{"runs dispatches backwards", "dispatches of one submission run in order", "dependent additions", queues(
			func(q gpu.Queue, d []gpu.Dispatch) (gpu.Submission, error) {
				slices.Reverse(d)
				return q.Submit(d...)
			})},
		{"runs dispatches before it has checked all", "a refused submission runs nothing", "refused submission ran", queues(
			func(q gpu.Queue, d []gpu.Dispatch) (gpu.Submission, error) {
				var last gpu.Submission
				for _, one := range d {
					s, err := q.Submit(one)
					if err != nil {
						return nil, err
					}
					last = s
				}
				if last == nil {
					return q.Submit()
				}
				return last, nil
			})},
		{"tells no time", "times are sane", "want 0 < Device", waits(func(gpu.Submission, context.Context) (gpu.Timing, error) {
			return gpu.Timing{}, nil
		})},
		{"fails a wait that comes again", "a cancelled wait does not cancel the work", "after a cancelled wait", waits(
			func(s gpu.Submission, ctx context.Context) (gpu.Timing, error) {
				if ctx.Done() != nil {
					return gpu.Timing{}, ctx.Err()
				}
				return gpu.Timing{}, gpu.ErrExecution
			})},
		{"takes a second release", "a released buffer refuses use", "second Release: no error", buffers(
			func(b gpu.Buffer) error { _ = b.Release(); return nil })},
		{"keeps what was released", "books follow every buffer", "Memory is", buffers(func(gpu.Buffer) error { return nil })},
		{"closes in silence", "Close reports live buffers", "no error", func(e gpu.Engine) gpu.Engine { return silent{e} }},
	}
}

// silent closes without a word.
type silent struct{ gpu.Engine }

func (e silent) Close() error { _ = e.Engine.Close(); return nil }

// hooked is an engine whose queues, waits or releases are not as they should be.
type hooked struct {
	gpu.Engine
	submit  func(gpu.Queue, []gpu.Dispatch) (gpu.Submission, error)
	wait    func(gpu.Submission, context.Context) (gpu.Timing, error)
	release func(gpu.Buffer) error
}

func queues(submit func(gpu.Queue, []gpu.Dispatch) (gpu.Submission, error)) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, submit: submit} }
}

func waits(wait func(gpu.Submission, context.Context) (gpu.Timing, error)) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, wait: wait} }
}

func buffers(release func(gpu.Buffer) error) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, release: release} }
}

// afterwards does something to each dispatch's buffers once it has run.
func afterwards(f func(gpu.Dispatch) error) func(gpu.Engine) gpu.Engine {
	return queues(func(q gpu.Queue, ds []gpu.Dispatch) (gpu.Submission, error) {
		s, err := q.Submit(ds...)
		if err != nil {
			return nil, err
		}
		_, err = s.Wait(context.Background())
		for _, d := range ds {
			err = errors.Join(err, f(d))
		}
		return s, err
	})
}

func (e hooked) NewQueue(label string) (gpu.Queue, error) {
	q, err := e.Engine.NewQueue(label)
	return hookedQueue{q, e}, err
}

func (e hooked) NewBuffer(n int, s gpu.Storage, label string) (gpu.Buffer, error) {
	b, err := e.Engine.NewBuffer(n, s, label)
	if err != nil || e.release == nil {
		return b, err
	}
	return hookedBuffer{b, e}, nil
}

type hookedQueue struct {
	gpu.Queue
	engine hooked
}

func (q hookedQueue) Submit(d ...gpu.Dispatch) (gpu.Submission, error) {
	submit := q.engine.submit
	if submit == nil {
		submit = func(q gpu.Queue, d []gpu.Dispatch) (gpu.Submission, error) { return q.Submit(d...) }
	}
	s, err := submit(q.Queue, d)
	if err != nil || q.engine.wait == nil {
		return s, err
	}
	return hookedSubmission{s, q.engine}, nil
}

type hookedSubmission struct {
	gpu.Submission
	engine hooked
}

func (s hookedSubmission) Wait(ctx context.Context) (gpu.Timing, error) {
	return s.engine.wait(s.Submission, ctx)
}

type hookedBuffer struct {
	gpu.Buffer
	engine hooked
}

func (b hookedBuffer) Release() error              { return b.engine.release(b.Buffer) }
func (b hookedBuffer) Unwrap() (gpu.Buffer, error) { return b.Buffer, nil }

// faultVariable names the fault that the child process of TestContractFindsFaults plays.
const faultVariable = "ASSAY_CONTRACT_FAULT"

// TestFaultyEngine runs the contract on a faulty engine, where it must fail. On its own it has nothing to do.
func TestFaultyEngine(t *testing.T) {
	name := os.Getenv(faultVariable)
	if name == "" {
		t.Skip("runs only as a child of TestContractFindsFaults")
	}
	i := slices.IndexFunc(faults(), func(f fault) bool { return f.name == name })
	Contract(t, func() (gpu.Engine, error) { return faults()[i].spoil(NewFake(Script{})), nil })
}

func TestContractFindsFaults(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			subtest := strings.ReplaceAll(f.requirement, " ", "_")
			pattern := "^TestFaultyEngine$/^" + regexp.QuoteMeta(subtest) + "$/^(add_f32|)$"
			child := exec.Command(program, "-test.run", pattern, "-test.v")
			child.Env = append(os.Environ(), faultVariable+"="+f.name)
			out, err := child.CombinedOutput()
			if err == nil {
				t.Fatalf("the contract passes:\n%s", out)
			}
			if !strings.Contains(string(out), "--- FAIL: TestFaultyEngine/"+subtest) || !strings.Contains(string(out), f.says) {
				t.Errorf("the contract fails otherwise than by %q with %q:\n%s", f.requirement, f.says, out)
			}
		})
	}
}
