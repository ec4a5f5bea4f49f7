package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// icon is a drawing on a square of 24 in the colour of the text.
func icon(name, path string) fyne.Resource {
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24"><path fill="#000000" fill-rule="evenodd" d="` + path + `"/></svg>`
	return theme.NewThemedResource(fyne.NewStaticResource(name+".svg", []byte(svg)))
}

// gaugeIcon is a dial with its hand.
func gaugeIcon() fyne.Resource {
	return icon("gauge", "M12 4A10 10 0 0 0 2 14a9.9 9.9 0 0 0 1.9 5.9h16.2A9.9 9.9 0 0 0 22 14 10 10 0 0 0 12 4z"+
		"M12 6a8 8 0 0 1 8 8 7.9 7.9 0 0 1-1 3.9H5A7.9 7.9 0 0 1 4 14a8 8 0 0 1 8-8z"+
		"M16.6 8.6 10.8 13A2 2 0 1 0 13 15.2z")
}

// bellIcon is a bell.
func bellIcon() fyne.Resource {
	return icon("bell", "M12 2a2 2 0 0 0-2 2v.4A6.5 6.5 0 0 0 5.500 10.600V16L3.500 18v1h17v-1l-2-2v-5.400A6.500 6.500 0 0 0 14 4.400V4a2 2 0 0 0-2-2z"+
		"M9.800 20.200a2.300 2.300 0 0 0 4.400 0z")
}
