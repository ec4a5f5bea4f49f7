package stats

import "math"

// blockLag bounds how much neighboring blocks depend on each other: their medians correlate by about 1/16 at most.
const blockLag = 4

// Blocks condenses a series into the medians of at most `most` successive blocks, for a test that assumes independent samples, which
// successive samples of one process are not. The blocks cover the whole series and consist of whole rounds (samples 2k and 2k+1). The
// stronger the dependence, the longer and fewer they are.
func Blocks(series []float64, most int) []float64 {
	rounds := len(series) / 2
	if rounds == 0 {
		return series
	}
	t := Median(series).Tau
	length := max(1, math.Ceil(blockLag*(t-1/t)/2)) // in rounds; from the correlation of block means of an AR(1) series
	count := min(max(1, int(float64(rounds)/length)), most)
	medians := make([]float64, count)
	for i := range medians {
		block := series[2*(i*rounds/count) : 2*((i+1)*rounds/count)]
		medians[i] = medianOf(block)
	}
	return medians
}
