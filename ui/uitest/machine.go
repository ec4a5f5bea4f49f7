package uitest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"assay/app"
	"assay/app/bundle"
	"assay/app/drill"
	"assay/app/remote"
)

// Machines is what a test's session reports about drills and other machines.
type Machines struct {
	FailDrill    string // the drill that fails
	HoldDrills   bool   // drills wait until they are stopped
	RefuseRemote error  // the answer to every request to a host
	Jobs         []remote.Job
	Says         string // of a job that is followed
	LoseRemote   error  // how following ends

	mu     sync.Mutex
	drills []string
	asked  []string // of hosts
}

func (m *Machines) heard(what ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, fmt.Sprint(what...))
}

// HostsAsked lists the requests to hosts.
func (m *Machines) HostsAsked() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.asked)
}

// Drilled lists the drills that were run.
func (m *Machines) Drilled() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.drills)
}

// drillService is a Machines as desk.DrillService.
type drillService struct{ *Machines }

// Run is part of desk.DrillService.
func (s drillService) Run(ctx context.Context, name, engine string) drill.Outcome {
	s.mu.Lock()
	s.drills = append(s.drills, name+" on "+engine)
	s.mu.Unlock()
	if s.HoldDrills {
		<-ctx.Done()
	}
	if name == s.FailDrill {
		return drill.Outcome{Drill: name, Saw: "the bundle has 3 of 4 results", Took: 2 * time.Second}
	}
	return drill.Outcome{
		Drill: name, Pass: true, Took: 1500 * time.Millisecond,
		Saw: "The run said: out of memory for the buffer “weights” (16.4 kB), which cost 1 result. 3 of 4 results were measured, and all are in the bundle. The next run measured 4",
	}
}

// remoteService is a Machines as desk.RemoteService.
type remoteService struct{ *Machines }

// SomeJobs are jobs of a host.
func SomeJobs() []remote.Job {
	return []remote.Job{
		{ID: "20261120-120000-a1b2", Args: []string{"batching", "--quick"}, Started: Epoch, State: remote.Running},
		{ID: "20261119-081500-c3d4", Args: []string{"--engine=cuda"}, Started: Epoch.Add(-28 * time.Hour), State: remote.Ended, End: &remote.End{}},
		{ID: "20261118-170000-e5f6", Args: []string{"fusion"}, Started: Epoch.Add(-43 * time.Hour), State: remote.Ended, End: &remote.End{Code: 1}},
		{ID: "20261117-170000-0718", Args: []string{"fusion"}, Started: Epoch.Add(-67 * time.Hour), State: remote.CutOff},
	}
}

// Start is part of desk.RemoteService.
func (s remoteService) Start(_ context.Context, h remote.Host, args []string) (remote.Job, error) {
	s.heard("start ", h.Name, " ", args)
	return remote.Job{ID: "20261120-121500-9a8b", Args: args, Started: Epoch.Add(15 * time.Minute), State: remote.Running}, s.RefuseRemote
}

// List is part of desk.RemoteService.
func (s remoteService) List(_ context.Context, h remote.Host) ([]remote.Job, error) {
	s.heard("list ", h.Name, " ", h.Program)
	return s.Jobs, s.RefuseRemote
}

// Act is part of desk.RemoteService.
func (s remoteService) Act(_ context.Context, h remote.Host, id string, _ func(remote.Host, context.Context, string) error) error {
	s.heard("act ", h.Name, " ", id)
	return s.RefuseRemote
}

// Follow is part of desk.RemoteService.
func (s remoteService) Follow(_ context.Context, h remote.Host, id string, f remote.Following) (remote.Outcome, error) {
	s.heard("follow ", h.Name, " ", id)
	if s.Says != "" {
		if _, err := f.Says.Write([]byte(s.Says)); err != nil {
			return remote.Outcome{}, err
		}
	}
	return remote.Outcome{Dirs: []string{f.Runs + "/" + id}}, s.LoseRemote
}

// Abilities is part of desk.EngineService.
func (s engineService) Abilities(_ context.Context, engine string) ([]app.Ability, error) {
	s.note("abilities " + engine)
	return []app.Ability{
		{Name: "no_copy", Title: "Buffers on the caller’s memory", Available: true, Detail: "4096 bytes were written by the device"},
		{Name: "stages", Title: "Times of single dispatches", Reason: "the CPU engine has no counters"},
	}, nil
}

// SelfTest is part of desk.EngineService: one answer is wrong.
func (s engineService) SelfTest(_ context.Context, engine string) (*bundle.SelfTest, error) {
	s.note("self-test " + engine)
	test := &bundle.SelfTest{Engine: engine, Done: time.Date(2026, 3, 1, 9, 30, 0, 0, time.Local), Checks: []bundle.SelfTested{
		{Name: "matmul_f32", Title: "Matrix product in f32", State: bundle.SelfPassed},
		{Name: "matmul_f16", Title: "Matrix product in f16", State: bundle.SelfFailed, Why: "element 7 is 3, want 2.5"},
		{Name: "matmul_bf16", Title: "Matrix product in bf16", State: bundle.SelfAbsent, Why: "the device has no bfloat"},
	}}
	for i := range s.States {
		if s.States[i].Name == engine {
			s.States[i].SelfTest = test
		}
	}
	return test, nil
}
