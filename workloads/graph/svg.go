package graph

import (
	"fmt"
	"html"
	"strings"
)

// Tints are the colors of dispatches that compute several values, used in rotation; the dispatch number distinguishes them too.
func Tints() []string {
	return []string{"#cfe3fb", "#d6f0d2", "#fde4c4", "#ecd9f7", "#fbd5da", "#cdeeee"}
}

// Fused reports for each dispatch whether it computes several values of the graph.
func (p *Picture) Fused() []bool {
	count := make([]int, len(p.Steps))
	for i := range p.Nodes {
		if s := p.Nodes[i].Step; s >= 0 {
			count[s]++
		}
	}
	fused := make([]bool, len(count))
	for i, n := range count {
		fused[i] = n > 1
	}
	return fused
}

// Around is the distance of a fused dispatch's outline from its nodes.
const Around = 6

// SVG returns the picture as a file: values computed by one dispatch share an outline and its number.
func (p *Picture) SVG() string {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" font-family="Helvetica, Arial, sans-serif" font-size="12">`+"\n", p.Width, p.Height, p.Width, p.Height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" fill="#ffffff"/>`+"\n")
	fused := p.Fused()
	for _, layer := range []struct {
		stroke string
		more   float64
	}{{"#5b6470", 1.5}, {"", 0}} { // the outline, and its fill
		for s := range p.Steps {
			if fused[s] {
				p.outline(&out, s, layer.stroke, layer.more)
			}
		}
	}
	for _, e := range p.Edges {
		p.edge(&out, &e)
	}
	for i := range p.Nodes {
		p.box(&out, &p.Nodes[i])
	}
	out.WriteString("</svg>\n")
	return out.String()
}

// outline draws the area under a dispatch's nodes and edges: first slightly larger in a color, which remains visible as the outline.
func (p *Picture) outline(out *strings.Builder, step int, color string, more float64) {
	if color == "" {
		color = Tints()[step%len(Tints())]
	}
	for i := range p.Nodes {
		if n := &p.Nodes[i]; n.Step == step {
			m := Around + more
			fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8" fill="%s"/>`+"\n", n.X-m, n.Y-m, n.W+2*m, n.H+2*m, color)
		}
	}
	for _, e := range p.Edges {
		if e.Within && p.Nodes[e.To].Step == step {
			fmt.Fprintf(out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="%.1f" stroke-linejoin="round"/>`+"\n", points(&e), color, 14+2*more)
		}
	}
}

func points(e *Edge) string {
	var all []string
	for i := range e.X {
		all = append(all, fmt.Sprintf("%.1f,%.1f", e.X[i], e.Y[i]))
	}
	return strings.Join(all, " ")
}

func (p *Picture) edge(out *strings.Builder, e *Edge) {
	last := len(e.X) - 1
	fmt.Fprintf(out, `<polyline points="%s" fill="none" stroke="#5b6470"/>`+"\n", points(e))
	x, y := e.X[last], e.Y[last]
	fmt.Fprintf(out, `<polygon points="%.1f,%.1f %.1f,%.1f %.1f,%.1f" fill="#5b6470"/>`+"\n", x, y, x-3.5, y-7, x+3.5, y-7)
}

func (p *Picture) box(out *strings.Builder, n *Node) {
	fill, width, round := "#ffffff", 1, 4
	if n.Input {
		fill, round = "#f1f3f5", nodeHeight/2
	}
	if n.Output {
		width = 3
	}
	fmt.Fprintf(out, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%d" fill="%s" stroke="#1f2933" stroke-width="%d"/>`+"\n", n.X, n.Y, n.W, n.H, round, fill, width)
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" text-anchor="middle" font-weight="600">%s</text>`+"\n", n.X+n.W/2, n.Y+16, html.EscapeString(n.Title))
	detail := n.Detail
	if n.Step >= 0 {
		detail = fmt.Sprintf("%d · %s", n.Step+1, detail)
	}
	fmt.Fprintf(out, `<text x="%.1f" y="%.1f" text-anchor="middle" fill="#5b6470" font-size="11">%s</text>`+"\n", n.X+n.W/2, n.Y+31, html.EscapeString(detail))
}
