package chart

import (
	"bytes"
	"image/color"
	"math"
	"testing"
)

// matrix maps linear RGB to what people with a deficiency see.
type matrix [3][3]float64

// deficiencies are the common ones at full severity, by the model of Machado, Oliveira and Fernandes (2009).
func deficiencies() map[string]matrix {
	return map[string]matrix{
		"none":         {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia":   {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
		"tritanopia":   {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}},
	}
}

// minDifference is the minimum difference of two palette colors in CIELAB; a just noticeable one is about 2.3. Marker and dash also
// distinguish series.
const minDifference = 9

// TestPaletteForColorDeficiencies compares all pairs as people with the common deficiencies see them.
func TestPaletteForColorDeficiencies(t *testing.T) {
	for name, m := range deficiencies() {
		for _, dark := range []bool{true, false} {
			least := math.Inf(1)
			for i := range paletteSize {
				for k := range i {
					a, b := seen(m, PaletteColor(i, dark)), seen(m, PaletteColor(k, dark))
					d := math.Sqrt(sq(a[0]-b[0]) + sq(a[1]-b[1]) + sq(a[2]-b[2]))
					least = min(least, d)
					if d < minDifference {
						t.Errorf("%s, dark %v: colors %d and %d differ by %.1f", name, dark, k, i, d)
					}
				}
			}
			t.Logf("%s, dark %v: at least %.1f", name, dark, least)
		}
	}
}

func sq(x float64) float64 { return x * x }

// seen returns a color in CIELAB as seen with a deficiency.
func seen(m matrix, c color.NRGBA) (lab [3]float64) {
	rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var sim [3]float64
	for i := range sim {
		sim[i] = min(1, max(0, m[i][0]*rgb[0]+m[i][1]*rgb[1]+m[i][2]*rgb[2]))
	}
	x := (0.4124*sim[0] + 0.3576*sim[1] + 0.1805*sim[2]) / 0.95047
	y := 0.2126*sim[0] + 0.7152*sim[1] + 0.0722*sim[2]
	z := (0.0193*sim[0] + 0.1192*sim[1] + 0.9505*sim[2]) / 1.08883
	f := func(v float64) float64 {
		if v > 0.008856 {
			return math.Cbrt(v)
		}
		return 7.787*v + 16.0/116
	}
	return [3]float64{116*f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))}
}

func linear(v uint8) float64 {
	if s := float64(v) / 255; s > 0.04045 {
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return float64(v) / 255 / 12.92
}

func TestInkFollowsTheLook(t *testing.T) {
	s := Series{Ink: true}
	if dark, light := colorOf(&s, 0, true), colorOf(&s, 0, false); dark != DarkStyle().Foreground || light != LightStyle().Foreground {
		t.Errorf("drawn in %v on dark, %v on light", dark, light)
	}
}

// Bars and boxes of the same color differ in the mark cut out of them, a disk or a ring.
func TestPlacesOfOneColorDifferInBarsAndBoxes(t *testing.T) {
	r := newTestRenderer(t)
	for name, model := range map[string]func(place int) Model{
		"bars": func(place int) Model {
			return Model{Series: []Series{{Kind: BarKind, Place: place, X: []float64{1}, Y: []float64{1}}}}
		},
		"boxes": func(place int) Model { return Model{Boxes: []Box{{X1: 1, Y1: 1, Place: place}}} },
	} {
		first, later := render(r, model(1), LightStyle(), 200, 150, 1), render(r, model(25), LightStyle(), 200, 150, 1)
		if bytes.Equal(first.Pix, later.Pix) {
			t.Errorf("%s: places 1 and 25 look alike", name)
		}
	}
}
