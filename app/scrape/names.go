package scrape

import (
	"strings"

	"assay/internal/si"
	"assay/monitor"
)

// suffixes are the endings of metric names by unit, as Prometheus requires: base units, in the plural.
func suffixes() map[string]string {
	return map[string]string{
		"ratio": "_ratio", "B": "_bytes", "B/s": "_bytes_per_second", "FLOP/s": "_flops_per_second", "W": "_watts", "J": "_joules",
		"°C": "_celsius", "Hz": "_hertz", "s": "_seconds",
	}
}

// name returns the exported name of a metric: "host.memory_used" in bytes is assay_host_memory_used_bytes.
func name(id, unit string) string {
	plain := "assay_" + clean(id)
	suffix, known := suffixes()[unit]
	if !known {
		return plain
	}
	// "…_bytes" with a rate is "…_bytes_per_second", not "…_bytes_bytes_per_second".
	for _, end := range []string{suffix, strings.TrimSuffix(suffix, "_per_second")} {
		plain = strings.TrimSuffix(plain, end)
	}
	return plain + suffix
}

// clean keeps only what Prometheus names may contain.
func clean(id string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_':
			return c
		case c >= 'A' && c <= 'Z':
			return c - 'A' + 'a'
		}
		return '_'
	}, id)
}

// help says what a metric is, with the unit of its values.
func help(m *monitor.Metric, r *monitor.Reading) string {
	text := r.Title + ": " + m.About
	if u := si.Find(r.Unit); u.Kind == si.Share {
		text += " From 0 to 1."
	}
	return text
}
