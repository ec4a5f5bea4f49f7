package historypage

import (
	"context"
	"fmt"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/app/bundle"
	"assay/app/report"
	"assay/internal/si"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// replay draws the monitor's readings of a run, over the time since its start.
type replay struct {
	desk   *desk.Desk
	dir    string // of the run shown or being read
	ended  time.Time
	cancel context.CancelFunc // cancels the read in progress
	title  *kit.Text
	parts  *kit.Segments  // of the readings
	words  *kit.Text      // while there are no charts
	charts *view.LiveGrid // nil until a run was drawn
	holder *fyne.Container
	object *fyne.Container
}

func newReplay(d *desk.Desk) *replay {
	r := &replay{desk: d, title: kit.NewCaption("", 4), words: kit.NewBody("", 4), holder: container.NewStack()}
	r.words.Color = kit.ColorSecondary
	r.parts = kit.NewSegments(func(int) { r.choose() }, append([]string{"All"}, monitor.Parts()...)...)
	r.parts.Object.Hide()
	head := container.NewBorder(nil, nil, nil, container.NewCenter(r.parts.Object), kit.Middle(r.title))
	r.object = container.New(kit.HeadedLayout{Gap: 4}, head, kit.StackOf(r.holder, r.words))
	return r
}

// choose shows the chosen part of the readings.
func (r *replay) choose() {
	if r.charts != nil {
		r.charts.Only(append([]string{""}, monitor.Parts()...)[r.parts.At])
	}
}

// show replays a run; nil: none.
func (r *replay) show(s *bundle.Summary) {
	if s != nil && s.Dir == r.dir && s.Finished.Equal(r.ended) {
		return
	}
	if r.cancel != nil {
		r.cancel()
		r.cancel = nil
	}
	r.clear("")
	if s == nil {
		r.dir = ""
		return
	}
	r.dir, r.ended = s.Dir, s.Finished
	if s.State == bundle.Damaged {
		r.clear("Nothing to replay.")
		return
	}
	r.read(s.Dir)
}

// read reads the run in the background.
func (r *replay) read(dir string) {
	r.clear("Loading readings.")
	ctx, cancel := context.WithCancel(r.desk.Life())
	r.cancel = cancel
	r.desk.Background(func() func() {
		p, err := report.LoadReplay(ctx, dir)
		var record *view.Record
		if err == nil {
			record = recordOf(p, r.desk.Model.Title)
		}
		return func() {
			gone := ctx.Err() != nil
			cancel()
			if gone || r.dir != dir {
				return
			}
			r.draw(p, record, err)
		}
	})
}

// clear removes the charts, and says why there are none.
func (r *replay) clear(words string) {
	r.title.Set("")
	r.words.Set(words)
	r.parts.Object.Hide()
	r.holder.Objects = nil
	r.holder.Refresh()
}

// draw draws the charts.
func (r *replay) draw(p *report.Replay, record *view.Record, err error) {
	switch {
	case err != nil:
		r.clear("Cannot replay: " + err.Error())
		return
	case len(p.Run.Snapshots) < 2:
		r.clear("Too few readings to draw: " + si.Counted(len(p.Run.Snapshots), "reading") + ".")
		return
	}
	r.words.Set("")
	r.title.Set(titleOf(p))
	if r.charts == nil {
		r.charts = view.NewReplay(record)
		r.desk.Pace(r.charts)
	} else {
		r.charts.Replay(record)
	}
	r.choose()
	r.parts.Object.Show()
	r.holder.Objects = []fyne.CanvasObject{r.charts.Object}
	r.object.Refresh()
}

// titleOf says what is drawn.
func titleOf(p *report.Replay) string {
	words := fmt.Sprintf("Replay: %s, %s", si.Duration(p.End), si.Counted(len(p.Cases), "case"))
	if len(p.Marks) > 0 {
		words += ", " + si.Counted(len(p.Marks), "mark")
	}
	if spent := p.TimeSpent(); spent != "" {
		words += "; " + spent
	}
	if p.Every > 1 {
		words += fmt.Sprintf("; showing 1 of every %d readings", p.Every)
	}
	for _, s := range p.Cases {
		if s.Guessed {
			return words + "; the ends of cases were not recorded"
		}
	}
	return words
}

// recordOf returns a replay on the clock of its snapshots.
func recordOf(p *report.Replay, title func(workload string) string) *view.Record {
	begun := p.Run.Meta.Started
	at := func(seconds float64) time.Time { return begun.Add(time.Duration(seconds * float64(time.Second))) }
	var spans []view.Span
	for _, s := range p.Cases {
		spans = append(spans, view.Span{From: at(s.From), To: at(s.To), Label: s.Case})
	}
	if len(spans) > maxCases {
		spans = nil
		for _, s := range p.Jobs {
			spans = append(spans, view.Span{From: at(s.From), To: at(s.To), Label: title(s.Workload)})
		}
	}
	var marks []view.Mark
	for _, m := range p.Marks {
		marks = append(marks, view.Mark{
			At: within(at(m.At), p.Run.Snapshots), Label: markLabel(&m), Severity: m.Severity,
		})
	}
	return view.RecordOf(begun, p.Run.Snapshots, spans, marks)
}

// maxCases is the maximum number of cases shaded separately; with more, workloads are shaded.
const maxCases = 12

// within clamps a time to the last reading: later events are drawn at the edge.
func within(t time.Time, list []monitor.Snapshot) time.Time {
	if n := len(list); n > 0 && t.After(list[n-1].Time) {
		return list[n-1].Time
	}
	return t
}

func markLabel(m *report.Mark) string {
	if m.Text == "" {
		return m.Title
	}
	return m.Title + ": " + m.Text
}
