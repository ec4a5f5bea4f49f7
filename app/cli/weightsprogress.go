package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"assay/app"
	"assay/internal/plain"
	"assay/internal/si"
	"assay/monitor/leak"
)

// surveyLines is how often a line is printed if it cannot be updated in place.
const surveyLines = 10 * time.Second

// surveyProgress shows the progress of a survey: a bar that is updated on a terminal, a line from time to time elsewhere.
type surveyProgress struct {
	out     io.Writer
	inPlace bool
	next    time.Time
	shown   bool
}

func newSurveyProgress(w io.Writer) *surveyProgress {
	return &surveyProgress{out: w, inPlace: isTerminal(w), next: time.Now().Add(surveyLines)}
}

// update shows the progress.
func (p *surveyProgress) update(at app.SurveyProgress) {
	switch now := time.Now(); {
	case p.inPlace:
		line := surveyBar(at.Fraction()) + " " + surveyLine(&at)
		if width := widthOf(p.out); width > 0 {
			line = cut(line, width-1)
		}
		fmt.Fprint(p.out, "\r\x1b[K"+line)
		p.shown = true
	case now.After(p.next):
		p.next = now.Add(surveyLines)
		fmt.Fprintln(p.out, "assay: "+surveyLine(&at))
	}
}

// stop removes the bar.
func (p *surveyProgress) stop() {
	if p.shown {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}

// surveyBar returns a bar of 24 characters.
func surveyBar(fraction float64) string {
	const width = 24
	done := min(width, int(width*fraction))
	return strings.Repeat("█", done) + strings.Repeat("░", width-done)
}

// surveyLine states the progress: "41.0 % of 4.00 GB · 1:05 left · blk.3.attn_q.weight".
func surveyLine(at *app.SurveyProgress) string {
	line := si.Format(at.Fraction(), "ratio") + " of " + si.Bytes(float64(at.Total))
	if at.Left > 0 {
		line += " · " + leak.Clock(at.Left) + " left"
	}
	return line + " · " + plain.Text(at.Tensor)
}
