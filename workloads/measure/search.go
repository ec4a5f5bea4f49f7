package measure

import "context"

// Trial is a setting that was tried, and what came of it.
type Trial[S any] struct {
	Setting S
	Value   float64 // what is searched for, such as seconds; 0 where Err is set
	Err     error   // why the setting gave no value
}

// Search looks for a setting by measuring: propose, measure, decide, until nothing is left to propose.
type Search[S any] struct {
	// Propose gives the setting to try next, from the trials so far; false ends the search.
	Propose func(tried []Trial[S]) (S, bool)
	Measure func(ctx context.Context, setting S) (float64, error)
	// MaxTrials bounds the search, which may end with less than it looked for; 0: 1000.
	MaxTrials int
}

const defaultTrials = 1000

// Run searches, and returns the trials in order. A setting that cannot be measured is a trial with an error; only the
// end of ctx is one of Run's, and the trial that it cut short is dropped.
func (s *Search[S]) Run(ctx context.Context) ([]Trial[S], error) {
	limit := s.MaxTrials
	if limit <= 0 {
		limit = defaultTrials
	}
	var tried []Trial[S]
	for len(tried) < limit {
		setting, more := s.Propose(tried)
		if !more {
			break
		}
		value, err := s.Measure(ctx, setting)
		if ctx.Err() != nil {
			return tried, ctx.Err()
		}
		if err != nil {
			value = 0
		}
		tried = append(tried, Trial[S]{setting, value, err})
	}
	return tried, nil
}
