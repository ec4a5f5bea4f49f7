package workloads

import "strings"

// Noted reports what a result shows besides its time, in words that continue the subject's name: "Training in f32: the loss fell …". With a
// result that is not OK there is no finding.
func Noted(r *Result, s Subject, words string) []Finding {
	if r.Status != OK {
		return nil
	}
	return []Finding{{Kind: KindNoted, Facts: Facts{Subject: s, Place: nowhere(), Reason: words, Evidence: evidence(r)}}}
}

// NotedOfRun reports something about the whole run, in a sentence without its period.
func NotedOfRun(words string) Finding {
	return Finding{Kind: KindNoted, Facts: Facts{Place: nowhere(), Reason: words}}
}

func (f *Facts) noted() string {
	if f.Subject.Name == "" {
		return f.Reason + "."
	}
	return f.Subject.Name + ": " + f.Reason + "."
}

// spares returns the traffic and the dispatches that result i of a curve saves against its baseline, as readings.
func (c *Curve) spares(i int) (list []Reading) {
	if v := c.Results[i].Get(BytesSaved); v.Median > 0 {
		list = append(list, Reading{Value: v, Unit: "B", Per: "of traffic"})
	}
	if v := c.Results[i].Get(DispatchesSaved); v.Median > 0 {
		list = append(list, Reading{Value: v, Unit: "dispatches"})
	}
	return list
}

// spared says what a variant saves besides time where it is best: " There it saves 2.10 MB of traffic and 1 dispatch."
func (f *Facts) spared() string {
	if len(f.Readings) == 0 {
		return ""
	}
	var what []string
	for i := range f.Readings {
		what = append(what, strings.TrimSpace(f.Readings[i].amount()+" "+f.Readings[i].Per))
	}
	return " There it saves " + strings.Join(what, " and ") + "."
}
