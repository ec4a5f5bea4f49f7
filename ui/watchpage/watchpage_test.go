package watchpage

import (
	"errors"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
)

// stand is the page in a window.
type stand struct {
	*uitest.Stand
	*watchPage
}

func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	s.Stand = uitest.Open(t, desk.Page{Build: func(d *desk.Desk) desk.View {
		s.watchPage = newPage(d)
		return desk.View{Object: s.object, Update: s.update, Badge: s.badge}
	}}, look, size)
	s.Session.Programs = uitest.Programs()
	return s
}

// enter writes into a field of the command's form.
func (s *stand) enter(t testing.TB, name, text string) {
	t.Helper()
	for _, in := range s.command.form.Inputs {
		if in.Name == name {
			in.Entry.SetText(text)
			return
		}
	}
	t.Fatalf("no field %s", name)
}

// processes shows the list of processes.
func (s *stand) processes() {
	s.what.Show(aProcess)
	s.choose(aProcess)
	s.Desk.Settle()
}

var states = []string{"empty", "wrong", "processes", "early", "leaking", "leaked", "short", "clean", "refused"}

func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := open(t, l.Appearance, l.Size)
	if l.State != "empty" && l.State != "processes" {
		s.enter(t, fieldCommand, "python3 train.py --epochs 20")
		s.enter(t, fieldMark, `epoch \d+`)
	}
	switch l.State {
	case "wrong":
		s.enter(t, fieldMark, "(")
		s.enter(t, fieldTolerance, "much")
	case "processes":
		s.processes()
		s.process.table.Choose(1)
	case "early":
		uitest.PlayWatch(s.Desk, s.Session, 90, true, true)
	case "leaking":
		uitest.PlayWatch(s.Desk, s.Session, 400, true, true)
	case "leaked":
		uitest.PlayWatch(s.Desk, s.Session, 600, true, false)
	case "short": // this text takes two lines
		uitest.PlayWatch(s.Desk, s.Session, 200, true, false)
	case "clean":
		uitest.PlayWatch(s.Desk, s.Session, 600, false, false)
	case "refused":
		s.Session.RefuseWatch = errors.New("start python3: executable file not found in $PATH")
		s.start.OnTapped()
		s.Desk.Settle()
	}
	return s.Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

// TestLook compares the page in one look with a picture that a person has looked at.
func TestLook(t *testing.T) {
	uitest.Pictures(t)
	uitest.AtLook(t, uitest.Look{State: "leaked", Appearance: kit.AlwaysDark, Size: uitest.Usual}, look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

// A command is started with its pattern, its time and its tolerance; all of it is remembered.
func TestStartACommand(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	if !s.start.Disabled() {
		t.Fatal("nothing can be started without a command")
	}
	s.enter(t, fieldCommand, `./train "two words" --fast`)
	s.enter(t, fieldMark, `epoch (\d+)`)
	s.enter(t, fieldTolerance, "2 MB")
	s.start.OnTapped()
	s.Desk.Settle()
	asked := s.Session.WatchRequests()
	if len(asked) != 1 {
		t.Fatalf("%d requests: %s", len(asked), s.about.Content)
	}
	r := asked[0]
	if strings.Join(r.Command, "|") != "./train|two words|--fast" || r.Mark.String() != `epoch (\d+)` || r.Tolerance != 2e6 || r.For != 0 || r.PID != 0 {
		t.Errorf("request %+v", r)
	}
	if v := recalled(s.Desk); v[fieldCommand] != `./train "two words" --fast` || v[fieldTolerance] != "2 MB" {
		t.Errorf("remembered %v", v)
	}
	s.enter(t, fieldCommand, `./train "open`)
	if !s.start.Disabled() {
		t.Error("a command with an open quote can be started")
	}
}

// A process is found by its name, chosen, and watched; the watch can be stopped.
func TestWatchAProcess(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.processes()
	if n := s.process.table.Rows(); n != 4 || !s.start.Disabled() {
		t.Fatalf("%d programs; start disabled: %v", n, s.start.Disabled())
	}
	s.process.filter.Inputs[0].Entry.SetText("post")
	if n := s.process.table.Rows(); n != 1 {
		t.Fatalf("%d programs match", n)
	}
	s.process.table.Choose(0)
	s.start.OnTapped()
	s.Desk.Settle()
	if asked := s.Session.WatchRequests(); len(asked) != 1 || asked[0].PID != 4790 || len(asked[0].Command) != 0 {
		t.Fatalf("requests %+v", asked)
	}
	uitest.PlayWatch(s.Desk, s.Session, 100, true, true)
	if s.start.Visible() || !s.stop.Visible() {
		t.Fatal("what is watched can be started, and not stopped")
	}
	s.stop.OnTapped()
	if s.Session.WatchesStopped() != 1 {
		t.Error("it was not stopped")
	}
}

// Growth is not called a leak too early; a leak is also marked on the rail.
func TestVerdicts(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	uitest.PlayWatch(s.Desk, s.Session, 90, true, true)
	if words := s.charts.verdicts[0].words.Content; !strings.Contains(words, "grows by") || !strings.Contains(words, "Too early") || s.badge() != "" {
		t.Errorf("after 90 s: %q, badge %q", words, s.badge())
	}
	uitest.PlayWatch(s.Desk, s.Session, 600, true, false)
	if words := s.charts.verdicts[0].words.Content; !strings.Contains(words, "grows by 5.98 MB/min") || strings.Contains(words, "early") || s.badge() != "!" {
		t.Errorf("at the end: %q, badge %q", words, s.badge())
	}
	if !strings.Contains(s.about.Content, "Leak found: host memory") {
		t.Errorf("the head says %q", s.about.Content)
	}
	m := s.charts.plot.Model()
	if len(m.Series) != 3 || m.Series[2].Name != "trend" || len(m.Marks) != 10 || m.Marks[0].Label != "epoch 1" {
		t.Errorf("%d lines and %d marks", len(m.Series), len(m.Marks))
	}
	s.charts.which.Show(1)
	s.charts.draw()
	if why := s.charts.plot.Model().Unavailable; !strings.Contains(why, "no NVIDIA driver") {
		t.Errorf("GPU memory: %q", why)
	}
	uitest.PlayWatch(s.Desk, s.Session, 600, false, false)
	if words := s.charts.verdicts[0].words.Content; !strings.Contains(words, "like a cache that fills") || s.badge() != "" {
		t.Errorf("a cache: %q, badge %q", words, s.badge())
	}
}

// A watch from History is shown until another begins.
func TestOpenAWatch(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	run := uitest.PlayWatch(s.Desk, s.Session, 600, true, false)
	other := open(t, kit.AlwaysDark, uitest.Usual)
	other.Desk.OpenRun(run)
	other.Desk.Settle()
	if words := other.charts.verdicts[0].words.Content; !strings.Contains(words, "grows by 5.98 MB/min") || !strings.Contains(other.about.Content, "Leak found") {
		t.Errorf("%q, %q", words, other.about.Content)
	}
	if m := other.charts.plot.Model(); len(m.Series) != 3 || other.badge() != "!" {
		t.Errorf("%d lines, badge %q", len(m.Series), other.badge())
	}
	uitest.PlayWatch(other.Desk, other.Session, 100, false, true)
	if other.Desk.Model.WatchRun != nil || !other.stop.Visible() {
		t.Error("a watch that has begun is hidden by one that was opened")
	}
}
