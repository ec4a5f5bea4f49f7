package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/app/bundle"
	"assay/app/internal/runstest"
	"assay/workloads"
)

// nasty is a name with terminal escapes: it clears the screen, forges a line and reverses the text direction.
const nasty = "w\x1b[2J\nok\r\x00\u202eevil\u009b\xff\xfe"

const nastyPlain = `w\x1b[2J\nok\r\x00\u202eevil\u009b\xff\xfe`

// nastyRun has such texts wherever a run contains external text.
func nastyRun(t *testing.T) *bundle.Run {
	t.Helper()
	meta := plainMeta0()
	meta.Jobs[0].Params["note"] = nasty
	meta.Engine.Device, meta.Host.CPU, meta.EngineReason = nasty, nasty, nasty
	b, err := bundle.Create(t.TempDir(), meta, []workloads.Workload{runstest.Workload()})
	runstest.Check(t, err)
	ok, failed := runstest.Verified(64, 12), runstest.Failed()
	ok.Case, ok.Variant, ok.Warnings = nasty, nasty, []workloads.Warning{{Text: nasty}}
	ok.Settings[1].Value = nasty
	failed.Failure.Text, failed.Case, failed.Variant = nasty, nasty, "x"
	far := runstest.Verified(128, 12)
	far.Variant = nasty
	runstest.Check(t, b.Results(ok, failed, far))
	runstest.Check(t, b.Finding(workloads.Finding{Workload: "sweep", Kind: nasty, Result: workloads.ResultID(0, 0), Case: nasty, Variant: nasty, Text: nasty}))
	runstest.Check(t, b.Event(bundle.Event{Time: runstest.Began(), Kind: bundle.LeakFound, Severity: nasty, Title: nasty, Text: nasty}))
	s := runstest.Snapshot()
	s.Readings[2].Reason = nasty
	runstest.Check(t, b.Snapshot(s))
	return b.Run()
}

// doing returns the control characters that no text for people may contain.
func doing(s string) []string {
	var out []string
	for _, c := range []string{"\x1b", "\r", "\x00", "\u202e", "\u009b"} {
		if strings.Contains(s, c) {
			out = append(out, c)
		}
	}
	if !utf8.ValidString(s) {
		out = append(out, "no UTF-8")
	}
	return out
}

func TestTableIsPlain(t *testing.T) {
	r := nastyRun(t)
	_, rows := tableTexts(&bundle.Meta{}, nil, r.Results)
	for _, row := range rows {
		for _, text := range row {
			if bad := doing(text); len(bad) > 0 || strings.Contains(text, "\n") {
				t.Errorf("a cell is %q: it has %q", text, bad)
			}
		}
	}
	if rows[0][0] != nastyPlain || rows[0][1] != nastyPlain {
		t.Errorf("case %q, variant %q", rows[0][0], rows[0][1])
	}
	if notes := Notes(&r.Results[0]); !slices.Equal(notes, []string{"◆ " + nastyPlain, nastyPlain}) {
		t.Errorf("notes %q", notes)
	}
}

func TestHTMLIsPlain(t *testing.T) {
	var buf bytes.Buffer
	runstest.Check(t, WriteHTML(&buf, nastyRun(t), []workloads.Workload{runstest.Workload()}))
	if bad := doing(buf.String()); len(bad) > 0 {
		t.Errorf("the page holds %q", bad)
	}
	if !strings.Contains(buf.String(), `w\x1b[2J`) {
		t.Error("the page does not show the name")
	}
}

// Data files keep the original text, as far as their formats allow.
func TestDataKeepTheText(t *testing.T) {
	r := nastyRun(t)
	want := strings.ToValidUTF8(nasty, "\uFFFD")
	back, err := bundle.Load(r.Dir)
	runstest.Check(t, err)
	if got := back.Results[0].Case; got != want {
		t.Errorf("from CSV: %q, want %q", got, want)
	}
	var buf bytes.Buffer
	runstest.Check(t, WriteJSON(&buf, r, nil))
	var got struct{ Results []map[string]any }
	runstest.Check(t, json.Unmarshal(buf.Bytes(), &got))
	// JSON has one U+FFFD for each byte, CSV one for the sequence.
	if text, _ := got.Results[0]["case"].(string); strings.TrimRight(text, "\uFFFD") != strings.TrimRight(want, "\uFFFD") {
		t.Errorf("from JSON: %q, want %q", text, want)
	}
	if bytes.ContainsAny(buf.Bytes(), "\x1b\x00") || !utf8.Valid(buf.Bytes()) {
		t.Error("the JSON has raw control characters")
	}
}
