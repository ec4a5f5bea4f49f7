package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"

	"assay/app"
)

// showTrace shows the command line with which the system's profiler watches this process, to copy.
func (d *desk) showTrace() {
	if d.modal() {
		return
	}
	const title = "Metal System Trace"
	command := traceCommand(d.model.engines)
	if command == "" {
		body := newBody("No engine here can be traced: "+d.engineLine()+".", 12)
		d.showBody(dialog.NewCustom(title, "Close", body, d.window))
		return
	}
	body := newBody("In a terminal, this records what the GPU does for Assay, for Instruments:\n\n"+command, 12)
	d.showBody(dialog.NewCustomConfirm(title, "Copy", "Close", body, func(copied bool) {
		if copied {
			d.app.Clipboard().SetContent(command)
		}
	}, d.window))
}

func (d *desk) showBody(shown dialog.Dialog) {
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
