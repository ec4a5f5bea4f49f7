package chart

import "math"

// fitXTicks chooses as many ticks of X as fit side by side.
func (r *Renderer) fitXTicks(m *Model) {
	l := &r.lay
	l.xexp = m.X.Unit.exponent(max(math.Abs(l.x.lo), math.Abs(l.x.hi)))
	if m.X.Scale == Category {
		r.categoryTicks(m)
		return
	}
	for n := r.maxXTicks(); n >= 1; n-- {
		l.xticks = r.appendXTicks(l.xticks[:0], m, n)
		if r.xTicksFit(m) {
			return
		}
	}
	if len(l.xticks) > 1 {
		l.xticks = l.xticks[:1]
	}
}

// maxXTicks is the maximum number of parts of the axis of X: about one per 64 pixels up to fourteen, and beyond that one per 250,
// because more would look like a ruler.
func (r *Renderer) maxXTicks() int {
	const usual = 14
	width, each := r.lay.plot.Dx(), r.px(64*r.text)
	if width > usual*each {
		return usual + (width-usual*each)/r.px(250*r.text)
	}
	return max(2, width/each)
}

func (r *Renderer) appendXTicks(dst []float64, m *Model, n int) []float64 {
	l := &r.lay
	switch m.X.Scale {
	case Log2:
		if ticks, ok := r.appendMeasured(dst, m, n); ok {
			return ticks
		}
		return appendLog(dst, l.x.lo, l.x.hi, 2, n)
	case Log10:
		if ticks, ok := r.appendMeasured(dst, m, n); ok {
			return ticks
		}
		return appendLog(dst, l.x.lo, l.x.hi, 10, n)
	case Window:
		return appendWindow(dst, l.x.lo, l.x.hi, n)
	}
	if bareTime(&m.X) && l.x.hi-l.x.lo >= 2 {
		l.xstep = timeStep(l.x.hi-l.x.lo, n)
		return appendLinear(dst, l.x.lo, l.x.hi, l.xstep)
	}
	f := m.X.Unit.factor(l.xexp)
	l.xstep = stepFor(m.X.Unit, (l.x.hi-l.x.lo)/f, n) * f
	return appendLinear(dst, l.x.lo, l.x.hi, l.xstep)
}

// xTicksFit reports whether the labels of X leave room between them.
func (r *Renderer) xTicksFit(m *Model) bool {
	end := math.MinInt32
	for _, v := range r.lay.xticks {
		x0, x1 := r.xLabelSpan(m, v)
		if x0 < end+r.px(10) {
			return false
		}
		end = x1
	}
	return true
}

// xLabelSpan returns where the label of tick v starts and ends: centered on the tick, but inside the image.
func (r *Renderer) xLabelSpan(m *Model, v float64) (x0, x1 int) {
	r.buf = r.appendXLabel(r.buf[:0], m, v)
	w := r.small.width(r.buf)
	x := int(math.Round(r.lay.x.pixel(v))) - w/2
	x = min(x, r.w-r.px(4)-w)
	x = max(x, r.px(4))
	return x, x + w
}

// categoryTicks labels every slot, or every second, third … if slots are narrower than even shortened labels.
func (r *Renderer) categoryTicks(m *Model) {
	l := &r.lay
	n := min(l.slots, len(m.X.Categories))
	slot := float64(l.plot.Dx()) / float64(max(1, l.slots))
	stride := max(1, int(math.Ceil(float64(r.px(34*r.text))/max(slot, 0.01))))
	for i := 0; i < n && len(l.xticks) < 4*maxTicks; i += stride {
		l.xticks = append(l.xticks, float64(i))
	}
	l.xstep = float64(stride)
}
