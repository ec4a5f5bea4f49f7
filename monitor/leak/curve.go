package leak

// MaxPoints is the maximum number of points in a Curve.
const MaxPoints = 600

// Point is an interval of iterations on a curve of live bytes.
type Point struct {
	Iteration  int     // last of the interval
	Seconds    float64 // its time, on the observer's clock
	Live, Peak int64   // minimum and maximum live bytes
}

// Curve stores live bytes by iteration and time, for charts. When it is full, neighbors are merged, so that it always covers all
// observations and hides no peak. The zero value is ready for use; it is not safe for concurrent use.
type Curve struct {
	points []Point
	per    int // observations in a point
	last   int // observations in the newest point
}

// Observe adds the live bytes at an iteration.
func (c *Curve) Observe(iteration int, seconds float64, live int64) {
	c.per = max(c.per, 1)
	p := Point{iteration, seconds, live, live}
	if n := len(c.points); n > 0 && c.last < c.per {
		c.points[n-1] = c.points[n-1].with(p)
		c.last++
		return
	}
	if len(c.points) == MaxPoints {
		c.halve()
	}
	c.points = append(c.points, p)
	c.last = 1
}

// Points returns the points so far, oldest first; the caller owns them.
func (c *Curve) Points() []Point { return append([]Point(nil), c.points...) }

// halve merges every two points.
func (c *Curve) halve() {
	n := 0
	for i := 0; i < len(c.points); i += 2 {
		c.points[n] = c.points[i].with(c.points[min(i+1, len(c.points)-1)])
		n++
	}
	c.points, c.per = c.points[:n], 2*c.per
}

// with merges p and the later q into one point.
func (p Point) with(q Point) Point {
	return Point{q.Iteration, q.Seconds, min(p.Live, q.Live), max(p.Peak, q.Peak)}
}
