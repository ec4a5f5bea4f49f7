package ui

import (
	"fyne.io/fyne/v2"
)

// page is one page of the window. No page knows another.
type page struct {
	title string
	icon  fyne.Resource
	build func(*desk) view
}

// view is a page that was built.
type view struct {
	object fyne.CanvasObject
	// update redraws what changed; it is called with changedAll when the page comes to the front.
	update func(change)
	// badge is a short note beside the page's title, such as a count; nil or "" for none.
	badge func() string
}

// pages lists the pages in the order of the rail.
func pages() []page {
	return []page{
		{title: "Run", icon: barsIcon(), build: newRunPage},
		{title: "Alerts", icon: bellIcon(), build: newAlertsPage},
	}
}
