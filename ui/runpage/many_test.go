package runpage

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/uitest"
	"assay/workloads"
)

// subjects distinguish the generated workloads: each word is in one question only.
const subjects = "attention convolution transpose gather scatter softmax embedding sorting histogram prefix " +
	"random copies barriers atomics occupancy registers spilling caches prefetch paging launches queues events " +
	"graphs streams pipelines mixtures routing decoding sampling"

// many generates thirty workloads in six groups.
func many() (list []workloads.Workload) {
	base := uitest.Workloads()[0]
	for i, subject := range strings.Fields(subjects) {
		w := base
		w.Name, w.Title = fmt.Sprintf("w%02d", i), fmt.Sprintf("Workload %02d", i)
		w.Group = fmt.Sprintf("Group %c", 'A'+i/5)
		w.Question, w.About = "How well does this machine do "+subject+"?", "Measures one operation."
		list = append(list, w)
	}
	return list
}

// openMany opens the page with thirty workloads.
func openMany(t *testing.T, look kit.Appearance, size fyne.Size) (*stand, *uitest.Stand) {
	t.Helper()
	s := &stand{chooser: &uitest.Chooser{}, session: uitest.NewSession()}
	s.session.Offers = many()
	page := desk.Page{Build: func(d *desk.Desk) desk.View {
		s.runPage = newRunPage(d)
		return s.view()
	}}
	return s, uitest.OpenOn(t, s.session, page, look, size)
}

// run plays the start and the end of a run of a workload.
func (p *stand) run(name string) {
	meta := uitest.SweepMeta()
	meta.ID, meta.Jobs[0].Workload = "20261120-120000-"+name, name
	p.desk.Take(app.StartUpdate{Meta: meta})
	p.desk.Take(app.EndUpdate{})
}

// listed returns the visible titles in the list, from top to bottom, indented below a head.
func (p *stand) listed() []string {
	var titles []string
	for _, o := range p.list.inner.Objects {
		if o.Visible() {
			titles = append(titles, uitest.Texts(o)[0])
		}
	}
	return titles
}

func press(p *stand, key fyne.KeyName) {
	p.desk.Window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: key})
}

// inView reports whether the chosen workload is in the visible part of the list.
func (p *stand) inView() bool {
	o, s := p.list.Options[p.list.at], p.list.scroll
	top := p.list.inner.Position().Y + o.Position().Y - s.Offset.Y
	return o.Visible() && top >= 0 && top+o.Size().Height <= s.Size().Height
}

func TestEachOfManyIsFoundByAWordOfItsQuestion(t *testing.T) {
	uitest.Alone(t)
	p, _ := openMany(t, kit.AlwaysDark, uitest.Usual)
	p.do(desk.FindWorkload)
	for i, subject := range strings.Fields(subjects) {
		p.list.search.SetText(strings.ToUpper(subject) + " machine")
		want := []string{p.desk.Model.Workloads[i].Group, p.desk.Model.Workloads[i].Title}
		if got := p.listed(); !slices.Equal(got, want) {
			t.Errorf("%s finds %q, want %q", subject, got, want)
		}
		if press(p, fyne.KeyReturn); p.desk.Model.Chosen != i || p.showing != p.desk.Model.Workloads[i].Name {
			t.Errorf("Return after %s chose %d", subject, p.desk.Model.Chosen)
		}
		press(p, fyne.KeyEscape)
		if p.list.search.Text != "" || len(p.listed()) != 36 || !p.inView() {
			t.Errorf("%s: after Escape the field has %q, %d rows, the chosen one in view: %v", subject, p.list.search.Text,
				len(p.listed()), p.inView())
		}
	}
	p.list.search.SetText("group d 17")
	if got := p.listed(); !slices.Equal(got, []string{"Group D", "Workload 17"}) {
		t.Errorf("words of group and title find %q", got)
	}
	p.list.search.SetText("teapots")
	if got := p.listed(); len(got) != 1 || !strings.HasPrefix(got[0], "No workload matches “teapots”") {
		t.Errorf("nothing found is said as %q", got)
	}
	press(p, fyne.KeyDown)
	if press(p, fyne.KeyReturn); p.desk.Model.Chosen != 29 || p.desk.Window.Canvas().Focused() != fyne.Focusable(p.list.search) {
		t.Error("keys moved on from a search that found nothing")
	}
}

// A search lists matches in titles before matches in descriptions, and those before choices of parameters.
func TestSearchPutsTitlesFirst(t *testing.T) {
	uitest.Alone(t)
	s := &stand{session: uitest.NewSession()}
	s.session.Offers = many()
	named := func(i int) *workloads.Workload { return &s.session.Offers[i] }
	named(0).Params = append(slices.Clone(named(0).Params), workloads.Param{
		Name: "type", Type: workloads.Choice, Default: "a", Choices: []workloads.Option{{Value: "a"}, {Value: "b", Title: "Teapot"}},
	})
	named(6).About = "Measures a teapot."
	named(9).Title = "Teapot"
	named(21).Title = "Teapots"
	page := desk.Page{Build: func(d *desk.Desk) desk.View {
		s.runPage = newRunPage(d)
		return s.view()
	}}
	uitest.OpenOn(t, s.session, page, kit.AlwaysDark, uitest.Usual)
	before := s.listed()
	s.do(desk.FindWorkload)
	s.list.search.SetText("teapot")
	want := []string{"Group B", "Teapot", "Workload 06", "Group E", "Teapots", "Group A", "Workload 00"}
	if got := s.listed(); !slices.Equal(got, want) {
		t.Errorf("lists %q, want %q", got, want)
	}
	if press(s, fyne.KeyReturn); s.desk.Model.Chosen != 9 {
		t.Errorf("Return chose %d, want the first of the list", s.desk.Model.Chosen)
	}
	if press(s, fyne.KeyEscape); !slices.Equal(s.listed(), before) {
		t.Errorf("after the search it lists %q", s.listed())
	}
}

func TestArrowsWalkFromTheFieldThroughTheList(t *testing.T) {
	uitest.Alone(t)
	p, _ := openMany(t, kit.AlwaysDark, uitest.Smallest)
	p.do(desk.FindWorkload)
	p.list.search.SetText("w1")
	press(p, fyne.KeyDown)
	if p.desk.Model.Chosen != 10 || p.desk.Window.Canvas().Focused() != fyne.Focusable(p.list.Options[10]) {
		t.Fatalf("Down chose %d, want the first found", p.desk.Model.Chosen)
	}
	for range 5 {
		press(p, fyne.KeyDown)
	}
	if p.desk.Window.Canvas().Focused() != fyne.Focusable(p.list.sections[4].fold) || p.desk.Model.Chosen != 14 {
		t.Error("the head of the next group is not below the last workload of the first")
	}
	for range 7 {
		press(p, fyne.KeyUp)
	}
	if p.desk.Window.Canvas().Focused() != fyne.Focusable(p.list.search) {
		t.Error("Up does not lead back to the field")
	}
	press(p, fyne.KeyEscape)
	press(p, fyne.KeyDown)
	if p.desk.Window.Canvas().Focused() != fyne.Focusable(p.list.Options[10]) || !p.inView() {
		t.Error("without a search Down does not lead to the chosen workload")
	}
	for want := 11; want < 30; want++ {
		for p.desk.Model.Chosen < want {
			press(p, fyne.KeyDown)
		}
		if !p.inView() {
			t.Errorf("workload %d was reached by key and is not in view", want)
		}
	}
}

// The texts of the rows above change after the start, as engines open.
func TestChosenWorkloadStaysInView(t *testing.T) {
	uitest.Alone(t)
	p, _ := openMany(t, kit.AlwaysDark, uitest.Usual)
	p.desk.Choose(20)
	for i := range 20 {
		p.list.abouts[i].SetColored(strings.Repeat("a much longer question ", 6), kit.ColorSecondary)
		p.list.Options[i].Refresh()
	}
	p.list.inner.Refresh()
	if p.inView() {
		t.Fatal("longer rows leave the chosen one where it was")
	}
	if p.list.mark(p.desk.Model); !p.inView() {
		t.Error("longer rows above have pushed the chosen workload out of view")
	}
	p.list.scroll.ScrollToTop()
	if p.list.mark(p.desk.Model); p.inView() || p.list.scroll.Offset.Y != 0 {
		t.Error("what the user has scrolled to does not stay")
	}
}

func TestFoldsAreRemembered(t *testing.T) {
	p, s := openMany(t, kit.AlwaysLight, uitest.Usual)
	b := p.list.sections[2]
	test.Tap(b.fold)
	if got := p.listed(); len(got) != 31 || slices.Contains(got, "Workload 07") || b.fold.Open {
		t.Errorf("folded, Group B leaves %q", got)
	}
	p.desk.Choose(7)
	if got := p.listed(); len(got) != 32 || !p.inView() {
		t.Errorf("the chosen workload of a folded group is hidden: %q", got)
	}
	p.desk.Choose(0)
	again := newRunPage(s.Desk)
	if again.list.sections[2].fold.Open || again.list.Options[7].Visible() || !again.list.sections[1].fold.Open {
		t.Error("the next start does not show the fold")
	}
	p.list.search.SetText("w07")
	test.Tap(b.fold)
	if got := p.listed(); !slices.Equal(got, []string{"Group B", "Workload 07"}) || !p.list.desk.Settings.Folded("Group B") {
		t.Errorf("a search finds %q in a folded group", got)
	}
	p.list.search.SetText("")
	p.desk.Window.Canvas().Focus(b.fold)
	for i, key := range []fyne.KeyName{fyne.KeyRight, fyne.KeyLeft, fyne.KeySpace, fyne.KeyReturn, fyne.KeyRight} {
		if press(p, key); b.fold.Open != (i%2 == 0) || p.list.Options[7].Visible() != b.fold.Open {
			t.Errorf("%s left the group open: %v", key, b.fold.Open)
		}
	}
	test.Tap(b.fold)
	p.desk.Forget()
	if !b.fold.Open {
		t.Error("clearing the settings left a group folded")
	}
}

func TestWhatRanLastIsFirst(t *testing.T) {
	p, s := openMany(t, kit.AlwaysDark, uitest.Usual)
	if got := p.listed(); got[0] != "Group A" {
		t.Errorf("before any run the list begins with %q", got[:2])
	}
	for _, name := range []string{"w03", "w20", "w11", "w28", "w20"} {
		p.run(name)
	}
	want := []string{"Recent", "Workload 20", "Workload 28", "Workload 11", "Group A"}
	if got := p.listed()[:5]; !slices.Equal(got, want) {
		t.Errorf("the list begins with %q, want %q", got, want)
	}
	uitest.Choose(t, p.object, "Workload 28")
	if p.desk.Model.Chosen != 28 || p.list.scroll.Offset.Y != 0 {
		t.Errorf("a recent workload chose %d and scrolled to %v", p.desk.Model.Chosen, p.list.scroll.Offset.Y)
	}
	p.list.search.SetText("Workload 28")
	if got := p.listed(); !slices.Equal(got, []string{"Group F", "Workload 28"}) {
		t.Errorf("a search finds %q", got)
	}
	next := desk.New(s.Desk.App, s.Desk.Window, s.Session.Services(), s.Desk.Settings, uitest.Never)
	if got := next.Model.Recent; !slices.Equal(got, []string{"w20", "w28", "w11"}) {
		t.Errorf("the next start remembers %q", got)
	}
	if p.desk.Forget(); len(p.desk.Model.Recent) != 0 {
		t.Errorf("cleared settings leave %q", p.desk.Model.Recent)
	}
}

func TestTheChosenIsMarkedOnce(t *testing.T) {
	p, _ := openMany(t, kit.AlwaysDark, uitest.Usual)
	marked := func(where string, recent, grouped int) {
		t.Helper()
		if p.list.recent.At != recent || p.list.Choices.At != grouped {
			t.Errorf("%s marks %d of Recent and %d of the groups, want %d and %d", where, p.list.recent.At, p.list.Choices.At, recent, grouped)
		}
	}
	for _, name := range []string{"w11", "w28", "w20"} {
		p.run(name)
	}
	marked("the start", -1, 0)
	p.list.recent.Options[1].Tapped(nil)
	marked("choosing in Recent", 1, -1)
	p.list.search.SetText("Workload 28")
	marked("a search", -1, 28)
	p.list.search.SetText("")
	marked("the end of a search", 1, -1)
	p.run("w11")
	marked("a run of another workload", 2, -1)
	p.run("w03")
	marked("one that is no longer in Recent", -1, 28)
	p.run("w20")
	p.run("w28")
	marked("its next run", -1, 28)
	p.desk.Choose(20)
	marked("choosing elsewhere", -1, 20)
	p.list.recent.Options[1].Tapped(nil)
	marked("the same in Recent", 1, -1)
	p.list.Options[20].Tapped(nil)
	marked("the same in its group", -1, 20)
	p.list.recent.Options[1].Tapped(nil)
	p.desk.Forget()
	marked("clearing the settings", -1, 0)
}

func TestFewNeedNoSearch(t *testing.T) {
	uitest.Alone(t)
	p := open(t, kit.AlwaysDark)
	p.run("fusion")
	p.do(desk.FindWorkload)
	_, shown := uitest.Find(p.object, func(e *kit.Entry) bool { return e == p.list.search })
	if shown || p.desk.Window.Canvas().Focused() != nil || p.listed()[0] == recentTitle {
		t.Errorf("a short list shows %q, and a field: %v", p.listed(), shown)
	}
}

// TestManyFit looks at a long list in both sizes of the window and both looks, with normal and with large text.
func TestManyFit(t *testing.T) {
	uitest.Pictures(t)
	for i, c := range []struct {
		look kit.Appearance
		size fyne.Size
		text int
	}{
		{kit.AlwaysDark, uitest.Usual, kit.UsualTextSize},
		{kit.AlwaysLight, uitest.Smallest, kit.UsualTextSize},
		{kit.AlwaysDark, uitest.Usual, kit.MaxTextSize},
		{kit.AlwaysLight, uitest.Usual, kit.MaxTextSize},
	} {
		p, s := openMany(t, c.look, c.size)
		s.Desk.App.Settings().SetTheme(kit.NewSizedLook(c.look, c.text))
		uitest.Ticks(s.Desk, 30)
		p.run("w11")
		p.desk.Choose(17 + i)
		s.View.Update(desk.ChangedAll)
		s.Desk.Window.Resize(c.size)
		check := func() {
			uitest.CheckClipping(t, s.View.Object, c.size)
			uitest.CheckScene(t, s.Desk.Window.Canvas())
		}
		check()
		if high := p.list.scroll.Content.Size().Height; !p.inView() || high <= p.list.scroll.Size().Height {
			t.Errorf("case %d: the chosen workload is in view: %v; the list is %v high, in %v", i, p.inView(), high, p.list.scroll.Size())
		}
		for _, word := range []string{"teapots", "attention"} {
			p.list.search.SetText(word)
			check()
		}
	}
}

func TestGoldensOfMany(t *testing.T) {
	uitest.Pictures(t)
	p, s := openMany(t, kit.AlwaysLight, uitest.Smallest)
	p.run("w11")
	test.Tap(p.list.sections[1].fold)
	uitest.Golden(t, "many", s.Desk.Window.Canvas())
}
