package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// Start starts a run on the host: `assay run ARGS`.
func (h Host) Start(ctx context.Context, args []string) (Job, error) {
	var job Job
	out, err := h.ask(ctx, append([]string{"remote", "start", "--"}, args...)...)
	if err != nil {
		return job, err
	}
	if err := json.Unmarshal(out, &job); err != nil || !plainName.MatchString(job.ID) {
		return job, errors.Join(fmt.Errorf("%s answered %.100q, which is not Assay", h.Name, out), err)
	}
	return job, nil
}

// List lists the jobs on the host.
func (h Host) List(ctx context.Context) (all []Job, err error) {
	out, err := h.ask(ctx, "remote", "list", "--json")
	if err == nil {
		err = json.Unmarshal(out, &all)
	}
	all = slices.DeleteFunc(all, func(j Job) bool { return !plainName.MatchString(j.ID) })
	return all, err
}

// Stop interrupts a job on the host.
func (h Host) Stop(ctx context.Context, id string) error {
	_, err := h.ask(ctx, "remote", "stop", id)
	return err
}

// Remove removes a job that has ended from the host, with its bundle.
func (h Host) Remove(ctx context.Context, id string) error {
	_, err := h.ask(ctx, "remote", "remove", id)
	return err
}

// Following says how to follow a job.
type Following struct {
	Runs  string        // the folder that its bundles are copied into
	Says  io.Writer     // what the job says while it runs
	Lost  func(error)   // the connection was lost and will be retried
	Tries time.Duration // how long to retry; the job continues there in any case
}

// Outcome is the outcome of a job.
type Outcome struct {
	End  End
	Dirs []string // its bundles on this machine
}

// Follow copies what a job writes, while it runs, until it has ended. A lost connection is made again and continues where it
// stopped. The error is a *LostError if it could not be made again in time: what was copied so far stays, and Follow can be
// called again.
func (h Host) Follow(ctx context.Context, id string, f Following) (Outcome, error) {
	m := newMirror(f.Runs, h.Name+" "+id, f.Says)
	defer m.close() //nolint:errcheck // reported below where it matters
	since := time.Now()
	for pause := time.Second; ; pause = min(2*pause, 30*time.Second) {
		before := m.bytes()
		end, err := h.receive(ctx, id, m)
		if err == nil {
			return Outcome{End: *end, Dirs: m.dirs}, m.close()
		}
		if m.bytes() > before {
			since, pause = time.Now(), time.Second
		}
		var lost *LostError
		if !errors.As(err, &lost) || time.Since(since)+pause > f.Tries {
			return Outcome{Dirs: m.dirs}, err
		}
		if f.Lost != nil {
			f.Lost(err)
		}
		select {
		case <-ctx.Done():
			return Outcome{Dirs: m.dirs}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

func (m *mirror) bytes() (n int64) {
	for _, have := range m.have {
		n += have
	}
	return n
}

// receive handles one connection. Files that arrived damaged are requested once more.
func (h Host) receive(ctx context.Context, id string, m *mirror) (*End, error) {
	for range 2 {
		last, err := h.stream(ctx, id, m)
		if err != nil {
			return nil, err
		}
		file, err := m.wrong(last.Sums)
		if err != nil || file == "" {
			return last.Ended, err
		}
		m.forget(file)
	}
	return nil, fmt.Errorf("the run's files arrived damaged from %s twice: fetch job %s again", h.Name, id)
}

// stream reads the messages of one connection; the last one has Ended.
func (h Host) stream(ctx context.Context, id string, m *mirror) (*frame, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	have, err := json.Marshal(m.have)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := h.command(ctx, "remote", "send", id, string(have))
	var said tail
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("cannot run ssh: %w", err)
	}
	var last frame
	done, err := frames(out, func(f *frame) error {
		if f.Ended != nil {
			last = *f
			return nil
		}
		return m.take(f)
	})
	if err != nil {
		cancel()
	}
	ran := cmd.Wait()
	switch {
	case done:
		return &last, nil
	case err != nil:
		return nil, err
	}
	if err := h.failed(ctx, ran, said.String()); err != nil {
		return nil, err
	}
	return nil, &LostError{Host: h.Name, Why: "the connection ended"}
}
