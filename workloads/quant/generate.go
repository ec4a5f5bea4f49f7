package quant

import "math/rand/v2"

// sigma is the standard deviation of generated weights, as in a common initialization for large language models.
const sigma = 0.02

// Outliers scales some columns of generated weights, because a few input features of trained models stand out. The zero value scales
// none.
type Outliers struct {
	Columns float64 // fraction of the columns, 0…1; if above 0, at least one
	Scale   float64 // factor for their weights
}

// UsualOutliers scales one column in two hundred by twenty.
func UsualOutliers() Outliers { return Outliers{Columns: 0.005, Scale: 20} }

// Generator generates the weights of a matrix with cols columns row by row: normal with mean 0 and deviation sigma, with outliers in
// columns that the seed chooses. Equal seeds generate equal weights, however they are split into chunks.
type Generator struct {
	rng   *rand.Rand
	scale []float64 // per column
	col   int       // of the next weight
}

// NewGenerator starts at the first weight of a matrix with cols ≥ 1 columns.
func NewGenerator(seed uint64, cols int, o Outliers) *Generator {
	g := &Generator{rng: rand.New(rand.NewPCG(seed, 1)), scale: make([]float64, max(cols, 1))}
	for i := range g.scale {
		g.scale[i] = sigma
	}
	if o.Columns > 0 {
		n := min(max(1, int(o.Columns*float64(cols))), len(g.scale))
		choose := rand.New(rand.NewPCG(seed, 2))
		for _, c := range choose.Perm(len(g.scale))[:n] {
			g.scale[c] *= o.Scale
		}
	}
	return g
}

// Fill sets dst to the next weights.
func (g *Generator) Fill(dst []float32) {
	for i := range dst {
		dst[i] = float32(g.rng.NormFloat64() * g.scale[g.col])
		if g.col++; g.col == len(g.scale) {
			g.col = 0
		}
	}
}
