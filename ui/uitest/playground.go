package uitest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"assay/app"
)

// Playground is a scripted service for the user's kernels: descriptions are parsed, nothing is compiled or run.
type Playground struct {
	Checked func(app.OwnKernel) *app.OwnReport // the report of a check; nil: without problems
	Outcome *app.OwnReport                     // of Run, Time and Compare
	Err     error                              // of those
	Hang    bool                               // they last until they are canceled
	Stored  map[string]app.OwnKernel           // by path

	mu    sync.Mutex
	asked []string // see Asked
	draft app.OwnKernel
	// Taken are the files that saving would overwrite.
	Taken *app.OwnExists
}

// playgroundService is a Playground as desk.PlaygroundService.
type playgroundService struct{ *Playground }

// Asked lists the requests so far, in order: "run cpu", "save /x".
func (p *Playground) Asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func (p playgroundService) note(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, what)
}

// Engines is part of desk.PlaygroundService.
func (playgroundService) Engines() []app.OwnEngine {
	return []app.OwnEngine{{Name: "auto", Title: "Automatic"}, {Name: "cpu", Title: "CPU (checks, no GPU)"}}
}

// Templates is part of desk.PlaygroundService.
func (playgroundService) Templates() []app.OwnExample {
	return []app.OwnExample{
		{Name: "scaled", About: "y = a · x", Files: app.OwnKernel{Path: "scaled.kernel.toml", Description: ScaledDescription, Source: ScaledSource}},
		{Name: "empty", Files: app.OwnKernel{Path: "empty.kernel.toml", Description: "[launch]\ngrid = 1\nthreadgroup = 1\n", Source: "kernel void empty() {}\n"}},
	}
}

// Gallery is part of desk.PlaygroundService.
func (playgroundService) Gallery() []app.OwnExample {
	return []app.OwnExample{{Name: "race", About: "threads read what others write", Files: app.OwnKernel{
		Path: "race.kernel.toml", Description: ScaledDescription, Source: strings.Replace(ScaledSource, "x[i]", "y[i + 1]", 1),
	}}}
}

// Open is part of desk.PlaygroundService.
func (p playgroundService) Open(path string) (app.OwnKernel, *app.OwnDescription, error) {
	k, ok := p.Stored[path]
	if !ok {
		return k, nil, errors.New("there is no file " + path)
	}
	d, _ := app.OwnDescribe(k)
	return k, d, p.Err
}

// OpenSource is part of desk.PlaygroundService.
func (p playgroundService) OpenSource(path string) (app.OwnKernel, error) {
	for _, name := range []string{strings.TrimSuffix(path, ".metal") + ".kernel.toml", path} {
		if k, ok := p.Stored[name]; ok {
			return k, nil
		}
	}
	return app.OwnKernel{}, errors.New("there is no file " + path)
}

// Suggest is part of desk.PlaygroundService.
func (p playgroundService) Suggest(context.Context, app.OwnKernel) (*app.OwnSuggestion, error) {
	p.note("suggest")
	return &app.OwnSuggestion{
		Entry: "scaled", Constants: []app.OwnSuggested{{Name: "mode", Value: "1"}}, Args: []app.OwnSuggested{
			{Name: "x", Value: `{ fill = "random", length = "n" }`}, {Name: "y", Value: `{ fill = "output", length = "n" }`}, {Name: "a", Value: "{ value = 1 }"},
		},
	}, p.Err
}

// Describe is part of desk.PlaygroundService.
func (playgroundService) Describe(k app.OwnKernel) (*app.OwnDescription, []app.OwnProblem) {
	return app.OwnDescribe(k)
}

// Check is part of desk.PlaygroundService.
func (p playgroundService) Check(_ context.Context, k app.OwnKernel) (*app.OwnReport, error) {
	p.note("check")
	if p.Checked != nil {
		return p.Checked(k), nil
	}
	return &app.OwnReport{Source: "scaled.metal", Entries: []string{"scaled", "scaled_slow"}, Done: true}, nil
}

// Run is part of desk.PlaygroundService.
func (p playgroundService) Run(ctx context.Context, _ app.OwnKernel, o app.OwnOptions, each func(*app.OwnReport)) (*app.OwnReport, error) {
	return p.do(ctx, "run "+o.Engine, each)
}

// Time is part of desk.PlaygroundService.
func (p playgroundService) Time(ctx context.Context, _ app.OwnKernel, o app.OwnOptions, each func(*app.OwnReport)) (*app.OwnReport, error) {
	return p.do(ctx, strings.TrimSpace("time "+o.Engine+" "+o.Sweep), each)
}

// Compare is part of desk.PlaygroundService.
func (p playgroundService) Compare(ctx context.Context, base, _ app.OwnKernel, o app.OwnOptions, each func(*app.OwnReport)) (*app.OwnReport, error) {
	return p.do(ctx, "compare "+o.Engine+" with "+base.Path, each)
}

func (p playgroundService) do(ctx context.Context, what string, each func(*app.OwnReport)) (*app.OwnReport, error) {
	p.note(what)
	if p.Hang {
		<-ctx.Done()
		return &app.OwnReport{}, ctx.Err()
	}
	if p.Err != nil {
		return &app.OwnReport{}, p.Err
	}
	each(p.Outcome)
	return p.Outcome, nil
}

// Save is part of desk.PlaygroundService.
func (p playgroundService) Save(k, _ app.OwnKernel, replace bool) error {
	if p.Taken != nil && !replace {
		return p.Taken
	}
	p.note("save " + k.Path)
	return p.Err
}

// Keep is part of desk.PlaygroundService.
func (p playgroundService) Keep(k app.OwnKernel, _ *app.OwnReport) error {
	p.note("keep " + k.Path)
	return nil
}

// Draft is part of desk.PlaygroundService.
func (p playgroundService) Draft() (app.OwnKernel, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.draft, nil
}

// KeepDraft is part of desk.PlaygroundService.
func (p playgroundService) KeepDraft(k app.OwnKernel) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draft = k
	return nil
}

// ScaledSource and ScaledDescription make up a complete kernel.
const (
	ScaledSource = `#include <metal_stdlib>
using namespace metal;

// Each thread does one element.
kernel void scaled(device const float *x [[buffer(0)]],
                   device float *y [[buffer(1)]],
                   constant float &a [[buffer(2)]],
                   constant uint &n [[buffer(3)]],
                   uint i [[thread_position_in_grid]]) {
    if (i < n) {
        y[i] = a * x[i];
    }
}
`
	ScaledDescription = `about = "y = a · x"

[sizes]
n = { value = 4096, sweep = [256, 4096, 65536] }

[args]
x = { fill = "random", length = "n" }
y = { fill = "output", length = "n" }
a = { value = 2.5 }
n = { value = "n" }

[launch]
grid = "n"
threadgroup = 64

[reference]
starlark = '''
def y(i):
    return a * x[i]
'''
`
)
