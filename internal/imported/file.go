package imported

import (
	"fmt"
	"time"

	"assay/internal/si"
)

// Own is the source of rows that Assay measured itself in an earlier run.
const Own = "Assay"

// File is a set of figures that belong together: from one file, or from one earlier run.
type File struct {
	Name     string    `json:"name"`
	Imported time.Time `json:"imported"`
	Rows     []Row     `json:"rows"`
}

// Own reports whether Assay measured the figures in an earlier run.
func (f *File) Own() bool { return len(f.Rows) > 0 && f.Rows[0].Source == Own }

// Caution returns what a reader of the figures must know, in a sentence.
func (f *File) Caution() string {
	if f.Own() {
		return "Figures of an earlier run, measured and verified then; only a comparison of the runs says what differs between them."
	}
	return "Others’ figures, as their programs wrote them: Assay has verified none of them, and concludes nothing from them."
}

// TimeText formats the time with its interval; empty if it is not known.
func (r *Row) TimeText() string {
	switch {
	case r.Seconds == 0:
		return ""
	case r.Lo == 0:
		return si.Time(r.Seconds)
	}
	return si.Range(r.Seconds, r.Lo, r.Hi, "s")
}

// RateText formats the rate with what it counts; empty if it is not known.
func (r *Row) RateText() string {
	switch {
	case r.Rate == 0:
		return ""
	case r.Of == "B":
		return si.Format(r.Rate, "B/s")
	}
	return fmt.Sprintf("%.4g %s/s", r.Rate, r.Of)
}

// SamplesText formats the number of samples; empty if it is not known.
func (r *Row) SamplesText() string {
	if r.Samples == 0 {
		return ""
	}
	return si.Count(r.Samples)
}

// Check rejects what is not a list of figures: a row without a figure, or names that are missing or repeated.
func Check(list []File) error {
	seen := map[string]bool{}
	for i := range list {
		f := &list[i]
		if f.Name == "" || seen[f.Name] {
			return fmt.Errorf("file %d of figures: its name %q is empty or taken", i+1, f.Name)
		}
		seen[f.Name] = true
		for k := range f.Rows {
			if err := f.Rows[k].check(); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}
