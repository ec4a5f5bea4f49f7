package machinepage

import (
	"errors"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/plain"
	"assay/ui/desk"
	"assay/ui/kit"
)

// devices shows what the device of each engine is and can do.
type devices struct {
	desk   *desk.Desk
	try    *kit.Button
	about  *kit.Text
	list   *fyne.Container
	reader *kit.Reader
	object *fyne.Container

	tried  map[string][]app.Ability // by engine
	failed map[string]error
	trying bool
}

func newDevices(d *desk.Desk) *devices {
	v := &devices{desk: d, about: kit.NewBody("", 2), list: kit.NewFlow(12), tried: map[string][]app.Ability{}, failed: map[string]error{}}
	v.try = kit.NewButton("Test Devices", v.tryAll)
	v.reader = kit.NewReading(v.list)
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, v.about, v.try)
	v.object = container.New(kit.HeadedLayout{Gap: 10}, head, kit.NewPanel(v.reader, 14))
	v.update()
	v.tell()
	return v
}

// tell shows when abilities can be tried.
func (v *devices) tell() {
	words := "A test computes small known answers on the device and tries its optional features, which takes a moment."
	switch {
	case v.trying:
		words = "Testing the devices."
	case v.desk.Model.Busy() != nil:
		words = "Devices cannot be tested while a run is in progress."
	}
	kit.Able(v.try, !v.trying && v.desk.Model.Busy() == nil && v.first() != nil)
	v.about.SetColored(words, kit.ColorSecondary)
}

// first returns the first engine that is available; nil: none.
func (v *devices) first() *app.EngineState {
	for i := range v.desk.Model.Engines {
		if e := &v.desk.Model.Engines[i]; e.Available {
			return e
		}
	}
	return nil
}

// tryAll tries what each available engine offers.
func (v *devices) tryAll() {
	v.trying = true
	v.update()
	v.tell()
	engines, service := v.desk.Model.Engines, v.desk.Session.Engines
	v.desk.Background(func() func() {
		tried, failed := map[string][]app.Ability{}, map[string]error{}
		for _, e := range engines {
			if !e.Available {
				continue
			}
			var trying, testing error
			tried[e.Name], trying = service.Abilities(v.desk.Life(), e.Name)
			_, testing = service.SelfTest(v.desk.Life(), e.Name)
			failed[e.Name] = errors.Join(testing, trying)
		}
		found := service.List()
		return func() {
			v.trying, v.tried, v.failed = false, tried, failed
			v.desk.TakeEngines(found)
			v.update()
			v.tell()
		}
	})
}

// update lists the devices.
func (v *devices) update() {
	v.list.Objects = nil
	for i := range v.desk.Model.Engines {
		v.list.Add(v.engine(&v.desk.Model.Engines[i]))
	}
	if len(v.desk.Model.Engines) == 0 {
		v.list.Add(kit.NewBody("Looking for engines.", 1))
	}
	v.list.Refresh()
	v.reader.Refresh()
}

// engine shows one engine and its device.
func (v *devices) engine(e *app.EngineState) fyne.CanvasObject {
	if !e.Available {
		return kit.NewFlow(3, kit.NewHeading(e.Title), kit.NewBody("Not available: "+plain.Text(e.Reason), 3))
	}
	parts := []fyne.CanvasObject{kit.NewHeading(e.Title + ": " + plain.Text(e.Info.Device)).Lines(2)}
	if e.Info.Simulated {
		warning := kit.NewBody("Simulated: times are not from real hardware.", 2)
		warning.Color = theme.ColorNameWarning
		parts = append(parts, warning)
	}
	var lines [][]*kit.Text
	for _, c := range app.Capabilities(&e.Info) {
		lines = append(lines, fact(c.Title, c.Value, c.Why))
	}
	parts = append(parts, kit.NewTexts(lines...))
	if err := v.failed[e.Name]; err != nil {
		wrong := kit.NewBody(plain.Capitalized(plain.Text(err.Error()))+".", 3)
		wrong.Color = theme.ColorNameError
		parts = append(parts, wrong)
	}
	switch {
	case v.trying: // earlier findings are not those of this test
		parts = append(parts, caption("Self-test in progress"))
	case e.SelfTest != nil:
		parts = append(parts, caption("Self-test, "+e.SelfTest.Done.Local().Format("2 January 2006, 15:04:05")), kit.NewTexts(selfTested(e.SelfTest)...))
	}
	if tried := v.tried[e.Name]; len(tried) > 0 && !v.trying {
		lines = nil
		for _, a := range tried {
			detail, why := a.Detail, a.Reason
			if a.Available {
				detail, why = "yes", ""
				if a.Detail != "" {
					detail += ": " + a.Detail
				}
			}
			lines = append(lines, fact(a.Title, detail, why))
		}
		parts = append(parts, caption("Tried on the device"), kit.NewTexts(lines...))
	}
	return kit.NewFlow(4, parts...)
}

// caption is the heading of a list of what was tried.
func caption(words string) *kit.Text {
	t := kit.NewCaption(words, 1)
	t.Style.Bold = true
	return t
}

// selfTested lists what the device computed, correct or not.
func selfTested(test *bundle.SelfTest) (lines [][]*kit.Text) {
	for _, c := range test.Checks {
		switch c.State {
		case bundle.SelfAbsent:
			lines = append(lines, fact(c.Title, "", c.Why))
		case bundle.SelfPassed:
			lines = append(lines, fact(c.Title, "passed", ""))
		default:
			line := fact(c.Title, "FAILED: "+c.Why, "")
			line[1].Color = theme.ColorNameError
			lines = append(lines, line)
		}
	}
	return lines
}

// fact is a line: what, and its value or why there is none.
func fact(title, value, why string) []*kit.Text {
	name := kit.NewBody(plain.Text(title), 1).Whole()
	name.Color = kit.ColorSecondary
	text := kit.NewBody(plain.Text(value), 4)
	if value == "" || why != "" {
		text.SetColored("Not available: "+plain.Text(why), kit.ColorSecondary)
	}
	return []*kit.Text{name, text}
}
