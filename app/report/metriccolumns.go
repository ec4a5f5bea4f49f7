package report

import (
	"math"
	"strconv"
	"strings"

	"assay/internal/metric"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/internal/stats"
	"assay/workloads"
)

// metricColumns are the columns of a metric: one, and for an interval with a unit also its width and bounds.
func metricColumns(m *metric.Metric) []Column {
	c := Column{
		Name: string(m.Name), Title: m.Heading(), Unit: m.Unit, About: m.About, Default: m.Shown, Spare: m.Spare, Number: m.Shape != metric.Text,
		value: func(r *workloads.Result) float64 { return r.Number(m.Name) },
	}
	c.Group, c.Missing = m.Group, m.Missing
	unit := si.Find(m.Unit)
	switch {
	case m.Shape == metric.Text:
		c.value = func(r *workloads.Result) float64 { return parsed(r.Values.Text(m.Name)) }
		c.text = plainField(func(r *workloads.Result) string { return r.Values.Text(m.Name) })
	case unit.Kind == si.Factor:
		c.text = func(r *workloads.Result) string { return RatioText(r.Get(m.Name)) }
	case m.Shape == metric.Count:
		c.text = func(r *workloads.Result) string { return countText(r.Number(m.Name)) }
	default:
		c.text = func(r *workloads.Result) string { return known(si.Format(r.Number(m.Name), m.Unit)) }
	}
	switch {
	case unit.Kind == si.Scaled || unit.Kind == si.Rate:
		c.rate = m.Of
	case unit.Kind == si.Share:
		c.head = c.Title + ", %"
		c.brief = func(r *workloads.Result) string { return known(si.Digits(100 * r.Number(m.Name))) }
	case m.Unit != "" && unit.Kind != si.Factor:
		c.head = c.Title + ", " + m.Unit
		c.brief = func(r *workloads.Result) string { return known(si.Digits(r.Number(m.Name))) }
	}
	if m.Shape != metric.Interval || unit.Kind == si.Factor || m.Derived() {
		return []Column{c}
	}
	spread := spreadColumns(m, c.Default)
	for i := range spread {
		spread[i].Group = m.Group
	}
	return append([]Column{c}, spread...)
}

// spreadColumns are the columns of a metric's interval.
func spreadColumns(m *metric.Metric, shown bool) []Column {
	names := m.Columns()
	of, suffix := "", ""
	if m.Name != workloads.Time {
		suffix = ", " + strings.ToLower(m.Title)
	}
	of = strings.ToLower(m.Title)
	get := func(r *workloads.Result) stats.Interval { return r.Get(m.Name) }
	bound := func(name, title, about string, part func(stats.Interval) float64) Column {
		return Column{
			Name: name, Title: m.Title + ", " + title, Unit: m.Unit, About: about, Number: true,
			value: func(r *workloads.Result) float64 { return part(get(r)) },
			text: func(r *workloads.Result) string {
				if v := part(get(r)); !math.IsInf(v, 0) { // otherwise there are too few samples to bound it
					return known(si.Format(v, m.Unit))
				}
				return ""
			},
		}
	}
	half := relativeHalf
	if si.Find(m.Unit).Kind == si.Share {
		half = pointsHalf
	}
	return []Column{
		{
			Name: strings.Split(names[1], "_lo")[0] + "_spread", Title: "95 % interval" + suffix, Unit: half.unit, Number: true, Default: shown, Spare: 1,
			About: "Half the width of the 95 % interval of the " + of + ", " + half.about + ".",
			head:  half.head, value: func(r *workloads.Result) float64 { return known100(half.of(get(r))) },
			text: func(r *workloads.Result) string {
				if s := known(formatHalf(half.of(get(r)))); s != "" {
					return "± " + s + " " + half.unit
				}
				return ""
			},
			brief: func(r *workloads.Result) string { return known(formatHalf(half.of(get(r)))) },
		},
		bound(names[1], "lower bound", "Lower end of the 95 % interval of the "+of+".", func(i stats.Interval) float64 { return i.Lo }),
		bound(names[2], "upper bound", "Upper end of the 95 % interval of the "+of+".", func(i stats.Interval) float64 { return i.Hi }),
	}
}

// parsed returns a text as a number; NaN if it is not one.
func parsed(text string) float64 {
	if v, err := strconv.ParseFloat(text, 64); err == nil {
		return v
	}
	return math.NaN()
}

func countText(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

// known formats a number; empty if it is unknown.
func known(text string) string {
	if text == si.Unknown {
		return ""
	}
	return plain.Text(text)
}

// halfWidth is how half the width of an interval is stated: in percent or percentage points.
type halfWidth struct {
	unit, head, about string
	of                func(stats.Interval) float64 // as a fraction; not finite if there is none
}

// A share may be near 0, or below: its interval is in percentage points, as the share itself is.
var (
	relativeHalf = halfWidth{"%", "± %", "relative to the median", func(i stats.Interval) float64 { return i.Width() / 2 }}
	pointsHalf   = halfWidth{"points", "± points", "in percentage points", func(i stats.Interval) float64 { return (i.Hi - i.Lo) / 2 }}
)

// known100 returns a fraction in hundredths; NaN if it is not finite.
func known100(v float64) float64 {
	if finite(v) {
		return 100 * v
	}
	return math.NaN()
}
