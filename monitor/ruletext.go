package monitor

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"assay/internal/si"
)

// Limits of the rules.
const (
	maxRuleTime  = time.Hour
	maxRuleValue = 1e18
	minCelsius   = -50
	maxCelsius   = 200
)

// metric returns the metric that the rule is about; if it is not in the catalog, it has no texts.
func (r *Rule) metric() Metric {
	m, _ := Lookup(r.Metric)
	return m
}

// limits returns the lowest and the highest value that a rule on the metric may have.
func (m *Metric) limits() (lo, hi float64) {
	switch {
	case m.Max > 0:
		return 0, m.Max
	case m.States != nil:
		return 0, MaxRank
	case si.Find(m.Unit).Kind == si.Share:
		return 0, 1
	case m.Unit == "°C":
		return minCelsius, maxCelsius
	}
	return 0, maxRuleValue
}

// Level formats one of the rule's thresholds as it is entered: "90 %", "100 MB", "serious".
func (r *Rule) Level(v float64) string {
	m := r.metric()
	if m.States != nil {
		return string(m.stateOf(v))
	}
	if math.IsNaN(v) {
		return ""
	}
	u := si.Find(m.Unit)
	exp := u.Exponent(v)
	number := strconv.FormatFloat(v/u.Power(exp), 'g', 12, 64)
	if n, err := strconv.ParseFloat(number, 64); err == nil {
		number = strconv.FormatFloat(n, 'f', -1, 64)
	}
	if u.Kind == si.Share {
		return number + " %"
	}
	return si.With(number, u.Name(exp))
}

// stateOf returns the metric's first state of the same rank.
func (m *Metric) stateOf(rank float64) State {
	for _, s := range m.States {
		if r, _ := s.Rank(); float64(r) >= rank {
			return s
		}
	}
	return ""
}

// parse reads a threshold: "90 %", "100 MB", "serious".
func (m *Metric) parse(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if m.States != nil {
		return m.parseState(text)
	}
	lo, hi := m.limits()
	want := "must be between " + between(Format(lo, m.Unit), Format(hi, m.Unit))
	if hi == maxRuleValue {
		want = "must be 0 or more"
		if m.Unit != "" {
			want += ", with its unit, " + m.Unit
		}
	}
	v, ok := valueOf(text, si.Find(m.Unit))
	if !ok || v < lo || v > hi {
		return 0, fmt.Errorf("%s (you entered %q)", want, text)
	}
	return v, nil
}

// between formats "0 and 100 %": the unit of both only once.
func between(lo, hi string) string {
	if i := strings.LastIndexByte(hi, ' '); i > 0 {
		lo = strings.TrimSuffix(lo, hi[i:])
	}
	return lo + " and " + hi
}

// parseState parses the name of a state, which stands for all states of the same rank.
func (m *Metric) parseState(text string) (float64, error) {
	var names []string
	for _, s := range m.States {
		if strings.EqualFold(text, string(s)) {
			rank, _ := s.Rank()
			return float64(rank), nil
		}
		names = append(names, string(s))
	}
	return 0, fmt.Errorf("must be %s (you entered %q)", either(names), text)
}

// either formats "info, warning or critical".
func either(names []string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// valueOf reads a number with or without its unit, with or without a prefix; a share may be in percent.
func valueOf(text string, u si.Unit) (float64, bool) {
	cut := len(text)
	if i := strings.IndexFunc(text, func(c rune) bool { return !unicode.IsDigit(c) && !strings.ContainsRune("+-.,eE", c) }); i >= 0 {
		cut = i
	}
	digits, ok := si.Ungrouped(strings.TrimSpace(text[:cut]))
	v, err := strconv.ParseFloat(digits, 64)
	factor, known := factorOf(strings.ReplaceAll(strings.TrimSpace(text[cut:]), " ", ""), u)
	v *= factor
	return v, ok && err == nil && known && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// factorOf returns what a number with that unit is multiplied by.
func factorOf(unit string, u si.Unit) (float64, bool) {
	if unit == "" {
		return 1, true
	}
	if strings.EqualFold(unit, u.Name(0)) {
		return u.Power(0), true
	}
	if u.Kind == si.Share {
		return 0, false
	}
	units := []si.Unit{u}
	if u.Symbol == "B" {
		units = append(units, si.Find("iB"))
	}
	for _, u := range units {
		for exp := u.Lowest; exp <= u.Highest; exp++ {
			name := strings.ReplaceAll(u.Name(exp), " ", "")
			if strings.EqualFold(unit, name) && (exp >= 0 || unit == name) {
				return u.Power(exp), true
			}
		}
	}
	return 0, false
}

// parseTime parses a duration: "2s", "1 min", "90".
func parseTime(text string) (time.Duration, error) {
	compact := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	compact = strings.Replace(compact, "min", "m", 1)
	d, err := time.ParseDuration(compact)
	if err != nil {
		d, err = time.ParseDuration(compact + "s")
	}
	if err != nil || d < 0 || d > maxRuleTime {
		return 0, fmt.Errorf("must be between 0 and 60 min, such as 5 s (you entered %q)", text)
	}
	return d, nil
}

// timeText formats a duration as it is entered: "2 s", "1 min", "1m30s".
func timeText(d time.Duration) string {
	switch {
	case d == 0 || d < time.Minute && d%(100*time.Millisecond) == 0:
		return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) + " s"
	case d%time.Minute == 0:
		return strconv.FormatInt(int64(d/time.Minute), 10) + " min"
	}
	return d.String()
}
