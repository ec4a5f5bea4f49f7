package memorypage

import "math"

// capacityStops are the capacities at which the slider stops.
func capacityStops() []int { return []int{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} }

// capacityAt returns the slider position of a capacity, between two stops if it is not at one.
func capacityAt(n int) float64 {
	stops := capacityStops()
	for i := 1; i < len(stops); i++ {
		if n <= stops[i] {
			return float64(i) - float64(stops[i]-n)/float64(stops[i]-stops[i-1])
		}
	}
	return float64(len(stops) - 1)
}

// capacityOf returns the capacity at a slider position.
func capacityOf(at float64) int {
	stops := capacityStops()
	return stops[min(len(stops)-1, max(0, int(math.Round(at))))]
}

// budgetAt returns the slider position of a budget, 0…1; the scale is logarithmic, from the minimum to the maximum.
func budgetAt(bytes, lo, hi int64) float64 {
	if bytes <= lo || hi <= lo {
		return 0
	}
	return min(1, math.Log(float64(bytes)/float64(lo))/math.Log(float64(hi)/float64(lo)))
}

// budgetOfPlace returns the budget at a slider position, with two digits except at its ends.
func budgetOfPlace(at float64, lo, hi int64) int64 {
	if at >= 1 {
		return hi
	}
	v := float64(lo) * math.Pow(float64(hi)/float64(lo), max(0, at))
	power := math.Pow(10, math.Floor(math.Log10(v))-1)
	return min(hi, max(lo, int64(math.Round(math.Round(v/power)*power))))
}
