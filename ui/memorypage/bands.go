package memorypage

import (
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"assay/internal/plain"
	"assay/monitor"
	"assay/ui/desk"
	"assay/ui/kit"
)

// reuseBands edits the ranges of reuse rates that are usual for each kind of work: the chart shades them, and the figure above
// names the matching one.
type reuseBands struct {
	desk    *desk.Desk
	changed func()
	ends    [][2]*entry // of each band, in percent
	reset   *kit.Button
	note    *note
}

const bandsAbout = "Usual reuse for each kind of work. Default: as published."

func newReuseBands(d *desk.Desk, changed, refit func()) *reuseBands {
	b := &reuseBands{desk: d, changed: changed, note: newNote(bandsAbout, refit)}
	b.reset = kit.NewButton("Reset", func() { b.set(nil) })
	return b
}

func (b *reuseBands) row() fyne.CanvasObject {
	lines := []fyne.CanvasObject{titled("Reuse bands", wide(b.reset, 78))}
	for _, band := range desk.PublishedBands() {
		from, to := newEntry("", func(string) { b.enter() }), newEntry("", func(string) { b.enter() })
		b.ends = append(b.ends, [2]*entry{from, to})
		fields := kit.Row(6, from.wide(48), caption("to"), to.wide(48), caption("%"))
		name := kit.NewBody(plain.Capitalized(workOf(band.Label)), 1)
		lines = append(lines, container.NewBorder(nil, nil, nil, container.NewCenter(fields), name.Whole()))
	}
	b.show()
	return kit.NewFlow(5, append(lines, b.note.Text)...)
}

// show writes the bands in force.
func (b *reuseBands) show() {
	own := len(b.desk.Settings.Pool().Bands) > 0
	for i, band := range b.desk.Settings.ReuseBands() {
		b.ends[i][0].write(shareText(band.Lo))
		b.ends[i][1].write(shareText(band.Hi))
	}
	kit.Able(b.reset, own)
	b.note.say(bandsAbout)
}

func shareText(ratio float64) string { return strconv.FormatFloat(100*ratio, 'g', 4, 64) }

// enter takes the typed text.
func (b *reuseBands) enter() {
	bands := b.desk.Settings.ReuseBands()
	for i, e := range b.ends {
		lo, err := parseShare(e[0].Text)
		if err != nil {
			b.note.complain(err, e[0])
			return
		}
		hi, err := parseShare(e[1].Text)
		if err == nil && hi < lo {
			err = fmt.Errorf("a band from %s to %s %% is empty. Enter a larger end", shareText(lo), shareText(hi))
		}
		if err != nil {
			b.note.complain(err, e[1])
			return
		}
		bands[i].Lo, bands[i].Hi = lo, hi
	}
	b.set(bands)
}

// parseShare parses a percentage as a ratio.
func parseShare(s string) (float64, error) {
	text := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(s), "%"))
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 100) {
		return 0, fmt.Errorf("“%s” is not a percentage. Enter a number from 0 to 100", strings.TrimSpace(s))
	}
	return v / 100, nil
}

// set stores custom bands, or that the published ones are in force, and makes all pages show them.
func (b *reuseBands) set(bands []monitor.Range) {
	c := b.desk.Settings.Pool()
	c.Bands = bands
	b.desk.Settings.SetPool(c)
	b.desk.Redraw(desk.ChangedLook)
	b.changed()
}
