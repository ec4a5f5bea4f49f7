package app

import (
	"crypto/rand"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"assay/app/bundle"
	"assay/app/internal/trash"
	"assay/internal/regular"
)

// Comparisons are files in their own folder, inside the runs' folder.
const (
	comparisonsFolder = "comparisons"
	comparisonEnding  = ".json"
	maxComparison     = 16 << 20 // bytes of one file
)

func (l *Library) comparisonPath(id string) string {
	return filepath.Join(l.dir, comparisonsFolder, id+comparisonEnding)
}

// KeepComparison writes a comparison into a file of its own and gives it an ID.
func (l *Library) KeepComparison(r *ABRecord) error {
	var end [2]byte
	rand.Read(end[:]) // never fails
	kind := "ab"
	if r.CrossFigures != nil {
		kind = "crossover"
	}
	r.ID = fmt.Sprintf("%s-%s-%s-%s", r.Measured.Format("20060102-150405"), kind, r.Workload, hex.EncodeToString(end[:]))
	if err := r.check(); err != nil {
		return fmt.Errorf("cannot keep the comparison: %w", err)
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("cannot keep the comparison: %w", err)
	}
	path := l.comparisonPath(r.ID)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return bundle.ReplaceFile(path, append(data, '\n'))
}

// Comparisons returns those that were kept, newest first. Files that cannot be read are left out and reported in the error.
func (l *Library) Comparisons() (list []*ABRecord, err error) {
	entries, err := os.ReadDir(filepath.Join(l.dir, comparisonsFolder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var wrong []error
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), comparisonEnding)
		if !ok || strings.HasPrefix(id, ".") {
			continue
		}
		r, err := l.readComparison(id)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *ABRecord) int {
		if order := b.Measured.Compare(a.Measured); order != 0 {
			return order
		}
		return strings.Compare(b.ID, a.ID)
	})
	return list, errors.Join(wrong...)
}

func (l *Library) readComparison(id string) (*ABRecord, error) {
	path := l.comparisonPath(id)
	data, err := regular.Read(path, "a comparison", maxComparison)
	if err != nil {
		return nil, err
	}
	r := &ABRecord{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%s is not a comparison: %w", path, err)
	}
	r.ID = id // the file's, in case it was renamed
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("%s is not a comparison: %w", path, err)
	}
	return r, nil
}

// Comparison returns the one that a name means: last, an ID, or the beginning of one.
func (l *Library) Comparison(name string) (*ABRecord, error) {
	list, err := l.Comparisons()
	if name == nameLast && len(list) > 0 {
		return list[0], nil
	}
	var found []*ABRecord
	for _, r := range list {
		if r.ID == name {
			return r, nil
		}
		if strings.HasPrefix(r.ID, name) && name != "" {
			found = append(found, r)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return nil, fmt.Errorf("%d comparisons start with %q: give more of the ID", len(found), name)
	}
	return nil, errors.Join(fmt.Errorf("no comparison %q: assay ab --list lists those that were kept", name), err)
}

// RemoveComparison moves a comparison to the system's trash.
func (l *Library) RemoveComparison(id string) error {
	if _, err := l.readComparison(filepath.Base(id)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("no comparison %q", id)
	}
	_, err := trash.Put(l.comparisonPath(filepath.Base(id)))
	return err
}

// WriteJSON writes the comparison as it is kept.
func (r *ABRecord) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}

// WriteCSV writes one row per measurement of a comparison, or per place of a bisection. Unknown numbers are empty.
func (r *ABRecord) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.UseCRLF = true
	for _, row := range r.rows() {
		_ = out.Write(row) // Error reports it
	}
	out.Flush()
	return out.Error()
}

// rows are the lines of the CSV; the first has the names of the columns.
func (r *ABRecord) rows() [][]string {
	if f := r.CrossFigures; f != nil {
		rows := [][]string{{"id", "workload", f.Along, "speedup", "speedup_lo", "speedup_hi", "verdict", "rounds", "rounds_disturbed"}}
		for i := range f.Places {
			p := &f.Places[i]
			rows = append(rows, []string{
				r.ID, r.Workload, strconv.Itoa(p.At), number(p.Speedup), number(p.Lo), number(p.Hi), string(p.Verdict), strconv.Itoa(p.Rounds), strconv.Itoa(p.Aside),
			})
		}
		return rows
	}
	rows := [][]string{{"id", "workload", "round", "side", "settings", "case", "variant", "measured_on", "time_s", "ops", "clock_hz", "disturbed"}}
	for i := range r.Measurements {
		t := &r.Measurements[i]
		side := &r.A
		if t.Side == "B" {
			side = &r.B
		}
		rows = append(rows, []string{
			r.ID, r.Workload, strconv.Itoa(t.Round), t.Side, bundle.SafeText(strings.Join(side.Settings, " ")), bundle.SafeText(t.Case), bundle.SafeText(t.Variant),
			bundle.SafeText(side.Measured), number(&t.Seconds), counted(t.Work), counted(t.Clock), bundle.SafeText(t.Disturbed),
		})
	}
	return rows
}

func number(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}

// counted formats a number for which 0 means unknown.
func counted(x float64) string {
	if x == 0 {
		return ""
	}
	return number(&x)
}
