// Package settingspage is the Settings page: look, defaults, folders and remembered choices.
package settingspage

import (
	"fmt"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// settingsPage is the page.
type settingsPage struct {
	desk       *desk.Desk
	appearance *kit.Segments
	size       *kit.Slider
	percent    *kit.Text
	engine     *kit.Select
	names      []string // of the engines in the select
	engineNote *kit.Text
	device     *kit.Select       // of the engine's devices
	deviceBox  fyne.CanvasObject // hidden if there is no choice
	devices    []string          // their IDs
	quick      *kit.Check
	notify     *kit.Check
	scrape     *kit.Check
	address    *kit.Entry
	scrapeNote *kit.Text
	sampling   []*kit.Select // of desk.SamplingChoices
	scheduled  *kit.Check
	schedule   *kit.Entry
	// scheduleNote says what is wrong with the schedule.
	scheduleNote *kit.Text
	validate     *kit.Check
	// validateNote says what is on.
	validateNote *kit.Text
	captures     *kit.Check  // enabled from the next start
	capture      *kit.Button // captures a run
	captureNote  *kit.Text
	page         fyne.CanvasObject
	quiet        bool // while the page writes its own controls
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := &settingsPage{desk: d}
	p.page = kit.NewPage("Settings", "Changes take effect at once and are remembered. Measuring settings are locked during a run.",
		kit.NewGroup("Appearance", p.appearanceRow(), p.sizeRow()),
		kit.NewGroup("Measuring", append([]fyne.CanvasObject{p.engineRow(), p.quickRow()}, append(p.samplingRows(), p.scheduleRow(), p.validateRow(), p.captureRow())...)...),
		kit.NewGroup("Alerts and monitor", p.notifyRow(), p.scrapeRow()),
		kit.NewGroup("Folders", p.folderRow("Runs", d.Library.Dir(),
			"Each run is a folder with its samples, readings and a description of the machine."),
			p.folderRow("Log", app.UserPaths().Logs, "Activity and errors, for bug reports.")),
		kit.NewGroup("Saved settings", p.resetRow()))
	return desk.View{Object: p.page, Update: p.update}
}

// looks returns the appearances by their names on this page.
func looks() (names []string, values []kit.Appearance) {
	return []string{"Follow System", "Light", "Dark"}, []kit.Appearance{kit.FollowSystem, kit.AlwaysLight, kit.AlwaysDark}
}

func (p *settingsPage) appearanceRow() fyne.CanvasObject {
	names, values := looks()
	p.appearance = kit.NewSegments(func(i int) { p.desk.SetAppearance(values[i]) }, names...)
	return row("Theme", "Light, dark, or match the system.", p.appearance.Object)
}

// sizeRow changes the size when the slider is released, because the page then moves under the pointer.
func (p *settingsPage) sizeRow() fyne.CanvasObject {
	p.size = kit.NewSlider(kit.MinTextSize, kit.MaxTextSize)
	p.size.Step = 10
	p.percent = kit.NewBody("", 1).Whole()
	p.percent.Align = fyne.TextAlignTrailing
	p.size.OnChanged = func(v float64) { p.percent.Set(percentText(v)) }
	p.size.OnChangeEnded = func(v float64) {
		if !p.quiet && int(v) != p.desk.Settings.TextSize() {
			p.desk.SetTextSize(int(math.Round(v)))
		}
	}
	about := fmt.Sprintf("Text size, from %d to %d %%; the layout adapts.", kit.MinTextSize, kit.MaxTextSize)
	slider := container.New(kit.FixedSize{Width: 180}, kit.Accented(p.size))
	return row("Text size", about, kit.Row(8, slider, container.NewCenter(container.New(percentLayout{}, p.percent))))
}

// percentLayout is as wide as the widest percentage.
type percentLayout struct{}

func (percentLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(kit.Scaled(44), o[0].MinSize().Height)
}

func (percentLayout) Layout(o []fyne.CanvasObject, size fyne.Size) { o[0].Resize(size) }

func percentText(v float64) string { return fmt.Sprintf("%.0f %%", v) }

const automatic = "Automatic"

func (p *settingsPage) engineRow() fyne.CanvasObject {
	p.engine = kit.NewSelect([]string{automatic}, func(string) {
		if i := p.engine.SelectedIndex(); !p.quiet && i >= 0 {
			p.desk.SetEngine(p.names[i])
		}
	})
	p.names = []string{"auto"}
	p.engineNote = kit.NewCaption("", 4)
	p.device = kit.NewSelect(nil, func(string) {
		if i := p.device.SelectedIndex(); !p.quiet && i >= 0 {
			p.desk.SetDevice(p.desk.Model.NextEngine().Name, p.devices[i])
		}
	})
	p.deviceBox = container.New(kit.FixedSize{Width: 250}, p.device)
	p.deviceBox.Hide()
	return kit.NewRow(kit.NewHeading("Engine"), p.engineNote,
		container.NewVBox(container.New(kit.FixedSize{Width: 180}, p.engine), p.deviceBox))
}

func (p *settingsPage) quickRow() fyne.CanvasObject {
	p.quick = kit.NewCheck("Quick", func(on bool) {
		if !p.quiet {
			p.desk.SetQuick(on)
		}
	})
	return row("Quick runs", "Quick uses smaller defaults and less time per case; intervals are wider.", p.quick)
}

// notifyRow shows whether alerts are reported on the desktop.
func (p *settingsPage) notifyRow() fyne.CanvasObject {
	p.notify = kit.NewCheck("Notify", func(on bool) {
		if !p.quiet {
			p.desk.Settings.SetNotifies(on)
		}
	})
	return row("Desktop notifications", "For warnings and critical alerts, at most every 30 s; several at once are combined. "+
		"The rules are on the Alerts page.", p.notify)
}

// samplingRows are the settings of how runs are measured.
func (p *settingsPage) samplingRows() []fyne.CanvasObject {
	var rows []fyne.CanvasObject
	for _, c := range desk.SamplingChoices() {
		var options *kit.Select
		options = kit.NewSelect(c.Options(), func(string) {
			if i := options.SelectedIndex(); !p.quiet && i >= 0 {
				c.Choose(p.desk.Settings, i)
			}
		})
		p.sampling = append(p.sampling, options)
		rows = append(rows, row(c.Title, c.About, container.New(kit.FixedSize{Width: 180}, options)))
	}
	return rows
}

// folderRow shows a folder and opens it.
func (p *settingsPage) folderRow(title, folder, about string) fyne.CanvasObject {
	words := about + "\n" + view.Homely(folder)
	return row(title, words, kit.NewButton("Show", func() { p.desk.ShowFolder(folder) }))
}

func (p *settingsPage) resetRow() fyne.CanvasObject {
	reset := kit.NewButton("Reset…", p.reset)
	return row("Kept between starts", "The window’s size, look and text size, and the page in front. The chosen workload, the parameters of "+
		"each, engine, Quick, how runs are measured, notifications, Prometheus, validation, captures, live tuning, and whether the list shows names only. The Monitor’s time span, the part of Memory, "+
		"what pools are set to and the tolerance of leaks, the columns, order and baseline of Results, the order of History. "+
		"Folders of the last export and file.", reset)
}

// reset asks, and then clears the settings.
func (p *settingsPage) reset() {
	p.desk.Ask("Resets all settings and the parameters of every workload to their defaults. "+
		"Runs are kept. This cannot be undone.", "Reset Settings", func() {
		p.desk.Forget()
		p.desk.Say("All settings were reset.")
	})
}

// row is a row with fixed text.
func row(title, about string, control fyne.CanvasObject) fyne.CanvasObject {
	return kit.NewRow(kit.NewHeading(title), kit.NewCaption(about, 5), control)
}

// update writes the current choices into the controls.
func (p *settingsPage) update(c desk.Change) {
	if !c.Has(desk.ChangedLook | desk.ChangedChoice | desk.ChangedEngines | desk.ChangedRun) {
		return
	}
	p.quiet = true
	defer func() { p.quiet = false }()
	m := p.desk.Model
	_, values := looks()
	p.appearance.Show(max(0, slices.Index(values, p.desk.Settings.Appearance())))
	p.size.SetValue(float64(p.desk.Settings.TextSize()))
	p.percent.Set(percentText(p.size.Value))
	p.listEngines(m)
	p.quick.SetChecked(m.Quick)
	p.notify.SetChecked(p.desk.Settings.Notifies())
	p.showScrapes()
	p.showSchedule()
	p.showValidation()
	p.showCapture()
	for i, c := range desk.SamplingChoices() {
		p.sampling[i].SetSelectedIndex(c.Chosen(p.desk.Settings))
		kit.Able(p.sampling[i], m.Busy() == nil)
	}
	kit.Able(p.scheduled, m.Busy() == nil)
	kit.Able(p.schedule, m.Busy() == nil)
	kit.Able(p.quick, m.Busy() == nil)
	kit.Able(p.engine, m.Busy() == nil)
	kit.Able(p.device, m.Busy() == nil)
	p.page.Refresh() // the notes may have another height
}

// listEngines offers the engines found, and says why the chosen one is not available.
func (p *settingsPage) listEngines(m *desk.Model) {
	names, options := []string{"auto"}, []string{automatic}
	about := "The engine of the next run; Automatic prefers a GPU."
	color := kit.ColorSecondary
	for _, e := range m.Engines {
		names, options = append(names, e.Name), append(options, e.Title)
		if e.Name == m.Engine && !e.Available {
			about, color = e.Title+" is not available: "+e.Reason+". Choose another.", theme.ColorNameError
		}
	}
	_, devices, ids, used := m.Devices()
	if p.devices = ids; len(ids) > 0 {
		about += " It has several devices: the second list picks one."
		p.device.SetOptions(devices)
		p.device.SetSelectedIndex(used)
	}
	kit.Show(p.deviceBox, len(ids) > 0)
	p.names = names
	p.engine.SetOptions(options)
	p.engine.SetSelectedIndex(max(0, slices.Index(names, m.Engine)))
	p.engineNote.SetColored(about, color)
}
