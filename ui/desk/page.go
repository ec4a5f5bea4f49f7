package desk

import "fyne.io/fyne/v2"

// Page is one page of the window. No page knows another.
type Page struct {
	Name  string // by which it is remembered and brought to the front
	Title string
	Icon  fyne.Resource
	Build func(*Desk) View
}

// View is a page that was built.
type View struct {
	Object fyne.CanvasObject
	// Update redraws what changed; it is called with changedAll when the page comes to the front.
	Update func(Change)
	// Left is called when another page comes to the front instead; nil: nothing is to be done.
	Left func()
	// Badge is a short note beside the page's title, such as a count; nil or "" for none.
	Badge func() string
	// Live is set where the page follows the monitor: it is redrawn with every tick, not with some only.
	Live bool
	// Key takes a key that no control has a use for, and reports whether it was of use; nil: it takes none.
	Key func(*fyne.KeyEvent) bool
	// Subject is the run that the menu exports while the page is in front; nil: the last one of the chosen workload.
	Subject func() Subject
	// Do carries out a command of the menu, where the page has one of that name; nil: it has none.
	Do func(Command)
}

// Command is what the menu asks of the page that can do it.
type Command string

// Commands.
const (
	ResetForm Command = "reset the form"
)

// Names of the pages that others lead to. A page to which none does has its name in the window's list of pages alone.
const (
	PageRun     = "run"
	PageResults = "results"
	PageMonitor = "monitor"
	PageMemory  = "memory"
	PageHistory = "history"
)
