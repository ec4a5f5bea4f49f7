package desk

import (
	"context"
	"os"

	"assay/app"
	"assay/app/drill"
	"assay/app/remote"
)

// DrillService runs drills. One takes seconds: call it through Background.
type DrillService interface {
	Run(ctx context.Context, name, engine string) drill.Outcome
}

// RemoteService runs Assay on other machines. Every call talks to them: call it through Background.
type RemoteService interface {
	Start(ctx context.Context, h remote.Host, args []string) (remote.Job, error)
	List(ctx context.Context, h remote.Host) ([]remote.Job, error)
	// Act stops or removes a job.
	Act(ctx context.Context, h remote.Host, id string, do func(remote.Host, context.Context, string) error) error
	Follow(ctx context.Context, h remote.Host, id string, f remote.Following) (remote.Outcome, error)
}

// drillService runs drills in separate processes, while the session measures nothing.
type drillService struct{ session *app.Session }

// Run is part of DrillService.
func (s drillService) Run(ctx context.Context, name, engine string) drill.Outcome {
	self, err := os.Executable()
	if err != nil {
		return drill.Outcome{Drill: name, Saw: err.Error()}
	}
	o := drill.Outcome{Drill: name}
	if err := s.session.Apart(ctx, func(ctx context.Context) { o = drill.InProgram(ctx, self, name, engine) }); err != nil {
		o.Saw = err.Error()
	}
	return o
}

// sshService reaches other machines through the user's ssh.
type sshService struct{}

// Start is part of RemoteService.
func (sshService) Start(ctx context.Context, h remote.Host, args []string) (remote.Job, error) {
	return h.Start(ctx, args)
}

// List is part of RemoteService.
func (sshService) List(ctx context.Context, h remote.Host) ([]remote.Job, error) { return h.List(ctx) }

// Act is part of RemoteService.
func (sshService) Act(ctx context.Context, h remote.Host, id string, do func(remote.Host, context.Context, string) error) error {
	return do(h, ctx, id)
}

// Follow is part of RemoteService.
func (sshService) Follow(ctx context.Context, h remote.Host, id string, f remote.Following) (remote.Outcome, error) {
	return h.Follow(ctx, id, f)
}
