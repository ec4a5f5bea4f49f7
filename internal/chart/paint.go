package chart

import (
	"encoding/binary"
	"image"
	"image/color"
	"math"
)

// lanes spreads the four bytes of a pixel over the four 16-bit lanes of a word,
// so that one multiplication scales all of them.
func lanes(p uint32) uint64 {
	return uint64(p&0x00ff00ff) | uint64(p&0xff00ff00)<<24
}

func unlanes(l uint64) uint32 {
	return uint32(l&0x00ff00ff) | uint32(l>>24&0xff00ff00)
}

const laneMask = 0x00ff00ff00ff00ff

// blend mixes the pixel at the head of pix with an opaque color given as
// lanes. alpha is 0 … 256.
func blend(pix []byte, src uint64, alpha uint32) {
	a := uint64(alpha)
	d := lanes(binary.LittleEndian.Uint32(pix))
	binary.LittleEndian.PutUint32(pix, unlanes((d*(256-a)+src*a)>>8&laneMask))
}

// opaque is the color as lanes, without its alpha.
func opaque(c color.NRGBA) uint64 {
	return lanes(uint32(c.R) | uint32(c.G)<<8 | uint32(c.B)<<16 | 0xff<<24)
}

// alpha256 scales an 8-bit alpha to 0 … 256.
func alpha256(a uint8) uint32 { return (uint32(a)*257 + 128) >> 8 }

// withAlpha is c with its alpha scaled by f.
func withAlpha(c color.NRGBA, f float64) color.NRGBA {
	c.A = uint8(math.Round(float64(c.A) * f))
	return c
}

// mix is the color at fraction f of the way from a to b, opaque.
func mix(a, b color.NRGBA, f float64) color.NRGBA {
	at := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + (float64(y)-float64(x))*f)) }
	return color.NRGBA{at(a.R, b.R), at(a.G, b.G), at(a.B, b.B), 255}
}

// fillRect blends c over the part of r inside dst.
func fillRect(dst *image.RGBA, r image.Rectangle, c color.NRGBA) {
	r = r.Intersect(dst.Rect)
	if r.Empty() || c.A == 0 {
		return
	}
	src, a := opaque(c), alpha256(c.A)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := dst.Pix[dst.PixOffset(r.Min.X, y) : dst.PixOffset(r.Max.X-1, y)+4]
		for ; len(row) >= 4; row = row[4:] {
			blend(row, src, a)
		}
	}
}

// Fill fills a picture with one color.
func Fill(dst *image.RGBA, c color.NRGBA) { fillRect(dst, dst.Rect, c) }

// Frame draws a frame of w pixels along the edges of a picture.
func Frame(dst *image.RGBA, w int, c color.NRGBA) {
	b := dst.Rect
	for _, edge := range [...]image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y, b.Max.X, b.Min.Y+w), image.Rect(b.Min.X, b.Max.Y-w, b.Max.X, b.Max.Y),
		image.Rect(b.Min.X, b.Min.Y+w, b.Min.X+w, b.Max.Y-w), image.Rect(b.Max.X-w, b.Min.Y+w, b.Max.X, b.Max.Y-w),
	} {
		fillRect(dst, edge, c)
	}
}

// dot blends one pixel if it lies inside clip.
func dot(dst *image.RGBA, clip image.Rectangle, x, y int, src uint64, alpha uint32) {
	if alpha == 0 || x < clip.Min.X || x >= clip.Max.X || y < clip.Min.Y || y >= clip.Max.Y {
		return
	}
	blend(dst.Pix[dst.PixOffset(x, y):], src, min(alpha, 256))
}

// shape is a signed distance: negative inside, in pixels, about the origin.
type shape func(x, y float64) float64

// fillShape blends a shape of the given reach centered on (cx, cy), anti-aliased.
func fillShape(dst *image.RGBA, clip image.Rectangle, cx, cy, reach float64, c color.NRGBA, sd shape) {
	clip = clip.Intersect(dst.Rect)
	if !(math.Abs(cx) < 1e6 && math.Abs(cy) < 1e6) {
		return
	}
	src, a := opaque(c), float64(alpha256(c.A))
	for y := int(cy - reach - 1); y <= int(cy+reach+1); y++ {
		for x := int(cx - reach - 1); x <= int(cx+reach+1); x++ {
			d := sd(float64(x)+0.5-cx, float64(y)+0.5-cy)
			dot(dst, clip, x, y, src, uint32(a*max(0, min(1, 0.5-d))))
		}
	}
}

// distance is the signed distance of a marker of radius r.
func (m Marker) distance(x, y, r float64) float64 {
	switch m {
	case Square:
		return max(math.Abs(x), math.Abs(y)) - 0.86*r
	case Diamond:
		return (math.Abs(x) + math.Abs(y) - 1.3*r) * math.Sqrt2 / 2
	case Triangle: // the centroid sits on the point
		return max(y-0.62*r, math.Abs(x)*0.87-y*0.5-0.62*r-0.1*r)
	case Ring:
		return math.Abs(math.Hypot(x, y)-0.78*r) - 0.3*r
	case Cross:
		u, v := (x+y)*math.Sqrt2/2, (x-y)*math.Sqrt2/2
		return min(max(math.Abs(u)-1.2*r, math.Abs(v)-0.34*r), max(math.Abs(v)-1.2*r, math.Abs(u)-0.34*r))
	}
	return math.Hypot(x, y) - r
}

// stampKey is a marker of one size at a fraction of a pixel.
type stampKey struct {
	marker Marker
	radius uint16 // in 1/64 of a pixel
	fx, fy uint8  // in 1/8 of a pixel
}

// stamp is the coverage of a marker about the pixel that holds its center.
type stamp struct {
	reach int // pixels on each side of the middle one
	cover []uint8
}

// maxStamps bounds the cache of stamps.
const maxStamps = 4096

// stamp returns the coverage of a marker, cached if possible.
func (r *Renderer) stamp(k stampKey) *stamp {
	if st, ok := r.stamps[k]; ok {
		return st
	}
	if r.stamps == nil || len(r.stamps) >= maxStamps {
		r.stamps = make(map[stampKey]*stamp)
	}
	radius := float64(k.radius) / 64
	st := &stamp{reach: int(1.5*radius) + 2}
	for y := -st.reach; y <= st.reach; y++ {
		for x := -st.reach; x <= st.reach; x++ {
			d := k.marker.distance(float64(x)+0.5-float64(k.fx)/8, float64(y)+0.5-float64(k.fy)/8, radius)
			st.cover = append(st.cover, uint8(255*max(0, min(1, 0.5-d))))
		}
	}
	r.stamps[k] = st
	return st
}

// press blends a stamp about (cx, cy).
func (r *Renderer) press(dst *image.RGBA, m Marker, cx, cy, radius float64, c color.NRGBA) {
	if !(math.Abs(cx) < 1e6 && math.Abs(cy) < 1e6 && radius > 0 && radius < 1000) {
		return
	}
	qx, qy := int(math.Round(cx*8)), int(math.Round(cy*8))
	st := r.stamp(stampKey{m, uint16(radius*64 + 0.5), uint8(qx & 7), uint8(qy & 7)})
	src, a := opaque(c), alpha256(c.A)
	x0, y0, side := qx>>3-st.reach, qy>>3-st.reach, 2*st.reach+1
	for i, cover := range st.cover {
		if cover != 0 {
			dot(dst, dst.Rect, x0+i%side, y0+i/side, src, alpha256(cover)*a>>8)
		}
	}
}

// drawMarker draws a marker with a thin halo of the background, which separates it from the line and its neighbors.
func (r *Renderer) drawMarker(dst canvas, m Marker, cx, cy, radius, halo float64, c color.NRGBA) {
	if halo > 0 {
		dst.marker(m.solid(), cx, cy, radius+1.15*halo, r.style.Background)
	}
	dst.marker(m, cx, cy, radius, c)
}

// solid is the outline of a marker, filled.
func (m Marker) solid() Marker {
	if m == Ring {
		return Circle
	}
	return m
}

// fillRounded fills r with corners of the given radius, anti-aliased. With
// square set the lower corners stay square.
func fillRounded(dst *image.RGBA, clip, r image.Rectangle, radius float64, c color.NRGBA, square bool) {
	clip = clip.Intersect(dst.Rect)
	w, h := float64(r.Dx()), float64(r.Dy())
	radius = min(radius, w/2, h/2)
	if square {
		radius = min(radius, w/2)
	}
	src, a := opaque(c), float64(alpha256(c.A))
	in := r.Intersect(clip)
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			fx, fy := float64(x-r.Min.X)+0.5, float64(y-r.Min.Y)+0.5
			dx := max(radius-fx, fx-(w-radius), 0)
			dy := max(radius-fy, 0)
			if !square {
				dy = max(dy, fy-(h-radius))
			}
			cover := 1.0
			if dx > 0 && dy > 0 {
				cover = max(0, min(1, radius-math.Hypot(dx, dy)+0.5))
			}
			dot(dst, clip, x, y, src, uint32(a*cover))
		}
	}
}
