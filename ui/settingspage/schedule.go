package settingspage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
)

const scheduleAbout = "In place of warming up until stable and sampling until precise: steps that run unrecorded (wait), that are discarded (warmup) and that count " +
	"(active), and how often all of it runs (repeat). A step is a sample of each variant. Target precision, time, minimum samples and warm-up do not apply then."

// scheduleRow shows whether runs follow a fixed schedule, and which one.
func (p *settingsPage) scheduleRow() fyne.CanvasObject {
	p.scheduleNote = kit.NewCaption(scheduleAbout, 6)
	p.schedule = kit.NewEntry()
	p.scheduled = kit.NewCheck("Follow", func(bool) { p.setSchedule() })
	p.schedule.OnChanged = func(string) { p.setSchedule() }
	return kit.NewRow(kit.NewHeading("Fixed schedule"), p.scheduleNote,
		container.NewVBox(p.scheduled, container.New(kit.ScaledWidth{Width: 270}, p.schedule)))
}

// setSchedule takes the entered schedule, or none. While it is not valid, none is followed.
func (p *settingsPage) setSchedule() {
	if p.quiet {
		return
	}
	words, color := scheduleAbout, kit.ColorSecondary
	if err := p.desk.Settings.SetSchedule(p.scheduled.Checked, p.schedule.Text); err != nil {
		words, color = "Not followed: "+err.Error()+".", theme.ColorNameError
	}
	p.scheduleNote.SetColored(words, color)
	p.page.Refresh()
}

// showSchedule writes the settings into the controls.
func (p *settingsPage) showSchedule() {
	quiet := p.quiet
	p.quiet = true
	defer func() { p.quiet = quiet }()
	on, text := p.desk.Settings.Schedule()
	p.scheduled.SetChecked(on)
	p.schedule.SetText(text)
}
