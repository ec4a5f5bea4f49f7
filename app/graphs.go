package app

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"assay/internal/regular"
	"assay/workloads/graph"
)

// Op graphs as the window uses them: texts, which are parsed, planned and drawn without an engine. The workload
// GraphWorkload runs them from a file.
type (
	// GraphPicture is a graph laid out for drawing.
	GraphPicture = graph.Picture
	// GraphProblem is what is wrong with a text, and where.
	GraphProblem = graph.Error
	// GraphExample is a graph that Assay comes with.
	GraphExample = graph.Example
)

// GraphWorkload is the workload that runs op graphs.
const GraphWorkload = "graph"

// GraphExamples lists the graphs that Assay comes with.
func GraphExamples() []GraphExample { return graph.Examples() }

// GraphOperations returns the names that have a meaning in a graph, in order.
func GraphOperations() []string {
	var names []string
	for _, o := range graph.Ops() {
		names = append(names, o.Name)
	}
	return names
}

// GraphTints are the colors of fused dispatches on a light background.
func GraphTints() []string { return graph.Tints() }

// GraphAround is how far the outline of a fused dispatch is from its nodes.
const GraphAround = graph.Around

// GraphSketch is what is known of a graph without running it.
type GraphSketch struct {
	Picture *GraphPicture // nil: the graph is too large
	Undrawn string        // why there is no picture
	Plan    string        // in words: what is fused and what not, memory, bytes and dispatches before and after
	// Dispatches, Bytes and Memory are those of the graph as written, and after all passes.
	Dispatches    [2]int
	Bytes, Memory [2]float64
}

// SketchGraph parses and plans a text. If it cannot, the problem says why.
func SketchGraph(text string) (*GraphSketch, *GraphProblem) {
	g, err := graph.Parse(text, nil)
	var plans [2]*graph.Plan
	for i, passes := range [][]string{nil, graph.AllPasses()} {
		if err == nil {
			plans[i], err = graph.Make(g, graph.Options{Passes: passes})
		}
	}
	if err != nil {
		var at *graph.Error
		if !errors.As(err, &at) {
			at = &graph.Error{Text: err.Error()}
		}
		return nil, at
	}
	s := &GraphSketch{Plan: plans[1].Text(plans[0])}
	for i, p := range plans {
		s.Dispatches[i], s.Bytes[i], s.Memory[i] = len(p.Steps), p.Cost().Bytes, float64(p.Memory.Peak)
	}
	if s.Picture, err = graph.Draw(g, plans[1]); err != nil {
		s.Undrawn = err.Error()
	}
	return s, nil
}

// ReadGraph reads the text of a graph from a file.
func ReadGraph(path string) (string, error) {
	text, err := regular.Read(path, "a text with an op graph", graph.MaxText)
	return string(text), err
}

// KeepGraph keeps a text among the user's data, so that a run of it can be repeated after the original was edited, and
// returns its file. The same text always has the same file.
func KeepGraph(name, text string) (string, error) {
	data := UserPaths().Data
	if data == "" {
		return "", errors.New("there is no home folder to keep the graph in: save it first")
	}
	folder := filepath.Join(data, "graphs")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	stem := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	sum := sha256.Sum256([]byte(text))
	path := filepath.Join(folder, fmt.Sprintf("%s-%x.graph", stem, sum[:4]))
	if kept, err := ReadGraph(path); err == nil && kept == text {
		return path, nil
	}
	return path, os.WriteFile(path, []byte(text), 0o600)
}
