package workloads

import "assay/internal/stats"

// NoDifference is the relative difference up to which findings call two ways equally fast. The interval of a ratio covers what varies from
// sample to sample. One and the same kernel compared with itself, in turns and on the same buffers, is now and then found to differ
// by a little more, by what stays as it is for a whole case, such as where its commands lie in memory.
const NoDifference = 0.02

// difference is the rule by which findings tell ways apart.
func difference() stats.Rule { return stats.Rule{Floor: NoDifference} }
