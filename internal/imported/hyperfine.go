package imported

// hyperfine parses --export-json, of version 1 with times and of version 2 with measurements.
func hyperfine(data []byte) ([]Row, error) {
	var file struct {
		Results []struct {
			Command      string    `json:"command"`
			Name         string    `json:"name"`
			Mean         float64   `json:"mean"`
			Median       float64   `json:"median"`
			Times        []float64 `json:"times"`
			Measurements []struct {
				Wall struct {
					Value float64 `json:"value"`
				} `json:"time_wall_clock"`
			} `json:"measurements"`
		} `json:"results"`
	}
	if err := decode(data, &file); err != nil {
		return nil, err
	}
	var rows []Row
	for _, r := range file.Results {
		row := Row{Source: "hyperfine", Name: r.Command}
		if r.Name != "" {
			row.Name = r.Name
		}
		for _, m := range r.Measurements {
			r.Times = append(r.Times, m.Wall.Value)
		}
		told := r.Median
		if told == 0 {
			told = r.Mean
		}
		row.timed(r.Times, told)
		if err := row.check(); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
