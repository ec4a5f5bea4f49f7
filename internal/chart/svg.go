package chart

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/color"
	"strconv"
)

// SVG returns a chart as an SVG of w × h logical pixels: the window's layout, as shapes. It is drawn in the light and the dark style
// at once, each shape in a class with its two colors, and follows the reader's preference. The background is left to the page. text
// scales the text; 1 if not positive.
func (r *Renderer) SVG(m *Model, w, h int, text float64) ([]byte, error) {
	if err := r.setScale(1, text); err != nil {
		return nil, err
	}
	light, dark := r.shapes(m, LightStyle(), w, h), r.shapes(m, DarkStyle(), w, h)
	if len(light) != len(dark) {
		return nil, fmt.Errorf("chart: %d shapes in light, %d in dark", len(light), len(dark))
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="%s" font-family="system-ui,sans-serif">`,
		w, h, escaped(m.Summary()))
	writeStyle(&out, light, dark)
	class := ""
	for i := range light {
		if c := className(light[i].color, dark[i].color); c != class {
			if class != "" {
				out.WriteString("</g>")
			}
			class = c
			fmt.Fprintf(&out, `<g class="%s">`, class)
		}
		out.WriteString(light[i].element)
	}
	if class != "" {
		out.WriteString("</g>")
	}
	out.WriteString("</svg>")
	return out.Bytes(), nil
}

// shapes is the chart in one style.
func (r *Renderer) shapes(m *Model, st Style, w, h int) []shapeOf {
	list := &shapeList{}
	st.Text = r.text
	r.w, r.h, r.style, r.warm, r.under = w, h, st, false, list
	r.ruleAt = [maxRules]uint8{}
	defer func() { r.under = &r.back }()
	e := extentOf(m)
	shown := r.hasData(m, &e)
	r.arrange(m, w, h, &e)
	if r.drawUnder(m, shown); shown {
		r.drawSeries(list, m)
		r.drawValues(list, m)
	}
	return list.all
}

// className returns the class for one color in light and another in dark style.
func className(light, dark color.NRGBA) string {
	return fmt.Sprintf("k%02x%02x%02x%02x%02x%02x%02x%02x", light.R, light.G, light.B, light.A, dark.R, dark.G, dark.B, dark.A)
}

// writeStyle writes the classes of the shapes. A shape has the current color, as fill or stroke; lines specify it themselves.
func writeStyle(out *bytes.Buffer, light, dark []shapeOf) {
	seen := map[string]bool{}
	var day, night bytes.Buffer
	for i := range light {
		l, d := light[i].color, dark[i].color
		if name := className(l, d); !seen[name] {
			seen[name] = true
			fmt.Fprintf(&day, ".%s{color:%s}", name, cssColor(l))
			fmt.Fprintf(&night, ".%s{color:%s}", name, cssColor(d))
		}
	}
	fmt.Fprintf(out, "<style>%s@media screen and (prefers-color-scheme:dark){%s}</style>", &day, &night)
}

func cssColor(c color.NRGBA) string {
	if c.A == 255 {
		return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B)
	}
	return fmt.Sprintf("rgba(%d,%d,%d,%s)", c.R, c.G, c.B, number(float64(c.A)/255))
}

// escaped returns text for an attribute or an element, with markup escaped and invalid characters replaced.
func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer accepts everything
	return b.String()
}

// number formats a coordinate, to a hundredth of a pixel.
func number(v float64) string {
	b := strconv.AppendFloat(nil, v, 'f', 2, 64)
	for b[len(b)-1] == '0' {
		b = b[:len(b)-1]
	}
	if b[len(b)-1] == '.' {
		b = b[:len(b)-1]
	}
	if s := string(b); s != "-0" {
		return s
	}
	return "0"
}
