package graph

import (
	"fmt"
	"slices"
)

// Picture is a graph laid out for drawing, in units where text is 12 high: nodes in layers, each below the nodes it reads.
type Picture struct {
	Width, Height float64
	Nodes         []Node
	Edges         []Edge
	Steps         []string // the plan's steps; Node.Step is an index into them
}

// Node is a value.
type Node struct {
	Title, Detail string // the operation, and its name and shape
	X, Y, W, H    float64
	Input, Output bool
	Step          int // the dispatch that computes it, from 0; −1: none does
	// Others are nodes computed by the same dispatch that have edges to this one.
	value, layer int
}

// Edge leads from a node to one that reads it, through points.
type Edge struct {
	From, To int // nodes
	X, Y     []float64
	Within   bool // both ends are computed by the same dispatch: the value between them is never stored
}

// Dimensions of a picture.
const (
	letterWidth = 6.7
	nodeHeight  = 38
	layerGap    = 34
	nodeGap     = 18
	margin      = 16
	bend        = 8 // width reserved for an edge that passes through a layer
)

// MaxDrawn is how many values a picture may have.
const MaxDrawn = 300

// Draw lays out a graph as typed, with the plan's dispatches: values computed together in one dispatch have its number.
func Draw(g *Graph, p *Plan) (*Picture, error) {
	d := &drawing{g: g, node: map[int]int{}, picture: &Picture{}}
	d.add(d.steps(p))
	if n := len(d.picture.Nodes); n > MaxDrawn {
		return nil, fmt.Errorf("%d values, a picture has at most %d", n, MaxDrawn)
	}
	d.layers()
	d.order()
	d.place()
	for i := range p.Steps {
		d.picture.Steps = append(d.picture.Steps, p.Steps[i].Kind)
	}
	return d.picture, nil
}

// drawing is a picture in progress. Cells are nodes, followed by the bends of edges that pass through layers.
type drawing struct {
	g       *Graph
	picture *Picture
	node    map[int]int // by value
	layer   []int       // by cell
	links   [][2]int    // between cells of adjacent layers
	chains  [][]int     // the cells of each edge
	rows    [][]int     // cells by layer
	x       []float64   // centers of cells
}

// steps maps each value of the graph as typed to the dispatch that computes it.
func (d *drawing) steps(p *Plan) map[int]int {
	of := map[int]int{}
	for s, step := range p.Steps {
		d.claim(of, s, step.Value, p.Graph.Values[step.Value].Args)
	}
	return of
}

// claim assigns a value to a step, and everything it is computed from, up to the values that the step reads.
func (d *drawing) claim(of map[int]int, step, value int, reads []int) {
	v := &d.g.Values[value]
	if _, taken := of[value]; taken && of[value] != step || v.Op == nil {
		return
	}
	of[value] = step
	for _, a := range v.Args {
		if !slices.Contains(reads, a) {
			d.claim(of, step, a, reads)
		}
	}
}

// add creates nodes for inputs and operations, and edges between them.
func (d *drawing) add(step map[int]int) {
	for i := range d.g.Values {
		v := &d.g.Values[i]
		if v.Number != nil || v.Op == nil && len(d.g.users(i)) == 0 {
			continue
		}
		n := Node{Title: d.title(v), Detail: shapeText(v.Shape), Input: v.Op == nil, Output: d.g.output(i), Step: -1, value: i, H: nodeHeight}
		if v.Name != "" && v.Op != nil {
			n.Detail = v.Name + " " + n.Detail
		}
		if s, computed := step[i]; computed {
			n.Step = s
		}
		n.W = letterWidth*float64(max(len([]rune(n.Title)), len([]rune(n.Detail))+3)) + 18
		d.node[i] = len(d.picture.Nodes)
		d.picture.Nodes = append(d.picture.Nodes, n)
		for _, a := range slices.Compact(slices.Sorted(slices.Values(v.Args))) {
			if from, drawn := d.node[a]; drawn {
				to := d.node[i]
				within := n.Step >= 0 && d.picture.Nodes[from].Step == n.Step
				d.picture.Edges = append(d.picture.Edges, Edge{From: from, To: to, Within: within})
			}
		}
	}
}

// title names an operation with its numbers: "mul 0.5".
func (d *drawing) title(v *Value) string {
	if v.Op == nil {
		return v.Name
	}
	text := v.Op.Name
	for _, a := range v.Args {
		if x := d.g.Values[a].Number; x != nil {
			text += fmt.Sprintf(" %g", *x)
		}
	}
	return text
}

// layers puts each operation below all that it reads, and inputs right above the first operation that reads them; an edge that passes
// through layers gets a cell in each.
func (d *drawing) layers() {
	nodes := d.picture.Nodes
	for _, e := range d.picture.Edges {
		nodes[e.To].layer = max(nodes[e.To].layer, nodes[e.From].layer+1)
	}
	for i := range nodes {
		first := -1
		for _, e := range d.picture.Edges {
			if nodes[i].Input && e.From == i && (first < 0 || nodes[e.To].layer < first) {
				first = nodes[e.To].layer
			}
		}
		nodes[i].layer = max(nodes[i].layer, first-1)
		d.cell(nodes[i].layer)
	}
	for _, e := range d.picture.Edges {
		at := e.From
		cells := []int{at}
		for l := nodes[e.From].layer + 1; l <= nodes[e.To].layer; l++ {
			to := e.To
			if l < nodes[e.To].layer {
				to = d.cell(l)
			}
			d.links = append(d.links, [2]int{at, to})
			at = to
			cells = append(cells, at)
		}
		d.chains = append(d.chains, cells)
	}
}

// cell adds a cell at the end of a layer.
func (d *drawing) cell(layer int) int {
	for len(d.rows) <= layer {
		d.rows = append(d.rows, nil)
	}
	d.layer = append(d.layer, layer)
	d.rows[layer] = append(d.rows[layer], len(d.layer)-1)
	return len(d.layer) - 1
}

// order sorts the cells of each layer by the mean position of their neighbors, sweeping down and up a few times.
func (d *drawing) order() {
	const sweeps = 8
	place := make([]float64, len(d.layer))
	note := func() {
		for _, row := range d.rows {
			for i, c := range row {
				place[c] = float64(i)
			}
		}
	}
	for sweep := range sweeps {
		note()
		above := sweep%2 == 0
		for l := range d.rows {
			if !above {
				l = len(d.rows) - 1 - l
			}
			wish := map[int]float64{}
			for _, c := range d.rows[l] {
				wish[c] = d.mean(c, above, place)
			}
			slices.SortStableFunc(d.rows[l], func(a, b int) int { return compare(wish[a], wish[b]) })
			for i, c := range d.rows[l] {
				place[c] = float64(i)
			}
		}
	}
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// mean returns the mean position of a cell's neighbors in the layer above or below; its own if it has none.
func (d *drawing) mean(c int, above bool, place []float64) float64 {
	sum, n := 0.0, 0
	for _, l := range d.links {
		switch {
		case above && l[1] == c:
			sum, n = sum+place[l[0]], n+1
		case !above && l[0] == c:
			sum, n = sum+place[l[1]], n+1
		}
	}
	if n == 0 {
		return place[c]
	}
	return sum / float64(n)
}

func (d *drawing) width(c int) float64 {
	if c < len(d.picture.Nodes) {
		return d.picture.Nodes[c].W
	}
	return bend
}

// place finds coordinates: each cell near the mean of its neighbors, in order and without overlap.
func (d *drawing) place() {
	d.x = make([]float64, len(d.layer))
	for _, row := range d.rows {
		at := 0.0
		for _, c := range row {
			d.x[c] = at + d.width(c)/2
			at += d.width(c) + nodeGap
		}
	}
	const sweeps = 12
	for sweep := range sweeps {
		for l := range d.rows {
			if sweep%2 == 1 {
				l = len(d.rows) - 1 - l
			}
			d.settle(d.rows[l], sweep%2 == 0)
		}
	}
	d.finish()
}

// settle moves the cells of a layer toward the means of their neighbors, averaging a pass from the left and a pass from the right.
func (d *drawing) settle(row []int, above bool) {
	if len(row) == 0 {
		return
	}
	left, right := make([]float64, len(row)), make([]float64, len(row))
	for i, c := range row {
		left[i] = d.mean(c, above, d.x)
		if i > 0 {
			left[i] = max(left[i], left[i-1]+d.apart(row[i-1], c))
		}
	}
	for i := len(row) - 1; i >= 0; i-- {
		right[i] = d.mean(row[i], above, d.x)
		if i < len(row)-1 {
			right[i] = min(right[i], right[i+1]-d.apart(row[i], row[i+1]))
		}
	}
	for i, c := range row {
		d.x[c] = (left[i] + right[i]) / 2
	}
}

// apart returns the minimum distance between the centers of two neighbors.
func (d *drawing) apart(a, b int) float64 { return (d.width(a)+d.width(b))/2 + nodeGap }

// finish shifts everything into the picture, and computes the points of edges.
func (d *drawing) finish() {
	p := d.picture
	least, most := d.x[0], d.x[0]
	for c, x := range d.x {
		least, most = min(least, x-d.width(c)/2), max(most, x+d.width(c)/2)
	}
	top := func(layer int) float64 { return margin + float64(layer)*(nodeHeight+layerGap) }
	for i := range p.Nodes {
		n := &p.Nodes[i]
		n.X, n.Y = d.x[i]-least+margin-n.W/2, top(n.layer)
	}
	for i, cells := range d.chains {
		e := &p.Edges[i]
		for k, c := range cells {
			x, y := d.x[c]-least+margin, top(d.layer[c])
			switch {
			case k == 0:
				e.X, e.Y = append(e.X, x), append(e.Y, y+nodeHeight)
			case k == len(cells)-1:
				e.X, e.Y = append(e.X, x), append(e.Y, y)
			default:
				e.X, e.Y = append(e.X, x, x), append(e.Y, y, y+nodeHeight)
			}
		}
	}
	p.Width, p.Height = most-least+2*margin, top(len(d.rows))-layerGap+margin
}
