package ggml

// searchRange finds codes 0…15, and the scale and minimum in code · scale − minimum, that make the squared errors, weighted by
// importance, small. The minimum is at least 0: the range always includes 0. It tries steps that make the range slightly more or less
// than 15 codes wide, and fits scale and minimum to the codes of each.
func searchRange(x, importance *[group4K]float32, codes []byte) (scale, minimum float32) {
	const top = 15
	lo, hi := limits(x[:])
	var weight, weighted float32
	for i, v := range x {
		weight += importance[i]
		weighted += float32(importance[i] * v)
	}
	if lo > 0 {
		lo = 0
	}
	if hi == lo {
		clear(codes)
		return 0, -lo
	}
	first := top / (hi - lo)
	scale = 1 / first
	var kept, trial [group4K]float32
	for i, v := range x {
		kept[i] = round15(first * (v - lo))
	}
	best := rangeError(x, importance, &kept, scale, lo)
	for step := range 21 {
		fit := fitRange(x, importance, &trial, lo, (float32(0.1*float32(step))-1+top)/(hi-lo))
		fit.weight, fit.weighted = weight, weighted
		s, m, ok := fit.solve()
		if !ok {
			continue
		}
		if e := rangeError(x, importance, &trial, s, m); e < best {
			kept = trial
			best, scale, lo = e, s, m // the next steps start from here
		}
	}
	for i, c := range kept {
		codes[i] = byte(c)
	}
	return scale, -lo
}

// magic is the constant that nearest adds.
const magic = 12582912

// round15 rounds to a code from 0 to 15, like nearest.
func round15(v float32) float32 {
	v = float32(v)
	if v >= 0 && v <= 15 {
		return float32(v+magic) - magic
	}
	return float32(min(max(nearest(v), 0), 15))
}

// rangeError returns the sum of squared errors, weighted by importance.
func rangeError(x, importance, codes *[group4K]float32, scale, lo float32) (sum float32) {
	for i, v := range x {
		d := float32(scale*codes[i]) + lo - v
		sum += float32(importance[i] * float32(d*d))
	}
	return sum
}

// lineFit is a weighted least-squares fit of a line to weights over their codes.
type lineFit struct {
	weight, weighted           float32 // Σw, Σw·x
	codes, squares, correlated float32 // Σw·code, Σw·code², Σw·code·x
}

// fitRange rounds the weights above lo to codes, and accumulates their sums.
func fitRange(x, importance, codes *[group4K]float32, lo, perUnit float32) lineFit {
	var sum, squares, correlated float32
	for i, v := range x {
		c := round15(perUnit * (v - lo))
		codes[i] = c
		p := float32(importance[i] * c)
		sum += p
		squares += float32(p * c)
		correlated += float32(p * v)
	}
	return lineFit{codes: sum, squares: squares, correlated: correlated}
}

// solve returns the line; it goes through 0 if it would begin above. ok is false if all codes are equal.
func (f *lineFit) solve() (scale, lo float32, ok bool) {
	d := float32(f.weight*f.squares) - float32(f.codes*f.codes)
	if !(d > 0) {
		return 0, 0, false
	}
	scale = (float32(f.weight*f.correlated) - float32(f.weighted*f.codes)) / d
	lo = (float32(f.squares*f.weighted) - float32(f.codes*f.correlated)) / d
	if lo > 0 {
		return f.correlated / f.squares, 0, true
	}
	return scale, lo, true
}

// searchScale finds codes 0…63 and the scale of code − 32 that make the errors, weighted by the squares of the weights, small. It
// tries steps slightly smaller and larger than the one that puts the extreme at −32.
func searchScale(x *[group6K]float32, codes []byte) float32 {
	at, magnitude := extreme(x[:])
	if magnitude < tiny {
		clear(codes)
		return 0
	}
	const top = 32
	var squared, cubed [group6K]float32
	for i, v := range x {
		squared[i] = v * v
		cubed[i] = float32(v*v) * v
	}
	kept := float32(-top) / at
	along, squares := project(x, &squared, &cubed, kept)
	var scale float32
	if squares != 0 {
		scale = along / squares
	}
	best := scale * along
	for step := -9; step <= 9; step++ {
		if step == 0 {
			continue
		}
		per := -(top + float32(0.1*float32(step))) / at
		along, squares := project(x, &squared, &cubed, per)
		if squares > 0 && float32(along*along) > float32(best*squares) {
			kept = per
			scale = along / squares
			best = scale * along
		}
	}
	for i, v := range x {
		codes[i] = byte(int(round31(kept*v)) + 32)
	}
	return scale
}

// round31 rounds to a code from −32 to 31, like nearest.
func round31(v float32) float32 {
	v = float32(v)
	if v >= -32 && v <= 31 {
		return float32(v+magic) - magic
	}
	return float32(min(max(nearest(v), -32), 31))
}

// project returns Σx³·code and Σx²·code².
func project(x, squared, cubed *[group6K]float32, perUnit float32) (along, squares float32) {
	for i, v := range x {
		c := round31(perUnit * v)
		along += float32(cubed[i] * c)
		squares += float32(float32(squared[i]*c) * c)
	}
	return along, squares
}
