package bundle

import (
	"encoding/json"
	"strings"

	"assay/workloads"
)

// separator separates the warnings in one cell.
const separator = "; "

// Warnings is the warnings cell: one text in CSV, a list of objects in JSON.
type Warnings []workloads.Warning

func (w Warnings) String() string {
	var texts []string
	for _, one := range w {
		texts = append(texts, one.Text)
	}
	return strings.Join(texts, separator)
}

type warningJSON struct {
	Kind workloads.WarningKind `json:"kind"`
	Text string                `json:"text"`
}

// MarshalJSON is part of json.Marshaler.
func (w Warnings) MarshalJSON() ([]byte, error) {
	out := make([]warningJSON, len(w))
	for i, one := range w {
		out[i] = warningJSON(one)
	}
	return json.Marshal(out)
}

func warningsCell(r *workloads.Result) Cell { return Warnings(r.Warnings) }

func warningKinds(r *workloads.Result) Cell {
	var kinds []string
	for _, w := range r.Warnings {
		kinds = append(kinds, string(w.Kind))
	}
	return strings.Join(kinds, separator)
}

// putWarnings reads texts and kinds, matched by position. If a text contains the separator they do not match, and all
// kinds are unknown.
func putWarnings(t *table, c string, r *workloads.Result) error {
	all := t.text(c)
	if all == "" {
		return nil
	}
	texts, kinds := strings.Split(all, separator), strings.Split(t.text("warning_kinds"), separator)
	for i, text := range texts {
		w := workloads.Warning{Text: text}
		if len(kinds) == len(texts) {
			w.Kind = workloads.WarningKind(kinds[i])
		}
		r.Warnings = append(r.Warnings, w)
	}
	return nil
}
