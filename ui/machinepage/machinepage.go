// Package machinepage is the page about machines: what this machine's devices can do, controls that prove Assay's detectors, drills that inject
// faults, and runs on other machines.
package machinepage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/ui/desk"
	"assay/ui/kit"
)

// machinePage shows one of four parts at a time.
type machinePage struct {
	desk     *desk.Desk
	parts    *kit.Segments
	about    *kit.Text
	devices  *devices
	controls *controls
	drills   *drills
	others   *others
	object   fyne.CanvasObject
}

// Parts of the page.
const (
	partDevices = iota
	partControls
	partDrills
	partOthers
)

const partChoice = "machine.part"

func partNames() []string { return []string{"Devices", "Controls", "Drills", "Other Machines"} }

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := newPage(d)
	return desk.View{Object: p.object, Update: p.update}
}

func newPage(d *desk.Desk) *machinePage {
	p := &machinePage{desk: d, about: kit.NewCaption("", 2)}
	p.devices, p.controls, p.drills, p.others = newDevices(d), newControls(d), newDrills(d), newOthers(d)
	p.parts = kit.NewSegments(p.choose, partNames()...)
	head := container.New(&kit.ToolsLayout{MinWidth: 300}, kit.NewFlow(2, kit.NewTitle("Machine"), p.about), p.parts.Object)
	p.object = kit.Inset(container.New(kit.HeadedLayout{Gap: 10}, head, kit.StackOf(p.devices.object, p.controls.object, p.drills.object, p.others.object)), 18, 14)
	p.show(d.Settings.Choice(partChoice, partNames()...))
	return p
}

func (p *machinePage) choose(i int) {
	p.desk.Settings.SetChoice(partChoice, partNames()[i])
	p.show(i)
}

func (p *machinePage) show(i int) {
	p.parts.Show(i)
	kit.Show(p.devices.object, i == partDevices)
	kit.Show(p.controls.object, i == partControls)
	kit.Show(p.drills.object, i == partDrills)
	kit.Show(p.others.object, i == partOthers)
	p.about.SetColored([]string{
		partDevices:  "What each engine’s device is and can do.",
		partControls: "Inject faults that Assay must notice, and nothing else, to check that its detectors work on this device.",
		partDrills:   "Injects faults, and shows that Assay reports them, loses nothing, and works afterward.",
		partOthers:   "Runs on other machines that have Assay, through your own ssh. A run there continues if the connection is lost.",
	}[i], kit.ColorSecondary)
	p.object.Refresh()
}

// update redraws what changed.
func (p *machinePage) update(c desk.Change) {
	if c.Has(desk.ChangedEngines) {
		p.devices.update()
	}
	if c.Has(desk.ChangedEngines | desk.ChangedRun | desk.ChangedResults | desk.ChangedProgress | desk.ChangedChoice | desk.ChangedDraft) {
		p.devices.tell()
		p.controls.show()
		p.drills.tell()
		p.others.tell()
	}
}
