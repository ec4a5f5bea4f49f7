package desk

import "fyne.io/fyne/v2"

// Page is one page of the window. No page imports another.
type Page struct {
	Name  string // key under which it is stored and brought to the front
	Title string
	Icon  fyne.Resource
	Build func(*Desk) View
}

// View is a page that was built.
type View struct {
	Object fyne.CanvasObject
	// Update redraws what changed; it is called with changedAll when the page comes to the front.
	Update func(Change)
	// Left is called when another page comes to the front; nil: nothing to do.
	Left func()
	// Badge is a short note beside the page's title, such as a count; nil or "" for none.
	Badge func() string
	// Live is set if the page follows the monitor: it is redrawn at every tick instead of only some.
	Live bool
	// Key handles a key that no control uses, and reports whether it did; nil: it handles none.
	Key func(*fyne.KeyEvent) bool
	// Subject is the run that the menu exports while the page is in front; nil: the last one of the chosen workload.
	Subject func() Subject
	// Find looks for something on the page for the menu's Find, and reports whether there is anything to find; nil: there is not.
	Find func() bool
	// Do runs a menu command if the page has it; nil: it has none.
	Do func(Command)
}

// Command is a menu command that a page implements.
type Command string

// Commands.
const (
	ResetForm    Command = "reset the form"
	FindWorkload Command = "find a workload"
)

// Names of pages that other pages link to. The other names are only in the window's list of pages.
const (
	PageRun     = "run"
	PageResults = "results"
	PageMonitor = "monitor"
	PageMemory  = "memory"
	PageHistory = "history"
	PageWatch   = "watch"
	PageWeights = "weights"
	PageAB      = "ab"
)
