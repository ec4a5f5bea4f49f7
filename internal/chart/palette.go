package chart

import "image/color"

const paletteSize = 6

// PaletteColor is the color of series i. The hues are those of Okabe and Ito, distinguishable with any of the common
// color deficiencies, darkened or lightened for contrast with the background.
func PaletteColor(i int, dark bool) color.NRGBA {
	if dark {
		switch pos(i, paletteSize) {
		case 0:
			return color.NRGBA{86, 180, 233, 255} // sky blue
		case 1:
			return color.NRGBA{240, 160, 40, 255} // orange
		case 2:
			return color.NRGBA{40, 200, 152, 255} // bluish green
		case 3:
			return color.NRGBA{226, 140, 190, 255} // reddish purple
		case 4:
			return color.NRGBA{240, 228, 90, 255} // yellow
		}
		return color.NRGBA{250, 116, 66, 255} // vermilion
	}
	switch pos(i, paletteSize) {
	case 0:
		return color.NRGBA{0, 114, 178, 255} // blue
	case 1:
		return color.NRGBA{213, 94, 0, 255} // vermilion
	case 2:
		return color.NRGBA{0, 146, 107, 255} // bluish green
	case 3:
		return color.NRGBA{178, 84, 140, 255} // reddish purple
	case 4:
		return color.NRGBA{100, 80, 0, 255} // dark yellow, far from vermilion for protanopes too
	}
	return color.NRGBA{70, 90, 110, 255} // slate
}

// Position is the position, from 0, that sets the color and marker of series i.
func (s *Series) Position(i int) int {
	if s.Place > 0 {
		return s.Place - 1
	}
	return i
}

// colorOf is the color of series i of a model.
func colorOf(s *Series, i int, dark bool) color.NRGBA {
	if s.Ink && dark {
		return DarkStyle().Foreground
	}
	if s.Ink {
		return LightStyle().Foreground
	}
	if s.Color.A != 0 {
		return s.Color
	}
	return PaletteColor(s.Position(i), dark)
}

// markerOf is the shape of series i of a model.
func markerOf(s *Series, i int) Marker {
	if s.Marker > AutoMarker && s.Marker != markerEnd && s.Marker <= NoMarker {
		return s.Marker
	}
	return paletteMarker(s.Position(i))
}

// paletteMarker returns the shape of series i: a different one when the colors repeat, so that 36 series differ in one or the other.
func paletteMarker(i int) Marker {
	return Circle + Marker(pos(i+i/paletteSize, int(markerEnd-Circle)))
}

// dashOf is the pattern of series i of a model.
func dashOf(s *Series, i int) Dash {
	if s.Dash > AutoDash && s.Dash < dashEnd {
		return s.Dash
	}
	if s.Place > 0 {
		i = s.Place - 1
	}
	if i < 3 {
		return Solid
	}
	return Solid + Dash(pos(i-2, autoDashes))
}

// pos is i modulo n, never negative.
func pos(i, n int) int { return ((i % n) + n) % n }
