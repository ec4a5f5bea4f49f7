package advice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"assay/internal/si"
	"assay/internal/stats"
)

// Branch is what a step of a flow decides.
type Branch string

// Branches.
const (
	Cause   Branch = "cause"   // this is it: the flow ends
	Loss    Branch = "loss"    // there is something to gain here; the flow goes on
	Clear   Branch = "clear"   // nothing is to be gained here
	Unsure  Branch = "unsure"  // what was measured decides nothing
	Skipped Branch = "skipped" // an earlier step made it needless
)

// Words says what a branch means.
func (b Branch) Words() string {
	switch b {
	case Cause:
		return "this is the cause"
	case Loss:
		return "there is something to gain here"
	case Clear:
		return "not the cause"
	case Unsure:
		return "not certain"
	case Skipped:
		return "not needed"
	}
	return string(b)
}

// Flow is a guided search for the cause of a symptom: each step measures, shows what it saw, and decides where to continue.
type Flow struct {
	Name, Title, Symptom string
	Steps                []Step
	Otherwise            string // what to do if no step finds anything
}

// Step is one measurement of a flow.
type Step struct {
	ID, Title string
	Measures  string // what it measures, and why
	Job       Job
	judge     func(s *Subject) Outcome
}

// Outcome is what a step saw and decided.
type Outcome struct {
	Branch   Branch
	Saw      string // in a sentence
	Do       string // what to do about it; empty if it is clear
	Evidence []Figure
	Speedup  stats.Interval // gain of the fix; NaN: unknown
	Saves    float64        // bytes that the fix saves; NaN: unknown
	Skip     []string       // steps that are no longer necessary
	Busy     bool           // it is uncertain because the machine was disturbed
}

// Taken is a step that was taken, and its outcome.
type Taken struct {
	Step
	Outcome
	Run string // ID of the run that it measured; empty: none
}

// Verdict is the end of a flow.
type Verdict struct {
	Found bool   // there is something to do
	Sure  bool   // every step that counts was decided
	Text  string // in sentences; without a verdict, the reason
	Do    string
	Steps []Taken
}

// Title reports whether there is a verdict.
func (v *Verdict) Title() string {
	if v.Found || v.Sure {
		return "Verdict"
	}
	return "No verdict"
}

// Measurer measures a job of a step.
type Measurer func(ctx context.Context, step *Step) (*Subject, error)

// Walk takes the steps until one finds the cause or, with all, to the end. told is called before a step, without an outcome, and
// after it. It returns an error only when ctx ends.
func (f *Flow) Walk(ctx context.Context, all bool, measure Measurer, told func(Taken)) (Verdict, error) {
	var taken []Taken
	skip := map[string]string{}
	for i := range f.Steps {
		t := Taken{Step: f.Steps[i]}
		if by := skip[t.ID]; by != "" && !all {
			t.Outcome = Outcome{Branch: Skipped, Saw: "Not needed: " + by, Speedup: stats.Unknown(), Saves: math.NaN()}
		} else {
			told(t)
			if err := t.take(ctx, measure); err != nil {
				return f.verdict(taken), err
			}
		}
		for _, id := range t.Skip {
			skip[id] = t.Saw
		}
		taken = append(taken, t)
		told(t)
		if t.Branch == Cause && !all {
			break
		}
	}
	return f.verdict(taken), nil
}

// take measures and judges a step. A step that cannot be measured decides nothing.
func (t *Taken) take(ctx context.Context, measure Measurer) error {
	s, err := measure(ctx, &t.Step)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if s != nil {
		t.Run = s.Run.Meta.ID
	}
	if err != nil {
		if errors.Is(err, context.Canceled) {
			return err
		}
		t.Outcome = unsure("could not be measured: " + err.Error())
		return nil
	}
	t.Outcome = t.judge(s)
	return nil
}

// verdict concludes from the steps that were taken.
func (f *Flow) verdict(taken []Taken) Verdict {
	v := Verdict{Steps: taken, Sure: true}
	var losses []Taken
	var unsure []Taken
	for _, t := range taken {
		switch t.Branch {
		case Cause:
			if !v.Found {
				v.Found, v.Text, v.Do = true, t.Title+": "+t.Saw, t.Do
			}
		case Loss:
			losses = append(losses, t)
		case Unsure:
			unsure = append(unsure, t)
		}
	}
	if v.Found {
		return v
	}
	v.Sure = len(unsure) == 0
	slices.SortStableFunc(losses, func(a, b Taken) int { return cmp.Compare(b.size(), a.size()) })
	switch {
	case len(losses) > 0:
		v.Found, v.Do = true, losses[0].Do
		v.Text = "The largest gain is here: "
		if !v.Sure {
			v.Text = "Of what could be decided, the largest gain is here: "
		}
		v.Text += losses[0].Title + ". " + losses[0].Saw + then(losses[1:])
	case v.Sure:
		v.Text, v.Do = fmt.Sprintf("None of the usual causes: %s found nothing.", si.Counted(len(taken), "step")), f.Otherwise
	default:
		v.Do = doAbout(unsure)
	}
	if !v.Sure {
		v.Text = strings.TrimSpace(fmt.Sprintf("%s %d of %s could not be decided. %s: %s", v.Text, len(unsure), si.Counted(len(taken), "step"), unsure[0].Title, unsure[0].Saw))
	}
	return v
}

// doAbout says what to do about steps that were not decided.
func doAbout(unsure []Taken) string {
	if slices.ContainsFunc(unsure, func(t Taken) bool { return t.Busy }) {
		return "Measure again on a quiet machine."
	}
	return "See at each step why it could not be decided, fix that and measure again."
}

// then names further possible gains, in order.
func then(losses []Taken) string {
	if len(losses) == 0 {
		return ""
	}
	var list []string
	for _, t := range losses {
		list = append(list, lowered(t.Title)+" ("+t.gain()+")")
	}
	return " Then " + strings.Join(list, ", ") + "."
}

// size is the key by which losses are compared within a flow, which has either times or bytes.
func (o *Outcome) size() float64 {
	if o.Saves > 0 {
		return o.Saves
	}
	return o.Speedup.Median
}

// gain states the size of a loss.
func (o *Outcome) gain() string {
	if o.Saves > 0 {
		return si.Bytes(o.Saves)
	}
	return si.Ratio(o.Speedup.Median)
}

// Outcomes of steps.

func unsure(why string, figures ...Figure) Outcome {
	return Outcome{Branch: Unsure, Saw: sentence(why), Evidence: figures, Speedup: stats.Unknown(), Saves: math.NaN()}
}

// missing is the outcome of a step whose figures are missing.
func missing(l lack) Outcome {
	out := unsure(l.why)
	out.Busy = l.disturbed
	return out
}

func clean(why string, figures ...Figure) Outcome {
	return Outcome{Branch: Clear, Saw: sentence(why), Evidence: figures, Speedup: stats.Unknown(), Saves: math.NaN()}
}

// ofPiece is the outcome of a step in which a rule applies.
func ofPiece(p *Piece, branch Branch) Outcome {
	return Outcome{Branch: branch, Saw: p.Text, Do: p.Do, Evidence: p.Evidence, Speedup: p.Gain.Speedup, Saves: math.NaN()}
}

// contrasting judges a step by contrasts: the one with the largest gain counts.
func contrasting(ids ...string) func(*Subject) Outcome {
	return func(s *Subject) Outcome {
		var best *Piece
		out := unsure("nothing was measured")
		for _, id := range ids {
			c := contrastNamed(id)
			r := c.reply(s)
			switch {
			case r.lack.why != "":
				if out.Branch == Unsure && !out.Busy {
					out = missing(r.lack)
				}
			case r.better == 0:
				out = clean(c.says(&r), r.evidence()...)
			default:
				if p := c.piece(s, &r); best == nil || p.Gain.order() > best.Gain.order() {
					best = &p
				}
			}
		}
		if best != nil {
			return ofPiece(best, Loss)
		}
		return out
	}
}
