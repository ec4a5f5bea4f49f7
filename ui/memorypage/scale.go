package memorypage

import "math"

// capacityStops are the capacities at which its slider stops.
func capacityStops() []int { return []int{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} }

// capacityAt is where a capacity stands on its slider, between two stops where it is none.
func capacityAt(n int) float64 {
	stops := capacityStops()
	for i := 1; i < len(stops); i++ {
		if n <= stops[i] {
			return float64(i) - float64(stops[i]-n)/float64(stops[i]-stops[i-1])
		}
	}
	return float64(len(stops) - 1)
}

// capacityOf is the capacity at a place of the slider.
func capacityOf(at float64) int {
	stops := capacityStops()
	return stops[min(len(stops)-1, max(0, int(math.Round(at))))]
}

// budgetAt is where a budget stands on its slider, 0…1, which grows by factors from the minimum to the maximum.
func budgetAt(bytes, lo, hi int64) float64 {
	if bytes <= lo || hi <= lo {
		return 0
	}
	return min(1, math.Log(float64(bytes)/float64(lo))/math.Log(float64(hi)/float64(lo)))
}

// budgetOf is the budget at a place of the slider, with two digits but at its ends.
func budgetOfPlace(at float64, lo, hi int64) int64 {
	if at >= 1 {
		return hi
	}
	v := float64(lo) * math.Pow(float64(hi)/float64(lo), max(0, at))
	power := math.Pow(10, math.Floor(math.Log10(v))-1)
	return min(hi, max(lo, int64(math.Round(math.Round(v/power)*power))))
}
