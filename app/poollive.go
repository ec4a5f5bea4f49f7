package app

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"assay/gpu"
)

// LiveColumn is a sort key of live leases.
type LiveColumn uint8

// Columns of live leases. The zero value sorts by granted bytes.
const (
	LiveGranted LiveColumn = iota
	LiveRequested
	LiveAge
	LiveLabel
	LiveSite
	LiveCase
)

// LiveOrder is the order of live leases: largest, oldest or alphabetically last first, or in reverse. Equal
// ones are ordered by age.
type LiveOrder struct {
	By        LiveColumn
	Ascending bool
}

// Sorted sorts leases, given oldest first. There are many leases with few distinct sites and labels, so it sorts
// numeric keys.
func (o LiveOrder) Sorted(leases []gpu.LiveLease) []gpu.LiveLease {
	keys := o.keys(leases)
	places := make([]int, len(leases))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int {
		c := cmp.Compare(keys[a], keys[b])
		if !o.Ascending {
			c = -c
		}
		return cmp.Or(c, a-b)
	})
	out := make([]gpu.LiveLease, len(leases))
	for i, place := range places {
		out[i] = leases[place]
	}
	return out
}

// keys are numbers with the same order as the column's values.
func (o LiveOrder) keys(leases []gpu.LiveLease) []int {
	switch o.By {
	case LiveRequested:
		return each(leases, func(l *gpu.LiveLease) int { return l.Requested })
	case LiveAge:
		return each(leases, func(l *gpu.LiveLease) int { return int(l.Age) })
	case LiveLabel:
		ranks := ranked(leases, func(l *gpu.LiveLease) string { return l.Label }, func(s string) string { return s })
		return each(leases, func(l *gpu.LiveLease) int { return ranks[l.Label] })
	case LiveCase:
		ranks := ranked(leases, func(l *gpu.LiveLease) string { return l.Owner }, func(s string) string { return s })
		return each(leases, func(l *gpu.LiveLease) int { return ranks[l.Owner] })
	case LiveSite:
		ranks := ranked(leases, func(l *gpu.LiveLease) gpu.Site { return l.Site }, gpu.Site.String)
		return each(leases, func(l *gpu.LiveLease) int { return ranks[l.Site] })
	}
	return each(leases, func(l *gpu.LiveLease) int { return l.Granted })
}

func each(leases []gpu.LiveLease, key func(*gpu.LiveLease) int) []int {
	keys := make([]int, len(leases))
	for i := range leases {
		keys[i] = key(&leases[i])
	}
	return keys
}

// ranked numbers the distinct values of leases in order of their text; equal texts get equal numbers.
func ranked[V comparable](leases []gpu.LiveLease, value func(*gpu.LiveLease) V, word func(V) string) map[V]int {
	words := map[V]string{}
	for i := range leases {
		if v := value(&leases[i]); words[v] == "" {
			words[v] = word(v)
		}
	}
	order := slices.Compact(slices.Sorted(maps.Values(words)))
	ranks := make(map[V]int, len(words))
	for v, w := range words {
		ranks[v], _ = slices.BinarySearch(order, w)
	}
	return ranks
}

// LiveGroup is the leases with one label that one line of the program acquired for one case.
type LiveGroup struct {
	Site      gpu.Site
	Trace     []gpu.Site // the calls that led there, for the first of them
	Case      string     // of a run; empty: none
	Label     string
	Count     int
	Requested int64 // bytes requested
	Granted   int64 // bytes of the engine's buffers
	Oldest    time.Duration
}

// GroupLive groups leases by site, label and case, those with the most bytes first.
func GroupLive(leases []gpu.LiveLease) []LiveGroup {
	type key struct {
		site         gpu.Site
		label, owner string
	}
	at := map[key]int{}
	var list []LiveGroup
	for i := range leases {
		l := &leases[i]
		k := key{l.Site, l.Label, l.Owner}
		n, known := at[k]
		if !known {
			n, at[k] = len(list), len(list)
			list = append(list, LiveGroup{Site: l.Site, Trace: l.Trace, Label: l.Label, Case: l.Owner})
		}
		g := &list[n]
		g.Count++
		g.Requested, g.Granted = g.Requested+int64(l.Requested), g.Granted+int64(l.Granted)
		g.Oldest = max(g.Oldest, l.Age)
	}
	slices.SortStableFunc(list, func(a, b LiveGroup) int { return cmp.Compare(b.Granted, a.Granted) })
	return list
}
