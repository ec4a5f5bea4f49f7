package view

import (
	"cmp"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/internal/si"
	"assay/monitor"
)

// Homely writes a path with ~ for the home folder.
func Homely(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "/" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return filepath.Join("~", rest)
	}
	return path
}

// Clock formats the time of day.
func Clock(t time.Time) string { return t.Local().Format("15:04:05") }

// Quantity formats a number with three significant digits and its unit with an SI prefix; empty if unknown.
func Quantity(v float64, unit string) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return si.Format(v, unit)
}

// Known returns a metric's value for people; ok is false if there is none.
func Known(s *monitor.Snapshot, metric string) (string, bool) {
	r, ok := s.Find(metric)
	if !ok || r.Status != monitor.OK {
		return "", false
	}
	return r.String(), true
}

// Device returns the device of a run, or its engine if unknown.
func Device(m *bundle.Meta) string { return cmp.Or(m.Engine.Device, m.Engine.Engine) }
