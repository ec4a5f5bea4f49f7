package imported

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// mlx parses an object from MLX's benchmark tool, which has one rate for the prompt and one for the answer.
func mlx(one json.RawMessage) ([]Row, error) {
	var r struct {
		Model    string  `json:"Model"`
		Prompt   float64 `json:"Prompt Tokens"`
		PromptTS float64 `json:"Prompt TPS"`
		Gen      float64 `json:"Response Tokens"`
		GenTS    float64 `json:"Response TPS"`
		Memory   float64 `json:"Memory Usage (GB)"`
	}
	if err := decode(one, &r); err != nil {
		return nil, err
	}
	return mlxRows(r.Model, r.Prompt, r.PromptTS, r.Gen, r.GenTS, told("%g GB of memory", r.Memory))
}

func mlxRows(model string, prompt, promptRate, gen, genRate float64, context string) ([]Row, error) {
	var rows []Row
	for _, part := range []struct {
		name   string
		tokens float64
		rate   float64
	}{{"prompt", prompt, promptRate}, {"generation", gen, genRate}} {
		if part.rate == 0 {
			continue
		}
		row := Row{Source: "MLX", Name: strings.TrimPrefix(model+", ", ", ") + part.name, Rate: part.rate, Of: "tokens", Context: context}
		if part.tokens > 0 {
			row.Name += fmt.Sprintf(" of %.0f", part.tokens)
			row.Seconds = part.tokens / part.rate
		}
		if err := row.check(); err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func mlxText(text string) ([]Row, error) {
	m := mlxAverages.FindStringSubmatch(text)
	if m == nil {
		return unknown(nil)
	}
	var v [3]float64
	for i := range v {
		var err error
		if v[i], err = strconv.ParseFloat(m[i+1], 64); err != nil {
			return nil, err
		}
	}
	return mlxRows("", 0, v[0], 0, v[1], fmt.Sprintf("%g GB of memory", v[2]))
}
