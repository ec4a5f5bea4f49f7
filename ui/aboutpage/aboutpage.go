// Package aboutpage is the About page: version, engines, trace, log, licenses.
package aboutpage

import (
	"net/url"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/assets"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/view"
)

// aboutPage is the page.
type aboutPage struct {
	desk    *desk.Desk
	engines *fyne.Container
	words   *kit.Text // of the trace
	copying *kit.Button
	page    fyne.CanvasObject
}

// New builds the page.
func New(d *desk.Desk) desk.View {
	p := &aboutPage{desk: d, engines: kit.NewFlow(0)}
	p.page = kit.NewPage("About "+assets.Name, assets.Description,
		kit.NewGroup("This version", p.versionRow()),
		kit.NewGroup("Engines", p.engines),
		kit.NewGroup("Help", p.traceRow(), p.logRow(),
			linkRow("Metal", "Apple’s guide to compute on its GPUs.", "https://developer.apple.com/documentation/metal"),
			linkRow("Instruments", "How to read a Metal System Trace.",
				"https://developer.apple.com/documentation/xcode/analyzing-the-performance-of-your-metal-app"),
			linkRow("Fyne", "The toolkit of this window.", "https://docs.fyne.io")),
		kit.NewGroup("Licenses", licenseRows()...))
	return desk.View{Object: p.page, Update: p.update}
}

func (p *aboutPage) versionRow() fyne.CanvasObject {
	icon := widget.NewIcon(fyne.NewStaticResource("Icon256.png", assets.Icon()))
	version := "Version " + p.desk.Session.Version()
	about := "Free software under the MIT license. Connects to nothing but the machines that you name in Other Machines, through your own ssh."
	return kit.NewRow(kit.NewHeading(version), kit.NewCaption(about, 3), container.NewGridWrap(fyne.NewSize(48, 48), icon))
}

func (p *aboutPage) traceRow() fyne.CanvasObject {
	p.words = kit.NewCaption("", 6)
	p.copying = kit.NewButton("Copy Command", func() {
		p.desk.Copy("The trace command was", traceCommand(p.desk.Model.Engines))
	})
	return kit.NewRow(kit.NewHeading("Metal System Trace"), p.words, p.copying)
}

func (p *aboutPage) logRow() fyne.CanvasObject {
	folder := app.UserPaths().Logs
	about := "Activity and errors.\n" + view.Homely(folder)
	show := kit.NewButton("Show Log", func() { p.desk.ShowFolder(folder) })
	return kit.NewRow(kit.NewHeading("Log"), kit.NewCaption(about, 3), show)
}

// linkRow is a row with a link to a web page.
func linkRow(title, about, address string) fyne.CanvasObject {
	u, err := url.Parse(address)
	if err != nil {
		return kit.NewRow(kit.NewHeading(title), kit.NewCaption(about+"\n"+address, 3), nil)
	}
	return kit.NewRow(kit.NewHeading(title), kit.NewCaption(about, 3), kit.NewLink(u.Host, u))
}

// update shows the engines and the trace.
func (p *aboutPage) update(c desk.Change) {
	if !c.Has(desk.ChangedEngines) {
		return
	}
	p.engines.Objects = nil
	for i, e := range p.desk.Model.Engines {
		if i > 0 {
			p.engines.Add(kit.Inset(kit.NewLine(), 14, 0))
		}
		p.engines.Add(engineRow(e))
	}
	if len(p.desk.Model.Engines) == 0 {
		p.engines.Add(kit.NewRow(kit.NewBody("Looking for engines.", 1), kit.NewCaption("", 1), nil))
	}
	p.words.Set(traceText(p.desk.Model.Engines))
	kit.Able(p.copying, traceCommand(p.desk.Model.Engines) != "")
	p.page.Refresh()
}

// engineRow shows the device that an engine runs on, or why the engine is not available.
func engineRow(e app.EngineState) fyne.CanvasObject {
	state, about := "Available", e.Info.Device
	if e.Info.Simulated {
		about += "\nSimulated: times are not from real hardware."
	}
	if e.SelfTest != nil {
		about += "\nSelf-test: " + e.SelfTest.String()
	}
	if !e.Available {
		state, about = "Not available", e.Reason
	}
	return kit.NewRow(kit.NewHeading(e.Title), kit.NewCaption(about, 4), kit.NewCaption(state, 1).Whole())
}

// traceText says how Instruments traces this process, or why it cannot.
func traceText(engines []app.EngineState) string {
	if command := traceCommand(engines); command != "" {
		return "Run this in a terminal to record Assay’s GPU work for Instruments:\n" + command
	}
	var why []string
	for _, e := range engines {
		if e.Available {
			why = append(why, e.Title+" is not a Metal device")
		} else {
			why = append(why, e.Title+" is not available: "+e.Reason)
		}
	}
	if len(why) == 0 {
		return "Looking for engines."
	}
	return "No engine here can be traced: " + strings.Join(why, "; ") + "."
}

// traceCommand is the command of the first engine that can be traced; empty if none can.
func traceCommand(engines []app.EngineState) string {
	for _, e := range engines {
		if e.Trace != "" {
			return e.Trace
		}
	}
	return ""
}
