package memorypage

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/gpu"
	"assay/monitor"
	"assay/ui/kit"
)

// figures is the pool in numbers, side by side.
type figures struct {
	live, cached, held, acquires, reuse, waste, stranded *figure
	layout                                               *figuresLayout
	runID                                                string // as last shown
	object                                               *fyne.Container
}

// figure is one number with its name above it and a note below.
type figure struct {
	value, note *kit.Text
	object      fyne.CanvasObject
}

func newFigure(name, about string, hints *kit.Hints) *figure {
	f := &figure{value: kit.NewHeading(""), note: kit.NewCaption("", 3)}
	column := kit.Stack(1, kit.NewCaption(name, 1), f.value, f.note)
	f.object = kit.NewTerm(column, about, hints)
	return f
}

func (f *figure) set(value, note string, color fyne.ThemeColorName) {
	f.value.SetColored(value, color)
	f.note.Set(note)
}

func newFigures(h *kit.Hints) *figures {
	f := &figures{
		live: newFigure("Live", "Buffers in use by running work. Bytes are those of the engine’s buffers.", h),
		cached: newFigure("Cached", "Released buffers, kept for reuse. They still take memory. "+
			"Evicted: freed to keep within the capacity, the budget or the engine’s memory.", h),
		held: newFigure("Held", "Live and cached together, the number of buffer sizes, and the peak since the "+
			"last reset.", h),
		acquires: newFigure("Acquires", "Requests for a buffer, served from the cache or by a new one. "+
			"Prewarmed: made in advance.", h),
		reuse: newFigure("Reuse rate", "Share of acquires served from the cache, and the kind of work for which that is usual: the "+
			"bands at the end of the column on the right.", h),
		waste: newFigure("Waste", "Share of live bytes beyond those requested: a request is rounded up to its size class. "+
			"This pool’s classes waste less than 5 % from 320 B up.", h),
		stranded: newFigure("Stranded", "Cached in size classes that served none of the last 256 acquires. "+
			"Clear the class, or shrink the pool.", h),
	}
	f.layout = &figuresLayout{}
	row := container.New(f.layout)
	for _, x := range []*figure{f.live, f.cached, f.held, f.acquires, f.reuse, f.waste, f.stranded} {
		f.layout.figures = append(f.layout.figures, x)
		row.Add(x.object)
	}
	f.object = kit.NewPanel(row, figuresPad)
	return f
}

// figuresLayout puts figures of equal width side by side. Once a note has taken a second line, the room for it stays until
// the next run.
type figuresLayout struct {
	figures []*figure
	width   float32
	notes   float32 // the height of the notes
}

const (
	figureGap  = 13
	minFigure  = 86 // width, at 100 %
	figuresPad = 12
)

// setWidth tells the layout how wide the row will be.
func (l *figuresLayout) setWidth(width float32) {
	if width != l.width {
		l.width, l.notes = width, 0
	}
}

// fit adapts to the number of lines of the notes.
func (l *figuresLayout) fit() {
	for _, f := range l.figures {
		l.notes = max(l.notes, f.note.HeightFor(l.each()))
	}
}

// each is the width of one figure.
func (l *figuresLayout) each() float32 {
	n := float32(l.across())
	return (l.width - (n-1)*figureGap) / n
}

// across is how many figures are side by side: all, unless they would be too narrow for their text.
func (l *figuresLayout) across() int {
	all := len(l.figures)
	fit := min(all, max(1, int((l.width+figureGap)/(kit.Scaled(minFigure)+figureGap))))
	rows := (all + fit - 1) / fit
	return (all + rows - 1) / rows
}

// high is the height of one figure.
func (l *figuresLayout) high() float32 {
	one := kit.NewCaption("", 1).MinSize().Height
	return one + l.figures[0].value.MinSize().Height + 2 + max(one, l.notes)
}

func (l *figuresLayout) MinSize(o []fyne.CanvasObject) fyne.Size {
	l.fit()
	rows := float32((len(o) + l.across() - 1) / l.across())
	return fyne.NewSize(3*(kit.Scaled(minFigure)+figureGap), rows*(l.high()+figuresPad)-figuresPad)
}

func (l *figuresLayout) Layout(o []fyne.CanvasObject, size fyne.Size) {
	l.setWidth(size.Width)
	width, high, across := l.each(), l.high(), l.across()
	for i, c := range o {
		c.Move(fyne.NewPos(float32(i%across)*(width+figureGap), float32(i/across)*(high+figuresPad)))
		c.Resize(fyne.NewSize(width, high))
	}
}

// maxWaste is the share of waste above which it is marked.
const maxWaste = 0.05

// show shows the state of the pool, and reports whether that changed the height.
func (f *figures) show(s *app.PoolState, bands []monitor.Range) (moved bool) {
	plain := theme.ColorNameForeground
	x := &s.Stats
	f.live.set(bytesText(x.LiveBytes), counted(x.Live, "buffer"), plain)
	f.cached.set(bytesText(x.CachedBytes), fmt.Sprintf("%s, %s evicted", counted(x.Cached, "buffer"), grouped(x.Evictions)), plain)
	f.held.set(bytesText(x.LiveBytes+x.CachedBytes), fmt.Sprintf("%s; at most %s", sizes(x.Classes), bytesText(x.HighWater)), plain)
	f.acquires.set(grouped(x.Acquires), acquiresNote(x), plain)
	if rate, ok := x.ReuseRate(); ok {
		f.reuse.set(percent(rate), reuseBand(rate, bands), plain)
	} else {
		f.reuse.set("Not available", "nothing acquired yet", kit.ColorSecondary)
	}
	f.showWaste(s)
	switch {
	case x.StrandedBytes > 0:
		f.stranded.set(bytesText(x.StrandedBytes), "not used lately", theme.ColorNameWarning)
	case x.Cached == 0:
		f.stranded.set("0 B", "nothing is cached", plain)
	default:
		f.stranded.set("0 B", "no idle buffers", plain)
	}
	before := f.layout.notes
	if s.RunID != f.runID {
		f.runID, f.layout.notes = s.RunID, 0
	}
	f.layout.fit()
	return f.layout.notes != before
}

// acquiresNote says where the requested buffers came from; prewarmed ones are counted separately.
func acquiresNote(x *gpu.Stats) string {
	made := x.Acquires - x.Reuses
	words := fmt.Sprintf("%s reused, %s\u00a0made", grouped(x.Reuses), grouped(made))
	if ahead := x.Creates - made; ahead > 0 {
		words += fmt.Sprintf("; %s\u00a0prewarmed", grouped(ahead))
	}
	return words
}

func (f *figures) showWaste(s *app.PoolState) {
	waste, ok := s.Stats.Waste()
	unasked := s.Stats.LiveBytes - s.Stats.LiveRequested
	switch {
	case !ok:
		f.waste.set("Not available", "nothing is live", kit.ColorSecondary)
	case waste > maxWaste:
		f.waste.set(percent(waste), bytesText(unasked)+" by rounding up, over\u00a05 %", theme.ColorNameWarning)
	default:
		f.waste.set(percent(waste), bytesText(unasked)+" by rounding up", theme.ColorNameForeground)
	}
}

// sizes counts size classes.
func sizes(n int) string {
	if n == 1 {
		return "1 size"
	}
	return grouped(n) + " sizes"
}

func percent(ratio float64) string {
	if ratio > 0 && ratio < 0.0995 {
		return fmt.Sprintf("%.1f %%", 100*ratio)
	}
	return fmt.Sprintf("%.0f %%", 100*ratio)
}

// reuseBand says what kind of work has that reuse rate.
func reuseBand(rate float64, bands []monitor.Range) string {
	of := func(b *monitor.Range) string { return fmt.Sprintf("%s: %s", workOf(b.Label), bandText(b)) }
	lowest, highest := &bands[0], &bands[0]
	for i := range bands {
		b := &bands[i]
		if rate >= b.Lo && rate <= b.Hi {
			return of(b)
		}
		if b.Lo < lowest.Lo {
			lowest = b
		}
		if b.Hi > highest.Hi {
			highest = b
		}
	}
	switch {
	case rate > highest.Hi:
		return "above " + of(highest)
	case rate < lowest.Lo:
		return "below " + of(lowest)
	}
	return "between the bands"
}

// workOf is the kind of work of a band.
func workOf(label string) string {
	switch label {
	case "inference":
		return "batch inference"
	case "one-off":
		return "one-off work"
	}
	return label
}

// bandText is "80–95 %".
func bandText(b *monitor.Range) string { return fmt.Sprintf("%.3g–%.3g %%", 100*b.Lo, 100*b.Hi) }
