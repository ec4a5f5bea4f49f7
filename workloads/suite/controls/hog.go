package controls

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"assay/internal/si"
	"assay/workloads"
	"assay/workloads/bench"
	"assay/workloads/measure"
)

// Hog is a control: another process keeps the device busy, which must not lead to a conclusion.
func Hog() workloads.Workload {
	return workloads.Workload{
		Name: "hog", Title: "Competing load", Group: group, Control: true, Prove: proveHog,
		About:    "Compares a kernel with itself while another process keeps the device busy, to show that the results are marked and no difference is reported.",
		Question: "Would Assay notice another program on the device?",
		Params:   []workloads.Param{sizeParam()},
		Quick:    map[string]any{"size": 256},
		Run:      run(runHog),
		Axes:     axes(), Views: views(),
	}
}

// Cases without and with the other process.
const (
	aloneCase  = "alone"
	besideCase = "with another process"
)

// Relative differences: above the first, the times of the two cases differ; below the second, those of one case agree.
const (
	besideApart   = 0.15
	besideMatters = 0.05
)

// errNoRival explains why there is no other process.
var errNoRival = errors.New("no other process can be started here")

func runHog(ctx context.Context, b *bench.Bench, v workloads.Values) error {
	if anchor, err := bench.NewAnchor(ctx, b.Engine, measure.AnchorOptions{Timeout: -time.Second, Share: 1}); err == nil {
		defer anchor.Close()
		b.Anchor = anchor.Watch()
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	compared := func(name string) bench.Case {
		return named(name, func(s *bench.Scope) ([]bench.Variant, error) { return products(s, v.Int("size"), sameFirst, "copy") })
	}
	if err := b.MeasureAll(ctx, []bench.Case{compared(aloneCase)}); err != nil {
		return err
	}
	stop, err := rival(ctx, b)
	if err != nil {
		return b.MeasureAll(ctx, []bench.Case{named(besideCase, func(*bench.Scope) ([]bench.Variant, error) { return nil, err })})
	}
	err = b.MeasureAll(ctx, []bench.Case{compared(besideCase)})
	return errors.Join(err, stop())
}

func rival(ctx context.Context, b *bench.Bench) (stop func() error, err error) {
	if b.Rival == nil {
		return nil, errNoRival
	}
	return b.Rival(ctx)
}

func proveHog(s workloads.Seen) workloads.Proof {
	if p := untimedCase(s.Results, aloneCase, besideCase); p != nil {
		return *p
	}
	alone, both := &only(s.Results, aloneCase)[0], only(s.Results, besideCase)
	if text, disturbed := alone.Disturbed(); disturbed {
		return workloads.Undecided("the machine was not quiet before: " + strings.TrimPrefix(text, "disturbed: "))
	}
	ratio := both[0].Time().Median / alone.Time().Median
	times := "with the other process running, the kernel took " + si.Digits(ratio) + " times as long"
	text, disturbed := both[0].Disturbed()
	apart, _ := differences(both, besideMatters)
	switch aside := both[0].Number(workloads.SetAside); {
	case disturbed:
		return workloads.Passed(times + ", and is marked (" + text + ")")
	case apart != "":
		return workloads.Missed("with the other process running, " + apart + ", but the result is not marked")
	case ratio > 1+besideApart || ratio < 1/(1+besideApart):
		return workloads.Missed(times + ", but the result is not marked")
	case aside > 0:
		return workloads.Passed(fmt.Sprintf("%s; %.0f samples taken meanwhile were set aside", times, aside))
	}
	return workloads.Passed("the other process made no difference that matters: with it, the kernel took " + si.Digits(ratio) + " times as long")
}
