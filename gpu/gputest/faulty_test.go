package gputest

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"assay/gpu"
	"assay/internal/race"
)

// fault is one way in which an engine may break the contract, and the requirement that must fail for it.
type fault struct {
	name        string
	requirement string
	says        string // in the failure
	breaks      func(gpu.Engine) gpu.Engine
}

func faults() []fault {
	return []fault{
		{"wrong results", "kernel results match the reference", "want", func(gpu.Engine) gpu.Engine {
			return NewFake(Script{Steps: []Step{{Wrong: true}}, Repeat: true})
		}},
		{"writes behind an output", "kernel results match the reference", "behind argument out was overwritten", afterward(
			func(d gpu.Launch) error {
				b := d.Bindings[len(d.Bindings)-1]
				spec := d.Kernel.Spec()
				return b.Buffer.Write(min(b.Offset+spec.Bytes(len(spec.Args)-1, d.Params), b.Buffer.Size()-1), []byte{1})
			})},
		{"writes before an output", "kernel results match the reference", "before argument out was overwritten", afterward(
			func(d gpu.Launch) error {
				b := d.Bindings[len(d.Bindings)-1]
				return b.Buffer.Write(max(b.Offset-1, 0), []byte{1})
			})},
		{"changes an input", "kernel results match the reference", "was changed", afterward(func(d gpu.Launch) error {
			return d.Bindings[0].Buffer.Write(d.Bindings[0].Offset, []byte{1})
		})},
		{"touches empty outputs", "zero size touches nothing", "changed argument out", afterward(func(d gpu.Launch) error {
			return d.Bindings[len(d.Bindings)-1].Buffer.Fill(0)
		})},
		{"runs launches backward", "launches of one program run in order", "dependent additions", prepares(
			func(e gpu.Engine, c []gpu.Command) (gpu.Program, error) {
				slices.Reverse(c)
				return e.Prepare(c...)
			})},
		{"runs launches before it has checked all", "a refused program runs nothing", "refused program ran", prepares(
			func(e gpu.Engine, c []gpu.Command) (gpu.Program, error) {
				q, err := e.NewQueue("early")
				if err != nil {
					return nil, err
				}
				for _, one := range c {
					if _, err := Submit(e, q, one); err != nil {
						return nil, errors.Join(err, q.Close())
					}
				}
				return e.Prepare(c...)
			})},
		{"runs a program once", "a program runs as often as it is told", "dependent additions", queues(
			func(q gpu.Queue, p gpu.Program, repeat int) (gpu.Submission, error) {
				return q.Submit(p, min(repeat, 1))
			})},
		{"takes a repeat of zero", "a repeat below one is refused", "no error", queues(
			func(q gpu.Queue, p gpu.Program, repeat int) (gpu.Submission, error) {
				return q.Submit(p, max(repeat, 1))
			})},
		{"waits for each submission", "submissions need not wait for each other", "had ended", queues(
			func(q gpu.Queue, p gpu.Program, repeat int) (gpu.Submission, error) {
				s, err := q.Submit(p, repeat)
				if err == nil {
					_, err = s.Wait(context.Background())
				}
				return s, err
			})},
		{"does not copy", "copies and fills run in order", "holds", prepares(
			func(e gpu.Engine, c []gpu.Command) (gpu.Program, error) {
				c = slices.DeleteFunc(c, func(c gpu.Command) bool { _, is := c.(gpu.Copy); return is })
				return e.Prepare(c...)
			})},
		{"does not await", "events order the work of two queues", "holds", prepares(
			func(e gpu.Engine, c []gpu.Command) (gpu.Program, error) {
				c = slices.DeleteFunc(c, func(c gpu.Command) bool { _, is := c.(gpu.Await); return is })
				return e.Prepare(c...)
			})},
		{"tells no time", "times are sane", "want 0 < Device", waits(func(gpu.Submission, context.Context) (gpu.Timing, error) {
			return gpu.Timing{}, nil
		})},
		{"fails a wait that comes again", "a canceled wait does not cancel the work", "after a canceled wait", waits(
			func(s gpu.Submission, ctx context.Context) (gpu.Timing, error) {
				if ctx.Done() != nil {
					return gpu.Timing{}, ctx.Err()
				}
				return gpu.Timing{}, gpu.ErrExecution
			})},
		{"takes a second release", "a released buffer refuses use", "second Release: no error", buffers(
			func(b gpu.Buffer) error { _ = b.Release(); return nil })},
		{"keeps what was released", "the ledger follows every buffer", "Memory is", buffers(func(gpu.Buffer) error { return nil })},
		{"closes in silence", "Close reports live buffers", "no error", func(e gpu.Engine) gpu.Engine { return silent{e} }},
	}
}

// silent closes without an error.
type silent struct{ gpu.Engine }

func (e silent) Close() error { _ = e.Engine.Close(); return nil }

// hooked is an engine with faulty queues, waits or releases.
type hooked struct {
	gpu.Engine
	prepare func(gpu.Engine, []gpu.Command) (gpu.Program, error)
	submit  func(gpu.Queue, gpu.Program, int) (gpu.Submission, error)
	wait    func(gpu.Submission, context.Context) (gpu.Timing, error)
	release func(gpu.Buffer) error
}

func prepares(prepare func(gpu.Engine, []gpu.Command) (gpu.Program, error)) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, prepare: prepare} }
}

func queues(submit func(gpu.Queue, gpu.Program, int) (gpu.Submission, error)) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, submit: submit} }
}

func waits(wait func(gpu.Submission, context.Context) (gpu.Timing, error)) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, wait: wait} }
}

func buffers(release func(gpu.Buffer) error) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine { return hooked{Engine: e, release: release} }
}

// afterward does something to each launch's buffers once it has run.
func afterward(f func(gpu.Launch) error) func(gpu.Engine) gpu.Engine {
	return func(e gpu.Engine) gpu.Engine {
		var all sync.Map // of programs to their commands
		return hooked{
			Engine: e,
			prepare: func(e gpu.Engine, c []gpu.Command) (gpu.Program, error) {
				p, err := e.Prepare(c...)
				all.Store(p, c)
				return p, err
			},
			submit: func(q gpu.Queue, p gpu.Program, repeat int) (gpu.Submission, error) {
				s, err := q.Submit(p, repeat)
				if err != nil {
					return nil, err
				}
				_, err = s.Wait(context.Background())
				c, _ := all.Load(p)
				for _, one := range c.([]gpu.Command) {
					err = errors.Join(err, f(one.(gpu.Launch)))
				}
				return s, err
			},
		}
	}
}

func (e hooked) Prepare(c ...gpu.Command) (gpu.Program, error) {
	if e.prepare == nil {
		return e.Engine.Prepare(c...)
	}
	return e.prepare(e.Engine, slices.Clone(c))
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

func (q hookedQueue) Submit(p gpu.Program, repeat int) (gpu.Submission, error) {
	submit := q.engine.submit
	if submit == nil {
		submit = func(q gpu.Queue, p gpu.Program, repeat int) (gpu.Submission, error) { return q.Submit(p, repeat) }
	}
	s, err := submit(q.Queue, p, repeat)
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

// faultVariable names the fault that the child process of TestContractFindsFaults simulates.
const faultVariable = "ASSAY_CONTRACT_FAULT"

// TestFaultyEngine runs the contract on a faulty engine, where it must fail. On its own it has nothing to do.
func TestFaultyEngine(t *testing.T) {
	name := os.Getenv(faultVariable)
	if name == "" {
		t.Skip("runs only as a child of TestContractFindsFaults")
	}
	i := slices.IndexFunc(faults(), func(f fault) bool { return f.name == name })
	Contract(t, func() (gpu.Engine, error) { return faults()[i].breaks(NewFake(Script{})), nil })
}

func TestContractFindsFaults(t *testing.T) {
	if race.On {
		t.Skip("one goroutine's faults, some of which only the clauses find that are left out here")
	}
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
