package runpage

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2/widget"

	"assay/app"
	"assay/ui/kit"
	"assay/ui/uitest"
)

func TestTableTellsStatusInWords(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	uitest.Play(p.desk, "failed")
	table := p.results.table
	row := len(table.rows) - 1
	var line []string
	for c := range table.columns {
		line = append(line, table.cellText(row, c))
	}
	text := strings.Join(line, "|")
	if !strings.Contains(text, "wrong result") || !strings.Contains(text, "element 17 is 3.5") {
		t.Errorf("the row of a wrong result says %q", text)
	}
	for c, column := range table.columns {
		if column.title == "Time" && table.cellText(row, c) != "" {
			t.Errorf("a wrong result has the time %q", table.cellText(row, c))
		}
		if column.title == "SNR" {
			t.Error("a column without any value is shown")
		}
	}
	table.OnSelected(widget.TableCellID{Row: row})
	if got := p.results.detail.Content; !strings.Contains(got, "element 17") {
		t.Errorf("below the table: %q", got)
	}
}

func TestLeaksAreTold(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	meta := uitest.SweepMeta()
	p.desk.Take(app.StartUpdate{Meta: meta})
	meta.Finished = meta.Started
	p.desk.Take(app.EndUpdate{Run: &app.Run{Meta: meta, Events: []app.Event{
		{Kind: "leak", Title: "Buffers left behind", Text: "120 buffers, 60.9 MB"},
	}}})
	p.showSegment(1)
	if lines := p.results.lines; len(lines) != 1 || !strings.Contains(lines[0], "120 buffers, 60.9 MB") {
		t.Errorf("told %q", lines)
	}
	if !strings.Contains(p.head.status.Content, "1 leak found") || p.list.states[0].Content != "problems" {
		t.Errorf("status %q, list %q", p.head.status.Content, p.list.states[0].Content)
	}
}
