package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// svgTexts parses an SVG strictly and lists its texts with their positions; every coordinate must be a number.
func svgTexts(t *testing.T, name string, svg []byte) (list []text) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(svg))
	var at image.Point
	in := false
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v in %s", name, err, svg)
		}
		switch k := token.(type) {
		case xml.StartElement:
			in = k.Name.Local == "text"
			for _, a := range k.Attr {
				v, err := strconv.ParseFloat(a.Value, 64)
				switch a.Name.Local {
				case "x", "y", "width", "height", "r", "cx", "cy":
					if err != nil || !finite(v) {
						t.Errorf("%s: %s=%q of <%s>", name, a.Name.Local, a.Value, k.Name.Local)
					}
				}
				if a.Name.Local == "x" {
					at.X = int(v)
				} else if a.Name.Local == "y" {
					at.Y = int(v)
				}
			}
		case xml.CharData:
			if in {
				list = append(list, text{string(k), image.Rectangle{at, at}})
			}
		case xml.EndElement:
			in = false
		}
	}
}

// An SVG shows the same texts as the picture, in the same places, in the light and the dark style.
func TestSVGSaysWhatThePictureSays(t *testing.T) {
	for _, s := range gallery() {
		r, seen := watch(t)
		render(r, s.model, LightStyle(), 320, 140, 1)
		var want, got []string
		for _, k := range *seen {
			want = append(want, k.words+" at "+image.Pt(k.box.Min.X, k.box.Max.Y).String())
		}
		svg, err := newTestRenderer(t).SVG(&s.model, 320, 140, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range svgTexts(t, s.name, svg) {
			if strings.TrimSpace(k.words) != "" {
				got = append(got, k.words+" at "+k.box.Min.String())
			}
		}
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\ngot  %q\nwant %q", s.name, got, want)
		}
		if !bytes.Contains(svg, []byte("@media screen and (prefers-color-scheme:dark)")) || bytes.Contains(svg, []byte("NaN")) {
			t.Errorf("%s: %s", s.name, svg)
		}
	}
}

// Drawing an SVG does not affect later pictures.
func TestSVGLeavesTheRendererAsItWas(t *testing.T) {
	r, m := newTestRenderer(t), sweepModel()
	before := render(r, m, DarkStyle(), 320, 140, 1)
	if _, err := r.SVG(&m, 640, 300, 1.2); err != nil {
		t.Fatal(err)
	}
	if after := render(r, m, DarkStyle(), 320, 140, 1); !bytes.Equal(before.Pix, after.Pix) {
		t.Error("the picture after an SVG is another")
	}
}

// Names may contain XML markup, or characters that XML does not allow.
func TestSVGIsEscaped(t *testing.T) {
	m := sweepModel()
	m.Series[0].Name, m.X.Title, m.Marks[0].Label = `<b>"&\x01`, "<x>\x00", "a]]>b"
	svg, err := newTestRenderer(t).SVG(&m, 640, 300, 1)
	if err != nil {
		t.Fatal(err)
	}
	svgTexts(t, "escaped", svg)
	if bytes.Contains(svg, []byte("<b>")) || bytes.Contains(svg, []byte("<x>")) {
		t.Errorf("markup in %s", svg)
	}
}
