package desk

import (
	"context"

	"assay/app"
)

// PlaygroundService runs the user's kernels. All but Engines, Describe, Templates and Gallery may take long: call
// them through Background.
type PlaygroundService interface {
	Engines() []app.OwnEngine
	Templates() []app.OwnExample
	Gallery() []app.OwnExample
	Open(path string) (app.OwnKernel, *app.OwnDescription, error)
	Describe(app.OwnKernel) (*app.OwnDescription, []app.OwnProblem)
	OpenSource(path string) (app.OwnKernel, error)
	Suggest(context.Context, app.OwnKernel) (*app.OwnSuggestion, error)
	Check(context.Context, app.OwnKernel) (*app.OwnReport, error)
	Run(context.Context, app.OwnKernel, app.OwnOptions, func(*app.OwnReport)) (*app.OwnReport, error)
	Time(context.Context, app.OwnKernel, app.OwnOptions, func(*app.OwnReport)) (*app.OwnReport, error)
	Compare(ctx context.Context, base, variant app.OwnKernel, o app.OwnOptions, each func(*app.OwnReport)) (*app.OwnReport, error)
	Save(k, opened app.OwnKernel, replace bool) error
	Keep(app.OwnKernel, *app.OwnReport) error
	Draft() (app.OwnKernel, error)
	KeepDraft(app.OwnKernel) error
}
