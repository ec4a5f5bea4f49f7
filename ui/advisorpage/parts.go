package advisorpage

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app/advice"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// advice shows what the rules find in the visible run.
func (p *page) advice(*part) []fyne.CanvasObject {
	a := &p.desk.Model.Advising
	switch {
	case a.Run == nil:
		return []fyne.CanvasObject{panel(view.NewNoRun("No run is shown. Run a workload, or open a past run.",
			func() { p.desk.Show(desk.PageRun) }, func() { p.desk.Show(desk.PageHistory) }))}
	case a.Run.Meta.Watch != nil:
		return say("The run shown watched another program: there is no advice about such runs.")
	case a.Reading:
		return say("Looking at " + a.Run.Meta.ID + ".")
	case len(a.Pieces) == 0:
		return say(strings.TrimSpace("Nothing to advise about " + a.Run.Meta.ID + ": no rule has evidence in it. " + advice.LeftOut(a.Run)))
	}
	about := fmt.Sprintf("About %s, %s on %s.", a.Run.Meta.ID, a.Run.Meta.Engine.Engine, a.Run.Meta.Engine.Device)
	if left := advice.LeftOut(a.Run); left != "" {
		about += " " + left
	}
	out := []fyne.CanvasObject{kit.NewCaption(plain.Text(about), 3)}
	for i := range a.Pieces {
		out = append(out, p.piece(&a.Pieces[i]))
	}
	return out
}

// piece is the card of a piece of advice, with its gain.
func (p *page) piece(piece *advice.Piece) fyne.CanvasObject {
	head := kit.NewHeading(piece.Title)
	lines := []fyne.CanvasObject{head, words("", piece.Text), words("What to do:", piece.Do), words("Gain:", piece.Gain.Words())}
	lines = append(lines, figures(piece.Evidence)...)
	gain := p.desk.Model.Advising.Gains[piece.Rule]
	if gain != nil {
		lines = append(lines, measured(gain))
	}
	if piece.Trial != nil {
		b := kit.NewButton("Measure the Gain", func() { p.desk.MeasureGain(piece) })
		kit.Able(b, p.desk.Model.CannotMeasureAdvice() == "")
		lines = append(lines, kit.Row(8, b))
	}
	return panel(lines...)
}

// measured says what measuring a gain has shown so far.
func measured(g *desk.Gain) fyne.CanvasObject {
	r := g.Result
	switch {
	case g.Why != "":
		return words("Not measured:", g.Why)
	case r == nil && !g.Over:
		return words("", "Measuring: before and after, alternately.")
	case r == nil:
		return words("", "Stopped.")
	}
	text := fmt.Sprintf("Measured now: before %s, after %s.", si.Time(r.Time("A")), si.Time(r.Time("B")))
	if !g.Over {
		return words(text, fmt.Sprintf("%d of %d rounds, %d disturbed.", r.Rounds, r.Wanted, r.Aside))
	}
	return words(text, plain.Capitalized(r.SentenceOf("before", "after")))
}

// checklist shows the lines of a checklist, ticked if it was measured.
func (p *page) checklist(list *advice.Checklist) []fyne.CanvasObject {
	a := &p.desk.Model.Advising
	c := a.Checked[list.Name]
	var out []fyne.CanvasObject
	switch {
	case a.Doing == list.Name:
		out = say("Measuring what the lines need; the Run page shows its progress.")
	case c != nil && c.Why != "":
		out = say("Not measured completely: " + c.Why)
	}
	if c != nil && c.Run != nil {
		out = append(out, kit.NewCaption(plain.Text(fmt.Sprintf("%s; by the run %s, %s on %s.", advice.Tally(c.Lines), c.Run.Meta.ID, c.Run.Meta.Engine.Engine,
			c.Run.Meta.Engine.Device)), 2))
		for i := range c.Lines {
			out = append(out, line(&c.Lines[i].Item, &c.Lines[i].Tick))
		}
		return out
	}
	for i := range list.Items {
		out = append(out, line(&list.Items[i], nil))
	}
	return out
}

// line is a line of a checklist; without a tick it has not been measured yet.
func line(item *advice.Item, tick *advice.Tick) fyne.CanvasObject {
	state, icon := "not measured", theme.CheckButtonIcon()
	if tick != nil {
		state = string(tick.State)
		switch tick.State {
		case advice.Done:
			icon = theme.CheckButtonCheckedIcon()
		case advice.NotAvailable, advice.NotCertain:
			icon = theme.QuestionIcon()
		}
	}
	word := kit.NewCaption(plain.Capitalized(state), 1).Whole()
	word.Style.Bold = true
	shape := container.NewCenter(container.NewGridWrap(fyne.NewSize(18, 18), widget.NewIcon(icon)))
	lines := []fyne.CanvasObject{container.NewBorder(nil, nil, shape, word, kit.NewHeading(item.Title)), words("", item.Asks)}
	if tick != nil {
		lines = append(lines, words("", tick.Why))
		lines = append(lines, figures(tick.Evidence)...)
	}
	return panel(append(lines, kit.NewCaption("Done when "+item.When+".", 3))...)
}

// flow shows the steps of a flow up to its current one, and its verdict.
func (p *page) flow(f *advice.Flow) []fyne.CanvasObject {
	w := p.desk.Model.Advising.Walked[f.Name]
	var out []fyne.CanvasObject
	if w != nil && w.Verdict != nil {
		out = append(out, panel(kit.NewHeading(w.Verdict.Title()), words("", w.Verdict.Text), words("What to do:", w.Verdict.Do)))
	}
	if w != nil && w.Why != "" {
		out = append(out, say("No verdict: "+w.Why)...)
	}
	for i := range f.Steps {
		var taken *advice.Taken
		if w != nil && i < len(w.Steps) {
			taken = &w.Steps[i]
		}
		out = append(out, step(i+1, &f.Steps[i], taken))
	}
	return out
}

// step shows a step of a flow and its outcome.
func step(n int, s *advice.Step, taken *advice.Taken) fyne.CanvasObject {
	state := ""
	switch {
	case taken == nil:
	case taken.Branch == "":
		state = "measuring"
	default:
		state = taken.Branch.Words()
	}
	word := kit.NewCaption(plain.Capitalized(state), 1).Whole()
	word.Style.Bold = true
	lines := []fyne.CanvasObject{container.NewBorder(nil, nil, nil, word, kit.NewHeading(fmt.Sprintf("%d. %s", n, s.Title))), kit.NewCaption(s.Measures, 3)}
	if taken != nil && taken.Saw != "" {
		lines = append(lines, words("", taken.Saw))
		lines = append(lines, figures(taken.Evidence)...)
	}
	return panel(lines...)
}
