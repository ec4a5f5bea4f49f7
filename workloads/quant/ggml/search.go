package ggml

// searchRange finds codes 0…15 and what they stand for, code · scale − minimum, so that the squares of errors, weighted by
// importance, are small. The minimum is at least 0: the range always has 0 in it. It tries steps that make the range a bit
// more or less than 15 codes wide, and fits scale and minimum to the codes of each.
func searchRange(x, importance []float32, codes []byte) (scale, minimum float32) {
	const top = 15
	lo, hi := limits(x)
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
	round4(codes, x, lo, first)
	best := rangeError(x, importance, codes, scale, lo)
	var trial [group4K]byte
	for step := range 21 {
		fit := fitRange{weight: weight, weighted: weighted}
		fit.add(x, importance, trial[:], lo, (float32(0.1*float32(step))-1+top)/(hi-lo))
		s, m, ok := fit.solve()
		if !ok {
			continue
		}
		if e := rangeError(x, importance, trial[:], s, m); e < best {
			copy(codes, trial[:])
			best, scale, lo = e, s, m // the next steps go on from here
		}
	}
	return scale, -lo
}

// round4 rounds weights above lo to codes.
func round4(codes []byte, x []float32, lo, perUnit float32) {
	for i, v := range x {
		codes[i] = byte(min(max(nearest(perUnit*(v-lo)), 0), 15))
	}
}

// rangeError is the sum of squared errors by importance.
func rangeError(x, importance []float32, codes []byte, scale, lo float32) (sum float32) {
	for i, v := range x {
		d := float32(scale*float32(codes[i])) + lo - v
		sum += float32(importance[i] * float32(d*d))
	}
	return sum
}

// fitRange is a weighted least squares fit of weights by a line over their codes.
type fitRange struct {
	weight, weighted           float32 // Σw, Σw·x
	codes, squares, correlated float32 // Σw·code, Σw·code², Σw·code·x
}

// add rounds the weights to codes, and sums these.
func (f *fitRange) add(x, importance []float32, codes []byte, lo, perUnit float32) {
	round4(codes, x, lo, perUnit)
	for i, v := range x {
		c := float32(codes[i])
		p := float32(importance[i] * c)
		f.codes += p
		f.squares += float32(p * c)
		f.correlated += float32(p * v)
	}
}

// solve is the line; it goes through 0 if it would begin above. ok is false if all codes are equal.
func (f *fitRange) solve() (scale, lo float32, ok bool) {
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

// searchScale finds codes 0…63 and the scale of code − 32 so that errors, weighted by the squares of the weights, are
// small. It tries steps a bit smaller and larger than the one that puts the extreme at −32.
func searchScale(x []float32, codes []byte) float32 {
	at, magnitude := extreme(x)
	if magnitude < tiny {
		clear(codes)
		return 0
	}
	const top = 32
	along, squares := project(x, -top/at)
	put(codes, x, -top/at)
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
		along, squares := project(x, per)
		if squares > 0 && float32(along*along) > float32(best*squares) {
			put(codes, x, per)
			scale = along / squares
			best = scale * along
		}
	}
	return scale
}

func signed6(v, perUnit float32) int { return min(max(nearest(perUnit*v), -32), 31) }

func put(codes []byte, x []float32, perUnit float32) {
	for i, v := range x {
		codes[i] = byte(signed6(v, perUnit) + 32)
	}
}

// project is Σx²·x·code and Σx²·code².
func project(x []float32, perUnit float32) (along, squares float32) {
	for _, v := range x {
		c := float32(signed6(v, perUnit))
		w := float32(v * v)
		along += float32(float32(w*v) * c)
		squares += float32(float32(w*c) * c)
	}
	return along, squares
}
