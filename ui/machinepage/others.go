package machinepage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/app/remote"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/workloads"
)

// others shows a host, the jobs there, and the output of one of them while it is followed.
type others struct {
	desk   *desk.Desk
	form   *kit.Form
	table  *kit.Table[remote.Job]
	about  *kit.Text
	start  *kit.Button
	list   *kit.Button
	fetch  *kit.Button
	stop   *kit.Button
	remove *kit.Button
	said   *kit.Text
	reader *kit.Reader
	object *fyne.Container

	jobs     []remote.Job
	asking   bool   // the host is being asked
	failed   string // why the last request failed
	news     string // what the last action did
	followed string // the job that is followed; empty: none
	lines    []string
}

// Names of the fields, under which they are stored.
const (
	fieldHost    = "remote.host"
	fieldProgram = "remote.program"
)

// interrupted is the exit status of a run that was stopped.
const interrupted = 130

// maxLines bounds how much of a job's output is kept.
const maxLines = 200

// reconnect is how long a lost connection is tried again. The run continues there in any case.
const reconnect = 10 * time.Minute

func newOthers(d *desk.Desk) *others {
	v := &others{desk: d, about: kit.NewBody("", 3), said: kit.NewCaption("", maxLines)}
	rows := []kit.FieldRow{
		{Fields: []kit.Field{{Name: fieldHost, Title: "Host", Wide: true, Read: readHost, About: "As ssh takes it: studio, or ann@studio.local. Keys and settings are those of ~/.ssh/config."}}},
		{Fields: []kit.Field{{Name: fieldProgram, Title: "Assay there", Wide: true, About: "Where it is installed, if it is not in the PATH there."}}},
	}
	v.form = kit.NewForm(rows, 220, func(in *kit.Input, _ bool) {
		if text, ok := in.Value.(string); ok && in.Err == nil {
			d.Settings.SetChoice(in.Name, text)
		}
		v.failed, v.news = "", ""
		v.tell()
	})
	host, _ := d.Settings.Kept(fieldHost)
	program, _ := d.Settings.Kept(fieldProgram)
	v.form.Set(map[string]any{fieldHost: host, fieldProgram: program})
	v.start = kit.NewButtonWithIcon("Run There", theme.MediaPlayIcon(), v.begin)
	v.start.Importance = widget.HighImportance
	v.list = kit.NewButton("List Runs", v.refresh)
	v.fetch = kit.NewButton("Fetch", v.fetchChosen)
	v.stop = kit.NewButton("Stop There", func() { v.act("Stopped", remote.Host.Stop) })
	v.remove = kit.NewButton("Remove There", v.removeChosen)
	v.table = kit.NewTable(jobColumns(), 1)
	v.table.Key, v.table.OnItem = func(j *remote.Job) string { return j.ID }, func(*remote.Job) { v.tell() }
	v.reader = kit.NewReading(v.said)
	tools := kit.Row(8, v.list, v.fetch, v.stop, v.remove)
	right := container.New(&kit.WeightedLayout{Weights: []float32{1, 1}, Gap: 8},
		container.New(kit.FixedSize{Height: 110}, kit.Edged(kit.NewPanel(v.table.Object, 1), kit.AtTop, kit.Inset(tools, 0, 4))),
		container.New(kit.FixedSize{Height: 90}, kit.NewPanel(v.reader, 12)))
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, v.about, v.start)
	body := container.New(kit.SplitLayout{Part: 0.32, Gap: 12, Side: 640, Min: 260}, v.form.Object, right)
	v.object = container.New(kit.HeadedLayout{Gap: 10}, head, body)
	v.say()
	v.tell()
	return v
}

func readHost(s string) (any, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return s, nil
	}
	return s, remote.Host{Name: s}.Check()
}

func jobColumns() []kit.Column[remote.Job] {
	return []kit.Column[remote.Job]{
		{Title: "Run", About: "What was asked for.", Width: 150, Most: 500, Cell: func(j *remote.Job) kit.TableCell {
			return kit.TableCell{Text: plain.Text(jobTitle(j))}
		}},
		{Title: "State", About: "Its state there.", Shaped: true, Always: true, Cell: jobState},
		{
			Title: "Started", About: "When it began, by the clock there.", Number: true, Largest: true,
			Cell: func(j *remote.Job) kit.TableCell {
				return kit.TableCell{Text: j.Started.Local().Format("2006-01-02 15:04"), Color: kit.ColorSecondary}
			},
			Order: func(a, b *remote.Job) int { return a.Started.Compare(b.Started) },
		},
	}
}

// jobTitle names the workloads of a job, which come before the flags.
func jobTitle(j *remote.Job) string {
	names := j.Args
	if flag := slices.IndexFunc(names, func(a string) bool { return strings.HasPrefix(a, "-") }); flag >= 0 {
		names = names[:flag]
	}
	if len(names) == 0 {
		return "all workloads"
	}
	return strings.Join(names, ", ")
}

func jobState(j *remote.Job) kit.TableCell {
	switch {
	case j.State == remote.Running:
		return kit.TableCell{Text: "Running", Icon: theme.NewPrimaryThemedResource(theme.MediaPlayIcon())}
	case j.End != nil && j.End.Code == 0:
		return kit.TableCell{Text: "Finished", Icon: theme.NewSuccessThemedResource(theme.ConfirmIcon())}
	case j.End != nil && j.End.Code == interrupted:
		return kit.TableCell{Text: "Stopped", Icon: theme.NewWarningThemedResource(theme.MediaStopIcon())}
	case j.End != nil:
		return kit.TableCell{Text: fmt.Sprintf("Ended with status %d", j.End.Code), Icon: theme.NewErrorThemedResource(theme.ErrorIcon())}
	}
	return kit.TableCell{Text: plain.Capitalized(plain.Text(j.State)), Icon: theme.NewWarningThemedResource(theme.WarningIcon())}
}

// host returns the host that the form names. It never asks for a password: a window has no terminal.
func (v *others) host() remote.Host {
	values := v.form.Values()
	name, _ := values[fieldHost].(string)
	program, _ := values[fieldProgram].(string)
	return remote.Host{Name: name, Program: strings.TrimSpace(program), Batch: true}
}

// problem says what is missing; empty: nothing.
func (v *others) problem() string {
	switch {
	case v.form.Err() != nil:
		return "Correct what is marked on the left."
	case v.host().Name == "":
		return "Enter a host that ssh reaches without asking for a password, and that has Assay."
	case v.asking:
		return "Asking " + v.host().Name + "."
	}
	return ""
}

// tell shows the current state, and which buttons can be pressed.
func (v *others) tell() {
	m := v.desk.Model
	w, why := m.Workload(), v.problem()
	chosen := v.table.Chosen()
	draft := m.Drafts[w.Name].Values
	kit.Able(v.start, why == "" && v.followed == "" && draft != nil)
	kit.Able(v.list, why == "")
	kit.Able(v.fetch, why == "" && chosen != nil && v.followed == "")
	kit.Able(v.stop, why == "" && (chosen != nil && chosen.State == remote.Running || v.followed != ""))
	kit.Able(v.remove, why == "" && chosen != nil && chosen.State != remote.Running && v.followed == "")
	words, color := why, kit.ColorSecondary
	switch {
	case v.failed != "":
		words, color = v.failed, theme.ColorNameError
	case why != "":
	case v.followed != "":
		words = "Following " + v.followed + " on " + v.host().Name + ". Its bundle is copied here while it grows."
	case v.news != "":
		words = v.news
	default:
		words = "Run There runs " + w.Title + " with the settings of the Run page, on the engine that suits that machine."
	}
	v.about.SetColored(words, color)
	v.object.Refresh()
}

// ask does something with the host in the background, and shows the outcome.
func (v *others) ask(do func(context.Context, remote.Host) (then func(), err error)) {
	v.asking, v.failed, v.news = true, "", ""
	h := v.host()
	v.tell()
	v.desk.Background(func() func() {
		then, err := do(v.desk.Life(), h)
		return func() {
			v.asking = false
			if err != nil {
				v.failed = plain.Capitalized(plain.Text(err.Error())) + "."
			} else if then != nil {
				then()
			}
			v.tell()
		}
	})
}

// refresh lists the jobs on the host.
func (v *others) refresh() {
	service := v.desk.Session.Remote
	v.ask(func(ctx context.Context, h remote.Host) (func(), error) {
		jobs, err := service.List(ctx, h)
		return func() { v.take(h, jobs) }, err
	})
}

func (v *others) take(h remote.Host, jobs []remote.Job) {
	v.jobs = jobs
	v.table.SetItems(jobs)
	v.news = h.Name + " has " + si.Counted(len(jobs), "run") + " that other machines started."
}

// begin runs the chosen workload there, and follows it.
func (v *others) begin() {
	m := v.desk.Model
	w := m.Workload()
	args := argsThere(w, m.Drafts[w.Name].Values, m.Quick)
	service := v.desk.Session.Remote
	v.ask(func(ctx context.Context, h remote.Host) (func(), error) {
		job, err := service.Start(ctx, h, args)
		return func() {
			v.jobs = append([]remote.Job{job}, v.jobs...)
			v.table.SetItems(v.jobs)
			v.table.SetChosen(job.ID)
			v.follow(h, job.ID)
		}, err
	})
}

// argsThere are the arguments of assay run on the other machine.
func argsThere(w *workloads.Workload, values workloads.Values, quick bool) []string {
	args := []string{w.Name}
	if quick {
		args = append(args, "--quick")
	}
	return append(args, app.SettingFlags(w, values)...)
}

// fetchChosen copies the chosen job's bundle, and follows the job while it runs.
func (v *others) fetchChosen() {
	if j := v.table.Chosen(); j != nil && v.followed == "" {
		v.failed = ""
		v.follow(v.host(), j.ID)
		v.tell()
	}
}

// follow copies a job's bundle here until the job has ended.
func (v *others) follow(h remote.Host, id string) {
	v.followed, v.lines = id, nil
	v.say()
	service, runs := v.desk.Session.Remote, v.desk.Library.Dir()
	v.desk.Background(func() func() {
		o, err := service.Follow(v.desk.Life(), h, id, remote.Following{
			Runs: runs, Tries: reconnect, Says: sayer{v},
			Lost: func(err error) {
				v.desk.Post(func() { v.add(err.Error() + ". The run continues there; trying again.") })
			},
		})
		return func() { v.ended(h, id, o, err) }
	})
}

// ended shows the outcome of a job.
func (v *others) ended(h remote.Host, id string, o remote.Outcome, err error) {
	v.followed = ""
	switch {
	case errors.Is(err, context.Canceled):
		return // the window closes
	case err != nil:
		v.failed = plain.Capitalized(plain.Text(err.Error())) + ". The run continues there: Fetch brings it back."
	default:
		how := fmt.Sprintf("ended with status %d", o.End.Code)
		if o.End.Code == interrupted {
			how = "was stopped"
		}
		v.news = fmt.Sprintf("%s on %s %s. Copied here: %s; see History.", id, h.Name, how, si.Counted(len(o.Dirs), "run"))
		if o.End.Why != "" {
			v.add(o.End.Why)
		}
		if i := slices.IndexFunc(v.jobs, func(j remote.Job) bool { return j.ID == id }); i >= 0 {
			v.jobs[i].State, v.jobs[i].End = remote.Ended, &o.End
			v.table.SetItems(v.jobs)
		}
		v.desk.ReadLibrary()
	}
	v.tell()
}

// act does something with the followed or the chosen job.
func (v *others) act(done string, do func(remote.Host, context.Context, string) error) {
	id := v.followed
	if j := v.table.Chosen(); id == "" && j != nil {
		id = j.ID
	}
	service := v.desk.Session.Remote
	v.ask(func(ctx context.Context, h remote.Host) (func(), error) {
		if err := service.Act(ctx, h, id, do); err != nil {
			return nil, err
		}
		jobs, err := service.List(ctx, h)
		return func() {
			v.take(h, jobs)
			v.news = done + " " + id + " on " + h.Name + "."
		}, err
	})
}

// removeChosen asks, and then removes the chosen job there.
func (v *others) removeChosen() {
	j := v.table.Chosen()
	if j == nil {
		return
	}
	v.desk.Ask("Removes the run from "+v.host().Name+", with its bundle there. What was copied here stays.", "Remove There",
		func() { v.act("Removed", remote.Host.Remove) })
}

// add shows further output of a job.
func (v *others) add(text string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(plain.Text(strings.TrimSuffix(line, "\n"))); line != "" {
			v.lines = append(v.lines, line)
		}
	}
	v.lines = v.lines[max(0, len(v.lines)-maxLines):]
	v.say()
}

func (v *others) say() {
	words := strings.Join(v.lines, "\n")
	if words == "" {
		words = "The output of the run there appears here."
	}
	v.said.SetColored(words, kit.ColorSecondary)
	v.reader.Refresh()
}

// sayer receives a job's output on another goroutine.
type sayer struct{ of *others }

// Write is part of io.Writer.
func (s sayer) Write(p []byte) (int, error) {
	text := string(p)
	s.of.desk.Post(func() { s.of.add(text) })
	return len(p), nil
}
