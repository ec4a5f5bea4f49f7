package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"assay/app"
	"assay/ui/kit"
)

// showTrace shows the command line with which the system's profiler watches this process, to copy.
func (d *window) showTrace() {
	if d.Modal() {
		return
	}
	const title = "Metal System Trace"
	command := traceCommand(d.Model.Engines)
	if command == "" {
		body := kit.NewBody("No engine here can be traced: "+d.engineLine()+".", 12)
		d.showBody(dialog.NewCustom(title, "Close", body, d.Window))
		return
	}
	body := kit.NewBody("In a terminal, this records what the GPU does for Assay, for Instruments:\n\n"+command, 12)
	d.showBody(dialog.NewCustomConfirm(title, "Copy", "Close", body, func(copied bool) {
		if copied {
			d.App.Clipboard().SetContent(command)
		}
	}, d.Window))
}

func (d *window) showBody(shown dialog.Dialog) {
	shown.Resize(fyne.NewSize(dialogWidth, 0))
	shown.Show()
}

// traceCommand is that of the first engine that can be traced, empty if none can.
func traceCommand(engines []app.EngineState) string {
	for _, e := range engines {
		if e.Trace != "" {
			return e.Trace
		}
	}
	return ""
}
