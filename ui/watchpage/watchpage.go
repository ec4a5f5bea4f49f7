// Package watchpage is the page that watches another program for leaks: a command that Assay starts, or a running process.
package watchpage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/app/report"
	"assay/internal/plain"
	"assay/monitor/leak"
	"assay/ui/desk"
	"assay/ui/kit"
)

// watchPage shows what to watch, on the left, and what is seen of it.
type watchPage struct {
	desk    *desk.Desk
	what    *kit.Segments // a command or a process
	start   *kit.Button
	stop    *kit.Button
	about   *kit.Text
	command *commandForm
	process *processList
	charts  *charts
	left    *fyne.Container
	object  fyne.CanvasObject

	starting bool   // a start was requested, and has neither begun nor failed
	refused  string // why the last one failed
}

// Choices of what to watch.
const (
	aCommand = iota
	aProcess
)

func kinds() []string { return []string{"Command", "Process"} }

const whatChoice = "watch.what"

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.object, Update: p.update, Badge: p.badge, Live: true}
}

func newPage(d *desk.Desk) *watchPage {
	p := &watchPage{desk: d, about: kit.NewCaption("", 3)}
	p.command, p.process, p.charts = newCommandForm(d, p.tell), newProcessList(d, p.tell), newCharts(d)
	p.what = kit.NewSegments(p.choose, kinds()...)
	p.start = kit.NewButtonWithIcon("Start", theme.MediaPlayIcon(), p.begin)
	p.stop = kit.NewButtonWithIcon("Stop", theme.MediaStopIcon(), d.StopWatch)
	p.stop.Hide()
	tools := kit.Row(10, p.what.Object, container.New(kit.ScaledWidth{Width: 112}, kit.StackOf(p.start, p.stop)))
	head := container.New(&kit.ToolsLayout{MinWidth: 260}, kit.NewFlow(2, kit.NewTitle("Watch"), p.about), tools)
	p.left = kit.StackOf(p.command.object, p.process.object)
	body := container.New(kit.SplitLayout{Part: 0.33, Gap: 12, Side: 640}, p.left, p.charts.object)
	p.object = kit.Inset(container.New(kit.HeadedLayout{Gap: 12}, head, body), 18, 14)
	p.show(d.Settings.Choice(whatChoice, kinds()...))
	return p
}

// choose chooses whether a command or a process is watched.
func (p *watchPage) choose(i int) {
	p.desk.Settings.SetChoice(whatChoice, kinds()[i])
	p.show(i)
}

func (p *watchPage) show(i int) {
	p.what.Show(i)
	kit.Show(p.command.object, i == aCommand)
	kit.Show(p.process.object, i == aProcess)
	if i == aProcess {
		p.process.refresh()
	}
	p.tell()
}

// request returns what the page asks for; why says what is missing.
func (p *watchPage) request() (r app.WatchRequest, why string) {
	if p.what.At == aCommand {
		return p.command.request()
	}
	return p.process.request()
}

// begin starts watching.
func (p *watchPage) begin() {
	r, why := p.request()
	if why != "" || p.starting {
		return
	}
	p.starting, p.refused = true, ""
	p.desk.StartWatch(r, func(err error) {
		p.starting = false
		if err != nil {
			p.refused = plain.Capitalized(plain.Text(err.Error())) + "."
		}
		p.tell()
	})
	p.tell()
}

// badge marks a leak that the watch in progress, or the last one, has found.
func (p *watchPage) badge() string {
	if w := p.desk.Model.Watch; w != nil && leaksOf(w) > 0 {
		return "!"
	}
	return ""
}

// leaksOf counts the leaks.
func leaksOf(w *app.Watch) int {
	n := 0
	for i := range w.Verdicts {
		if v := &w.Verdicts[i]; v.Leak && !v.Early {
			n++
		}
	}
	return n
}

// update redraws what changed.
func (p *watchPage) update(c desk.Change) {
	if c.Has(desk.ChangedWatch | desk.ChangedLook) {
		p.charts.update()
	}
	if c.Has(desk.ChangedTick) && p.what.At == aProcess && !p.running() {
		p.process.refresh()
	}
	if c.Has(desk.ChangedWatch | desk.ChangedLook | desk.ChangedTick) {
		p.tell()
	}
}

func (p *watchPage) running() bool { return p.desk.Model.Watch != nil && p.desk.Model.Watch.Running }

// tell shows the current state, and which buttons can be pressed.
func (p *watchPage) tell() {
	if p.object == nil {
		return // the page is being built
	}
	_, why := p.request()
	kit.Trade(p.start, p.stop, p.running())
	kit.Able(p.start, why == "" && !p.starting)
	words, color := p.sentence(why), kit.ColorSecondary
	if p.refused != "" && !p.running() {
		words, color = p.refused, theme.ColorNameError
	}
	if words != p.about.Content || color != p.about.Color {
		p.about.SetColored(words, color)
		p.object.Refresh() // the head may need another line
	}
}

// sentence says what is going on; why is what is missing to start.
func (p *watchPage) sentence(why string) string {
	w := p.desk.Model.Watch
	switch {
	case p.starting:
		return "Starting."
	case p.running() && len(w.Info.Command) > 0:
		return "Watching " + plain.Text(w.Info.Name) + " for " + leak.Clock(w.Now) + ". Stop ends the program, too."
	case p.running():
		return "Watching " + plain.Text(w.Info.Name) + " for " + leak.Clock(w.Now) + ". Stop leaves it running."
	case w != nil && w.Info.Ended != "":
		return "Watched " + plain.Text(w.Info.Name) + " for " + leak.Clock(w.Now) + ": " + plain.Text(w.Info.Ended) + ". " + report.WatchAnswer(&w.Info, w.Now) + " History keeps it."
	case why != "":
		return why
	default:
		return "Finds leaks of memory, GPU memory, handles and threads in another program. Leaks of 1 MB/min are found in 10 minutes."
	}
}
