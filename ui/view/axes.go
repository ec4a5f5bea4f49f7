package view

import (
	"slices"

	"assay/ui/kit"
)

// OfferAxis lists in a menu what an axis of charts can show, "Y: Time", and chooses an entry if the list is new.
func OfferAxis(menu *kit.Select, axis string, titles []string, at int) {
	options := make([]string, len(titles))
	for i, t := range titles {
		options[i] = axis + ": " + t
	}
	if slices.Equal(options, menu.Options) {
		return
	}
	menu.Options, menu.Selected = options, ""
	if at >= 0 && at < len(options) {
		menu.Selected = options[at]
	}
	menu.Refresh()
}
