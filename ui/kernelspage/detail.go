package kernelspage

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/ui/kit"
	"assay/ui/view"
)

// detail shows everything about one kernel except its source.
type detail struct {
	title  *kit.Text
	about  *kit.Text
	facts  *fyne.Container
	scroll *kit.Reader
	object fyne.CanvasObject
	shown  string // ID
}

func newDetail() *detail {
	d := &detail{title: kit.NewHeading("").Lines(2), about: kit.NewBody("", 6), facts: kit.NewFlow(0)}
	d.scroll = kit.NewReading(kit.NewFlow(4, d.title, d.about, d.facts))
	d.object = kit.NewPanel(d.scroll, 12)
	return d
}

// show shows a kernel, whether the engine runs it (nil: unknown), and its best figures.
func (d *detail) show(k *app.KernelInfo, support *app.KernelSupport, bests *bests) {
	if k.ID != d.shown {
		d.scroll.ScrollToTop()
	}
	d.shown = k.ID
	d.title.Set(k.ID)
	d.about.Set(sentence(k.About))
	d.facts.Objects = nil
	d.section("Kernels", lines(k.Kernels, func(t app.KernelType) []*kit.Text { return kernelLine(t, support) }))
	d.section("Measured best", bests.lines(k))
	d.section("Cost", costLines(k.Cost))
	d.section("Arguments", lines(k.Args, argLine))
	d.section("Parameters", lines(k.Params, func(p app.KernelParam) []*kit.Text { return line(p.Name, p.Type) }))
	d.section("Constants", lines(k.Constants, func(c app.KernelConstant) []*kit.Text {
		return line(c.Name, fmt.Sprintf("0 to %d", c.Max), sentence(c.About))
	}))
	d.section("Tunables", lines(k.Tunables, tunableLine))
	d.section("Launch", launchLines(k))
	d.facts.Refresh()
	d.scroll.Refresh()
}

// section adds lines under a heading, if there are any.
func (d *detail) section(title string, lines [][]*kit.Text) {
	if len(lines) == 0 {
		return
	}
	heading := kit.NewCaption(title, 1)
	heading.Style.Bold = true
	d.facts.Objects = append(d.facts.Objects, kit.Inset(kit.NewFlow(2, heading, kit.NewTexts(lines...)), 0, 6))
}

func lines[T any](list []T, of func(T) []*kit.Text) [][]*kit.Text {
	var all [][]*kit.Text
	for _, x := range list {
		all = append(all, of(x))
	}
	return all
}

// line puts texts side by side: a name and its descriptions.
func line(name string, about ...string) []*kit.Text {
	texts := []*kit.Text{kit.NewBody(name, 1)}
	for i, s := range about {
		rows := 1
		if i == len(about)-1 {
			rows = 4
		}
		t := kit.NewBody(s, rows)
		t.Color = kit.ColorSecondary
		texts = append(texts, t)
	}
	return texts
}

// kernelLine shows a kernel of one type, and whether the engine runs it.
func kernelLine(t app.KernelType, support *app.KernelSupport) []*kit.Text {
	words, color := "", kit.ColorSecondary
	if support != nil {
		words = "Runs on " + support.Title + "."
		if why := support.Refused[t.ID]; why != "" {
			words, color = "Not on "+support.Title+": "+why+".", theme.ColorNameWarning
		}
	}
	if t.Needs != "" {
		words = strings.TrimSpace(words + " Needs " + t.Needs + ".")
	}
	texts := line(t.Type, t.Entry, words)
	texts[2].Color = color
	return texts
}

// argLine shows a buffer of the kernel.
func argLine(a app.KernelArg) []*kit.Text {
	words := a.Type
	if a.If != "" {
		words += ", if " + a.If
	}
	return line(a.Name, a.Access, words)
}

// tunableLine shows a tunable with its values.
func tunableLine(t app.KernelTunable) []*kit.Text {
	values := make([]string, len(t.Values))
	for i, v := range t.Values {
		values[i] = si.Count(int(v))
	}
	about := fmt.Sprintf("%s One of %s.", sentence(t.About), strings.Join(values, ", "))
	return line(t.Name, si.Count(int(t.Default)), about)
}

// costLines describe the work of the most expensive test case.
func costLines(c app.KernelCost) [][]*kit.Text {
	if c.Params == "" {
		return nil
	}
	words := view.Quantity(c.Bytes, "B") + " to and from memory"
	if c.Ops > 0 {
		words = view.Quantity(c.Ops, "FLOP") + ", " + words + fmt.Sprintf(": %.3g FLOP/B", c.Ops/c.Bytes)
	}
	return [][]*kit.Text{line("At least", words+", with "+c.Params+" (the costliest test case)")}
}

// launchLines describe the resources of a launch.
func launchLines(k *app.KernelInfo) [][]*kit.Text {
	if k.Launch == nil {
		return [][]*kit.Text{line("Geometry", k.Library+" decides.")}
	}
	memory := "no argument in threadgroup memory"
	if k.Launch.Shared > 0 {
		memory = "up to " + view.Quantity(float64(k.Launch.Shared), "B") + " as an argument in threadgroup memory"
	}
	return [][]*kit.Text{
		line("Threads", fmt.Sprintf("up to %d in a threadgroup", k.Launch.Threads)),
		line("Memory", memory+"; arrays that the source declares there are not counted"),
	}
}

// sentence begins with a capital letter, unless it is a formula, and ends with a period.
func sentence(s string) string {
	first, _, _ := strings.Cut(s, " ")
	if s != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") == "" && !strings.HasPrefix(s, first+" = ") {
		s = plain.Capitalized(s)
	}
	return strings.TrimSuffix(s, ".") + "."
}
