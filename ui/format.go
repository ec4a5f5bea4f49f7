package ui

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/monitor"
)

// duration is a time in words for people: "12 s", "3 min 20 s".
func duration(seconds float64) string {
	switch s := math.Round(seconds); {
	case seconds < 1:
		return "less than 1 s"
	case s < 90:
		return fmt.Sprintf("%.0f s", s)
	case s < 90*60:
		return fmt.Sprintf("%.0f min %02.0f s", math.Floor(s/60), math.Mod(s, 60))
	default:
		return fmt.Sprintf("%.0f h %02.0f min", math.Floor(s/3600), math.Floor(math.Mod(s, 3600)/60))
	}
}

// homely writes a path with ~ for the home folder.
func homely(path string) string {
	home, err := os.UserHomeDir()
	if err != nil || home == "/" {
		return path
	}
	if rest, ok := strings.CutPrefix(path, home+string(filepath.Separator)); ok {
		return filepath.Join("~", rest)
	}
	return path
}

// clock is the time of day.
func clock(t time.Time) string { return t.Local().Format("15:04:05") }

// counted is a number with its noun: "1 result", "14 results".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// reading is a metric's value for people, or "not available: why".
func reading(s *monitor.Snapshot, metric string) string {
	r, ok := s.Find(metric)
	if !ok {
		return "not available: no source reads it"
	}
	return r.String()
}

// known is a metric's value for people; ok is false if there is none.
func known(s *monitor.Snapshot, metric string) (string, bool) {
	r, ok := s.Find(metric)
	if !ok || r.Status != monitor.OK {
		return "", false
	}
	return r.String(), true
}
