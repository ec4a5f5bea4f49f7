package imported

import "fmt"

// googleRow is a result of google-benchmark: a repetition, or an aggregate of several.
type googleRow struct {
	Name      string  `json:"name"`
	RunName   string  `json:"run_name"`
	Type      string  `json:"run_type"`
	Aggregate string  `json:"aggregate_name"`
	Real      float64 `json:"real_time"`
	Unit      string  `json:"time_unit"`
	Bytes     float64 `json:"bytes_per_second"`
	Items     float64 `json:"items_per_second"`
	Failed    bool    `json:"error_occurred"`
	Threads   int     `json:"threads"`
}

func google(data []byte) ([]Row, error) {
	var file struct {
		Context struct {
			Host string `json:"host_name"`
			CPUs int    `json:"num_cpus"`
			Type string `json:"library_build_type"`
		} `json:"context"`
		Benchmarks []googleRow `json:"benchmarks"`
	}
	if err := decode(data, &file); err != nil {
		return nil, err
	}
	c := &file.Context
	context := together(c.Host, told("%d CPUs", c.CPUs), told("library built as %s", c.Type))
	var rows []Row
	at, samples := map[string]int{}, map[string][]float64{}
	for _, b := range file.Benchmarks {
		unit, known := googleUnits[b.Unit]
		if !known {
			return nil, fmt.Errorf("%s: unit of time %q, want ns, us, ms or s", b.Name, b.Unit)
		}
		name := b.RunName
		if name == "" {
			name = b.Name
		}
		if b.Failed || b.Type == "aggregate" && b.Aggregate != "median" && b.Aggregate != "mean" {
			continue
		}
		i, seen := at[name]
		if !seen {
			i = len(rows)
			at[name] = i
			rows = append(rows, Row{Source: "google-benchmark", Name: name, Context: context})
		}
		row := &rows[i]
		if b.Type != "aggregate" {
			samples[name] = append(samples[name], b.Real*unit)
		}
		if b.Type != "aggregate" || len(samples[name]) == 0 && (row.Seconds == 0 || b.Aggregate == "median") {
			row.timed(samples[name], b.Real*unit)
		}
		if b.Bytes > 0 {
			row.Rate, row.Of = b.Bytes, "B"
		}
		if b.Items > 0 {
			row.Rate, row.Of = b.Items, "items"
		}
		if err := row.check(); err != nil {
			return nil, err
		}
	}
	return rows, nil
}
