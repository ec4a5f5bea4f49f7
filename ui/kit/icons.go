package kit

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

// icon returns a drawing on a square of 24 in the color of the text.
func icon(name, path string) fyne.Resource {
	svg := `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24">` +
		`<path fill="#000000" d="` + path + `"/></svg>`
	return theme.NewThemedResource(fyne.NewStaticResource(name+".svg", []byte(svg)))
}

// BarsIcon is three bars of a measurement.
func BarsIcon() fyne.Resource {
	return icon("bars", "M4 13h4v7H4zM10 4h4v16h-4zM16 9h4v11h-4z")
}

// BellIcon is a bell.
func BellIcon() fyne.Resource {
	return icon("bell", "M12 2a2 2 0 0 0-2 2v.4A6.5 6.5 0 0 0 5.5 10.6V16L3.5 18v1h17v-1l-2-2v-5.4A6.5 6.5 0 0 0 14 4.4V4a2 2 0 0 0-2-2z"+
		"M9.8 20.2a2.3 2.3 0 0 0 4.4 0z")
}

// PulseIcon is a line of readings.
func PulseIcon() fyne.Resource {
	return icon("pulse", "M2 11h4.6L9.4 4h2.2l3.2 12 2.2-5h5v2h-3.7L15.6 20h-2.2L10.3 8.4 8 13H2z")
}

// MemoryIcon is a chip with its legs.
func MemoryIcon() fyne.Resource {
	return icon("memory", "M7 7V3.5h1.8V7h2.3V3.5h1.8V7h2.3V3.5H17V7h2.5a1.5 1.5 0 0 1 1.5 1.5v7a1.5 1.5 0 0 1-1.5 1.5H17v3.5h-1.8V17"+
		"h-2.3v3.5h-1.8V17H8.8v3.5H7V17H4.5A1.5 1.5 0 0 1 3 15.5v-7A1.5 1.5 0 0 1 4.5 7zM4.9 8.9v6.2h14.2V8.9zM7 10.6h10v2.8H7z")
}

// SlidersIcon is three sliders, for settings.
func SlidersIcon() fyne.Resource {
	return icon("sliders", "M3 5.2h8.2a2.6 2.6 0 0 1 5 0H21v1.8h-4.8a2.6 2.6 0 0 1-5 0H3zM3 11.1h2.2a2.6 2.6 0 0 1 5 0H21v1.8H10.2"+
		"a2.6 2.6 0 0 1-5 0H3zM3 17h9.2a2.6 2.6 0 0 1 5 0H21v1.8h-3.8a2.6 2.6 0 0 1-5 0H3z")
}

// CircledIIcon is an i in a circle, for information.
func CircledIIcon() fyne.Resource {
	return icon("about", "M12 2.5a9.5 9.5 0 1 0 0 19a9.5 9.5 0 0 0 0-19zM12 4.3a7.7 7.7 0 1 1 0 15.4a7.7 7.7 0 0 1 0-15.4z"+
		"M11 10.4h2v6.8h-2zM12 6.6a1.2 1.2 0 1 1 0 2.4a1.2 1.2 0 0 1 0-2.4z")
}

// TableIcon is the rows of a table below its head.
func TableIcon() fyne.Resource {
	return icon("table", "M3 4h18v4.4H3zM3 10.2h5.2v4.2H3zM10 10.2h11v4.2H10zM3 16.2h5.2v4.2H3zM10 16.2h11v4.2H10z")
}

// ClockBackIcon is a clock in an arrow that turns back, for history.
func ClockBackIcon() fyne.Resource {
	return icon("clockback", "M12.6 3a9 9 0 0 0-8.2 5.3L2.2 6.9 2 13l5.6-2.4-1.7-1.2A7.2 7.2 0 1 1 7.4 17l-1.3 1.3A9 9 0 1 0 12.6 3z"+
		"M11.8 7.4h1.8v4.5l3.2 2-.9 1.5-4.1-2.6z")
}

// CodeIcon is a slash between angle brackets, for source.
func CodeIcon() fyne.Resource {
	return icon("code", "M8.3 6.4 9.6 7.7 5.3 12l4.3 4.3-1.3 1.3L2.7 12zM15.7 6.4 14.4 7.7 18.7 12l-4.3 4.3 1.3 1.3 5.6-5.6z"+
		"M12.6 5h1.9l-3.1 14H9.5z")
}

// ScalesIcon is a pair of scales, for weights.
func ScalesIcon() fyne.Resource {
	return icon("scales", "M11 3h2v2.2l6.5 1.3.4 1.8-1-.2 2.9 6.4a3.6 3.6 0 0 1-7 0l2.7-6.8L13 6.9V18h4v2H7v-2h4V6.5L7.6 5.8l2.6 6.7"+
		"a3.6 3.6 0 0 1-7 0L6 5.6 4.1 5.2 4.5 3.4 11 4.8zM6.7 8.2 5.1 12.5h3.2zM18.3 10.2l-1.6 4.3h3.2z")
}

// EyeIcon is an eye, for watching.
func EyeIcon() fyne.Resource {
	return icon("eye", "M12 5c4.6 0 8.4 2.8 10.3 7-1.9 4.2-5.7 7-10.3 7S3.6 16.2 1.7 12C3.6 7.8 7.4 5 12 5zM12 6.9c-3.5 0-6.4 1.9-8.1 5.1"+
		"c1.7 3.2 4.6 5.1 8.1 5.1s6.4-1.9 8.1-5.1C18.4 8.8 15.5 6.9 12 6.9zM12 8.8a3.2 3.2 0 1 1 0 6.4a3.2 3.2 0 0 1 0-6.4z")
}

// TwoWaysIcon is two arrows in opposite directions, for alternating comparisons.
func TwoWaysIcon() fyne.Resource {
	return icon("twoways", "M15.5 3.2 21 8l-5.5 4.8V9.4H3V6.6h12.5zM8.5 11.2v3.4H21v2.8H8.5v3.4L3 16z")
}

// MachineIcon is two machines in a rack.
func MachineIcon() fyne.Resource {
	return icon("machine", "M4.5 4h15A1.5 1.5 0 0 1 21 5.5v4a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 9.5v-4A1.5 1.5 0 0 1 4.5 4zM5 6v3h14V6z"+
		"M4.5 13h15a1.5 1.5 0 0 1 1.5 1.5v4a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 18.5v-4A1.5 1.5 0 0 1 4.5 13zM5 15v3h14v-3z"+
		"M6.5 6.8h2v1.4h-2zM6.5 15.8h2v1.4h-2z")
}

// BulbIcon is a light bulb.
func BulbIcon() fyne.Resource {
	return icon("bulb", "M12 2a7 7 0 0 0-4.2 12.6c.7.6 1.2 1.2 1.2 2.1V17h6v-.3c0-.9.5-1.5 1.2-2.1A7 7 0 0 0 12 2zM9 18.6h6v1.5H9zM10.2 21.2h3.6a1.8 1.8 0 0 1-3.6 0z")
}
