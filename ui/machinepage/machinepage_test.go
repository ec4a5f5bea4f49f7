package machinepage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"assay/app"
	"assay/app/bundle"
	"assay/app/drill"
	"assay/app/remote"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
	controlsuite "assay/workloads/suite/controls"
)

// stand is the page in a window.
type stand struct {
	*uitest.Stand
	*machinePage
}

func open(t testing.TB, look kit.Appearance, size fyne.Size) *stand {
	t.Helper()
	s := &stand{}
	session := uitest.NewSession()
	session.Jobs = uitest.SomeJobs()
	session.Offers = append(uitest.Workloads(), controlsuite.Wrong(), controlsuite.Same())
	s.Stand = uitest.OpenOn(t, session, desk.Page{Build: func(d *desk.Desk) desk.View {
		s.machinePage = newPage(d)
		return desk.View{Object: s.object, Update: s.update}
	}}, look, size)
	s.Desk.TakeEngines(session.States)
	return s
}

// other enters a host.
func (s *stand) other() {
	s.choose(partOthers)
	s.others.form.Inputs[0].Entry.SetText("studio")
}

// check runs the controls, of which one passes, one fails and one could not decide, up to the third or to the end.
func (s *stand) check(whole bool) {
	s.controls.all.OnTapped()
	s.Desk.Wait()
	meta := bundle.Meta{ID: "20260301-093000-leak", Jobs: s.Session.Requests()[0].Jobs, Started: time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)}
	s.Desk.Take(app.StartUpdate{Meta: meta})
	proofs := []workloads.Proof{workloads.Passed("the deliberate leak was found"), workloads.Missed("operands swapped was not rejected"), workloads.Undecided("other programs took 40 %")}
	run := &bundle.Run{Meta: meta}
	for i, j := range meta.Jobs {
		s.Desk.Take(app.ProgressUpdate{RunID: meta.ID, Progress: workloads.Progress{Workload: j.Workload}})
		if i == len(meta.Jobs)-1 && !whole {
			break
		}
		w, _ := workloads.Find(s.Desk.Model.Workloads, j.Workload)
		f := workloads.Finding{Kind: proofs[i].Kind, Facts: workloads.Facts{Subject: workloads.Subject{Name: w.Title}, Reason: proofs[i].Why}}
		w.Word(&f)
		r := workloads.Result{ID: j.Workload, Workload: j.Workload, Case: j.Workload, Variant: "x", Status: workloads.OK, Job: i}
		run.Findings, run.Results = append(run.Findings, f), append(run.Results, r)
		s.Desk.Take(app.ResultUpdate{RunID: meta.ID, Result: r})
		s.Desk.Take(app.FindingUpdate{RunID: meta.ID, Finding: f})
	}
	if whole {
		run.Meta.State, run.Meta.Finished = bundle.Finished, meta.Started.Add(9*time.Second)
		s.Desk.Take(app.EndUpdate{Run: run})
	}
	s.Desk.Settle()
}

var states = []string{"devices", "tried", "controls", "controlled", "drills", "drilled", "others", "listed", "followed", "refused"}

func look(t *testing.T, l uitest.Look) *uitest.Stand {
	t.Helper()
	s := open(t, l.Appearance, l.Size)
	switch l.State {
	case "tried":
		s.devices.try.OnTapped()
	case "controls":
		s.choose(partControls)
	case "controlled":
		s.choose(partControls)
		s.check(true)
		s.controls.table.Choose(1)
	case "drills":
		s.choose(partDrills)
	case "drilled":
		s.choose(partDrills)
		s.Session.FailDrill = "file-limit"
		s.drills.all.OnTapped()
		s.Desk.Settle()
		s.drills.table.Choose(6)
	case "others":
		s.choose(partOthers)
	case "listed":
		s.other()
		s.others.list.OnTapped()
		s.Desk.Settle()
		s.others.table.Choose(0)
	case "followed":
		s.other()
		s.Session.Says = "batching: matmul 64, f32: 22.1 GFLOP/s\nbatching: matmul 128, f32: 73.5 GFLOP/s\n"
		s.others.start.OnTapped()
		s.Desk.Settle()
	case "refused":
		s.other()
		s.Session.RefuseRemote = &remote.LostError{Host: "studio", Why: "Permission denied (publickey)"}
		s.others.list.OnTapped()
	}
	s.Desk.Settle()
	return s.Stand
}

func TestGoldens(t *testing.T) {
	uitest.Pictures(t)
	uitest.Goldens(t, uitest.Looks(states, uitest.Usual, uitest.Smallest), look)
}

func TestNothingIsClipped(t *testing.T) {
	uitest.Pictures(t)
	uitest.NothingClipped(t, states, look)
}

// Unknown properties of a device are shown as not available, and abilities are tried on request.
func TestDevices(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	for _, words := range []string{"CPU: Test CPU, 8 cores, AVX-512", "Not available: needs macOS", "a processor, not a GPU", "Not available: not reported by the device"} {
		if !uitest.Says(s.object, words) {
			t.Errorf("nothing says %q: %q", words, uitest.Texts(s.object))
		}
	}
	if slices.Contains(s.Session.Log(), "abilities cpu") {
		t.Error("abilities were tried unasked")
	}
	s.devices.try.OnTapped()
	if !uitest.Says(s.object, "Self-test in progress") || !uitest.Says(s.object, "Testing the devices.") || !s.devices.try.Disabled() {
		t.Errorf("nothing says that a test runs: %q", uitest.Texts(s.object))
	}
	s.Desk.Settle()
	for _, words := range []string{"Self-test, 1 March 2026, 09:30:00", "passed", "FAILED: element 7 is 3, want 2.5", "Not available: the device has no bfloat"} {
		if !uitest.Says(s.object, words) {
			t.Errorf("nothing says %q: %q", words, uitest.Texts(s.object))
		}
	}
	if !uitest.Says(s.object, "Not available: the CPU engine has no counters") || slices.Contains(s.Session.Log(), "abilities metal") {
		t.Errorf("%q, %q", uitest.Texts(s.object), s.Session.Log())
	}
	s.devices.try.OnTapped()
	s.Desk.Settle()
	if tests := strings.Count(strings.Join(s.Session.Log(), "\n"), "self-test cpu"); tests != 2 || uitest.Says(s.object, "in progress") {
		t.Errorf("%d self-tests after two presses: %q", tests, uitest.Texts(s.object))
	}
	uitest.Play(s.Desk, "running")
	if !s.devices.try.Disabled() {
		t.Error("abilities can be tried during a run")
	}
}

// Each control of a check says passed, failed or could not decide, as soon as it is known; each workload has its own results then.
func TestControls(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(partControls)
	outcomes := func() (all []string) {
		check := s.Desk.Model.SelfCheck()
		for _, r := range s.controls.rows(&check) {
			all = append(all, controlState(&r).Text)
		}
		return all
	}
	if got := outcomes(); !slices.Equal(got, []string{"Not run", "Not run", "Not run"}) {
		t.Errorf("at first %q", got)
	}
	s.check(false)
	if got := outcomes(); !slices.Equal(got, []string{"Passed", "Failed", "Running"}) || s.controls.all.Visible() || !s.controls.stop.Visible() {
		t.Errorf("in progress %q", got)
	}
	s.Desk.Take(app.EndUpdate{Run: &bundle.Run{Meta: bundle.Meta{ID: "another"}}}) // from an earlier run
	s = open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(partControls)
	s.check(true)
	if got := outcomes(); !slices.Equal(got, []string{"Passed", "Failed", "Could not decide"}) || !strings.HasPrefix(s.controls.about.Content, "1 control failed: do not rely") {
		t.Errorf("at the end %q: %q", got, s.controls.about.Content)
	}
	s.controls.table.Choose(1)
	if s.controls.chosen.Content != "Wrong kernels: operands swapped was not rejected." {
		t.Errorf("%q", s.controls.chosen.Content)
	}
	for _, name := range []string{"leak", "wrong", "same"} {
		if o := s.Desk.Model.Outcomes[name]; o == nil || len(o.Results) != 1 || o.Results[0].Workload != name {
			t.Errorf("%s has %+v", name, o)
		}
	}
	if r := s.Session.Requests()[0]; len(r.Jobs) != 3 || !r.Quick {
		t.Errorf("%+v", r)
	}
}

// All drills run one after another on the next engine; failures are reported with what happened.
func TestDrills(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(partDrills)
	s.Session.FailDrill = "hung"
	s.drills.all.OnTapped()
	if s.drills.all.Visible() || !s.drills.stop.Visible() {
		t.Error("drills in progress can be started, and not stopped")
	}
	s.Desk.Settle()
	if got := s.Session.Drilled(); len(got) != len(drill.All()) || got[0] != drill.All()[0].Name+" on cpu" {
		t.Errorf("drilled %q", got)
	}
	if s.drills.about.Content != fmt.Sprintf("1 drill of %d failed.", len(drill.All())) || !s.drills.all.Visible() {
		t.Errorf("%q", s.drills.about.Content)
	}
	s.drills.table.Choose(3)
	if words := s.drills.chosen.Content; !strings.Contains(words, "3 of 4 results") {
		t.Errorf("the chosen drill says %q", words)
	}
}

// While drills run, those to come are not reported as failures, and no column moves as cells fill.
func TestDrillsInProgress(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(partDrills)
	v := s.drills
	all := len(v.rows)
	v.cancel, v.asked = func() {}, nil
	for i := range v.rows {
		v.asked = append(v.asked, v.rows[i].Name)
	}
	v.show()
	if got, want := v.about.Content, fmt.Sprintf("0 of %d drills done.", all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	before := slices.Clone(v.table.Columns())
	passed := drill.Outcome{Pass: true, Took: 12*time.Minute + 340*time.Millisecond, Saw: "It recovered"}
	v.set(v.rows[0].Name, true, nil)
	v.set(v.rows[0].Name, false, &passed)
	v.set(v.rows[1].Name, false, &passed)
	v.set(v.rows[2].Name, false, &drill.Outcome{Missing: "no clock", Saw: "Not available: no clock"})
	if got, want := v.about.Content, fmt.Sprintf("3 of %d drills done, all recovered.", all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if after := v.table.Columns(); !slices.Equal(before, after) {
		t.Errorf("columns %+v, before %+v", after, before)
	}
	v.set(v.rows[3].Name, false, &drill.Outcome{Saw: "it did not"})
	if got, want := v.about.Content, fmt.Sprintf("4 of %d drills done, 1 failed.", all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	v.set(v.rows[3].Name, false, nil)
	v.cancel, v.asked = nil, nil
	v.show()
	if got, want := v.about.Content, fmt.Sprintf("Assay recovered in every drill that was run: 2 of %d. Not available here: 1.", all); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A stopped drill has no outcome, and none of those after it starts.
func TestStopDrills(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.Session.HoldDrills = true
	s.drills.all.OnTapped()
	s.drills.stop.OnTapped()
	s.Desk.Settle()
	for _, r := range s.drills.rows {
		if r.outcome != nil || r.running {
			t.Errorf("%s: %+v", r.Name, r)
		}
	}
	if got := s.Session.Drilled(); len(got) > 1 {
		t.Errorf("drilled %q", got)
	}
	s.Session.HoldDrills = false
	s.drills.run(s.drills.rows[:1])
	s.Desk.Settle()
	if o := s.drills.rows[0].outcome; o == nil || !o.Pass {
		t.Errorf("then %+v", o)
	}
}

// A remote run gets the settings of the Run page, is followed, and its bundle goes into the folder of runs.
func TestRunThere(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.choose(partOthers)
	if !s.others.start.Disabled() {
		t.Error("a run can begin on no host")
	}
	s.other()
	s.Session.Says = "one line\nanother\x1b[31m\n"
	s.others.start.OnTapped()
	s.Desk.Settle()
	s.Desk.Settle() // this follows it
	asked := s.Session.HostsAsked()
	if len(asked) != 2 || !strings.HasPrefix(asked[0], "start studio [batching ") || !strings.Contains(asked[0], "max_size=2048") || asked[1] != "follow studio 20261120-121500-9a8b" {
		t.Fatalf("asked %q: %s", asked, s.others.about.Content)
	}
	if words := s.others.said.Content; !strings.HasPrefix(words, "one line\nanother") || strings.Contains(words, "\x1b") {
		t.Errorf("it said %q", words)
	}
	if !strings.Contains(s.others.about.Content, "status 0. Copied here: 1 run") || s.others.jobs[0].State != remote.Ended {
		t.Errorf("%q, %+v", s.others.about.Content, s.others.jobs)
	}
	if got := jobState(&remote.Job{State: remote.Ended, End: &remote.End{Code: 130}}).Text; got != "Stopped" {
		t.Errorf("a run that was interrupted is %q", got)
	}
	if kept, _ := s.Desk.Settings.Kept(fieldHost); kept != "studio" {
		t.Errorf("the host %q is remembered", kept)
	}
}

// Jobs are listed, fetched and stopped; refusals of the host, and a connection that stays lost, are reported.
func TestJobs(t *testing.T) {
	s := open(t, kit.AlwaysDark, uitest.Usual)
	s.other()
	s.others.list.OnTapped()
	s.Desk.Settle()
	if s.others.table.Rows() != 4 {
		t.Fatalf("%d jobs: %s", s.others.table.Rows(), s.others.about.Content)
	}
	s.others.table.Choose(0)
	if s.others.stop.Disabled() || !s.others.remove.Disabled() {
		t.Error("a running job cannot be stopped, or can be removed")
	}
	s.others.stop.OnTapped()
	s.Desk.Settle()
	if asked := s.Session.HostsAsked(); !slices.Contains(asked, "act studio 20261120-120000-a1b2") {
		t.Errorf("asked %q", asked)
	}
	s.Session.LoseRemote = &remote.LostError{Host: "studio", Why: "the connection ended"}
	s.others.fetch.OnTapped()
	s.Desk.Settle()
	if words := s.others.about.Content; !strings.Contains(words, "No connection to studio") || !strings.Contains(words, "Fetch brings it back") {
		t.Errorf("%q", words)
	}
	s.Session.RefuseRemote = errors.New("studio has no program \"assay\"")
	s.others.list.OnTapped()
	s.Desk.Settle()
	if words := s.others.about.Content; !strings.HasPrefix(words, "Studio has no program") {
		t.Errorf("%q", words)
	}
	s.others.form.Inputs[0].Entry.SetText("-oProxyCommand=x")
	if !s.others.list.Disabled() {
		t.Error("an option of ssh is taken for a host")
	}
}
