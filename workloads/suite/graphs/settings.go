package graphs

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"assay/internal/meant"
	"assay/internal/regular"
	"assay/shaders"
	"assay/workloads"
	"assay/workloads/graph"
)

// settings are the parsed values of a run.
type settings struct {
	sizes  map[string]int
	passes []string
	dtype  string
	texts  map[string]string // of graphs by name
	source string            // the file's name in results
	first  map[string]string // the name of the first size by case
}

func newSettings(v workloads.Values) (*settings, error) {
	s := &settings{dtype: v.String("dtype"), texts: map[string]string{}, first: map[string]string{}}
	var err error
	if s.sizes, err = graph.ParseSizes(v.String("sizes")); err != nil {
		return nil, &workloads.ParamError{Params: []string{"sizes"}, Text: "{sizes}: " + err.Error()}
	}
	if s.passes, err = graph.ParsePasses(v.String("passes")); err != nil {
		return nil, &workloads.ParamError{Params: []string{"passes"}, Text: "{passes}: " + err.Error()}
	}
	chosen := v.String("graph")
	for _, e := range graph.Examples() {
		if chosen == all || chosen == e.Name {
			s.texts[e.Name] = e.Text
		}
	}
	if path := v.String("file"); path != "" && (chosen == all || chosen == ofFile) {
		text, err := readFile(path)
		if err != nil {
			return nil, err
		}
		s.texts[ofFile] = text
		sum := sha256.Sum256([]byte(text))
		s.source = fmt.Sprintf("%s (%x)", filepath.Base(path), sum[:4])
	}
	return s, nil
}

// readFile reads a graph.
func readFile(path string) (string, error) {
	text, err := regular.Read(path, "a text with an op graph", graph.MaxText)
	return string(text), err
}

// valid rejects what can be rejected without reading a file.
func valid(v workloads.Values) error {
	if least, most := v.Int("min_size"), v.Int("max_size"); least == 0 && most > 0 {
		return workloads.NewParamError([]string{"min_size", "max_size"}, "{min_size} is 0, as written: want {max_size} 0, too, not %v", most)
	}
	if v.String("graph") == ofFile && v.String("file") == "" {
		return &workloads.ParamError{Params: []string{"file"}, Text: "{graph} is file, but no file is given"}
	}
	s, err := newSettings(v.With(workloads.Values{"file": ""}))
	if err != nil || v.String("file") != "" {
		return err
	}
	return s.check(v)
}

// ready rejects a file without a graph, and sizes that no graph has.
func ready(v workloads.Values) error {
	s, err := newSettings(v)
	if err != nil {
		return err
	}
	return s.check(v)
}

// check parses the graphs with their sizes.
func (s *settings) check(v workloads.Values) error {
	for name, text := range s.texts {
		for _, n := range []int{v.Int("min_size"), v.Int("max_size")} {
			_, err := s.parse(text, n)
			if err != nil && name == ofFile {
				return fmt.Errorf("%s:%w", v.String("file"), err)
			}
			if err != nil {
				return fmt.Errorf("graph %s, %w", name, err)
			}
		}
	}
	names := s.names()
	for name := range s.sizes {
		if !slices.Contains(names, name) {
			return &workloads.ParamError{Params: []string{"sizes"}, Text: fmt.Sprintf("{sizes}: no graph has a size %q%s", name, meant.Hint(name, names))}
		}
	}
	return nil
}

// names lists the sizes of all graphs, including those not chosen: one list of sizes works for any choice.
func (s *settings) names() []string {
	names := sizesOf(s.texts[ofFile])
	for _, e := range graph.Examples() {
		names = append(names, sizesOf(e.Text)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sizesOf returns the names of a graph's sizes; none if the text is not a graph, for example if there is no file.
func sizesOf(text string) []string {
	g, err := graph.Parse(text, nil)
	if err != nil {
		return nil
	}
	var names []string
	for _, size := range g.Sizes {
		names = append(names, size.Name)
	}
	return names
}

// usesSizes rejects sizes that belong only to graphs other than the chosen one.
func usesSizes(v workloads.Values) error {
	given, err := graph.ParseSizes(v.String("sizes"))
	if err != nil || len(given) == 0 {
		return nil // valid rejects what cannot be parsed
	}
	for _, e := range graph.Examples() {
		names := sizesOf(e.Text)
		if e.Name != v.String("graph") || slices.ContainsFunc(names, func(name string) bool { return given[name] > 0 }) {
			continue
		}
		return fmt.Errorf("%s has none of these sizes; it has %s", e.Name, strings.Join(names, ", "))
	}
	return nil
}

// parse parses a graph with its sizes, and its first size; 0: as written.
func (s *settings) parse(text string, first int) (*graph.Graph, error) {
	plain, err := graph.Parse(text, nil)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for i, size := range plain.Sizes {
		if n, given := s.sizes[size.Name]; given {
			sizes[size.Name] = n
		}
		if i == 0 && first > 0 {
			sizes[size.Name] = first
		}
	}
	g, err := graph.Parse(text, sizes)
	if err != nil {
		return nil, err
	}
	switch s.dtype {
	case "f32":
		g.Type = shaders.F32
	case "f16":
		g.Type = shaders.F16
	}
	return g, nil
}

// job is a graph at its sizes.
type job struct {
	name     string
	graph    *graph.Graph
	passes   []string
	settings workloads.Point
}

func (s *settings) job(at workloads.Point) (*job, error) {
	name := at.String("graph")
	text := s.texts[name]
	g, err := s.parse(text, at.Int("size"))
	if err != nil {
		return nil, err
	}
	j := &job{name: name, graph: g, passes: s.passes, settings: workloads.Point{{Name: "graph", Value: name}}}
	if name == ofFile {
		j.name = s.source
		j.settings = append(j.settings, workloads.Setting{Name: "source", Value: s.source})
	}
	if len(g.Sizes) > 0 {
		first := g.Sizes[0]
		j.name += fmt.Sprintf(" %d", first.N)
		j.settings = append(j.settings, workloads.Setting{Name: "size", Value: first.N})
		s.first[j.name] = first.Name
	}
	return j, nil
}
