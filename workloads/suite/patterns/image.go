package patterns

import (
	"assay/shaders"
	"assay/shaders/image"
	"assay/workloads/bench"
)

// pipeline prepares photos: half the size, normalized per channel, smoothed, gray.
func pipeline(size sizes) []stage {
	n, from, to := uint32(size.n), uint32(size.side), uint32(size.side/2)
	pixels := n * to * to
	one := func(name string, constants shaders.Constants, params any, args ...string) stage {
		return stage{name, []bench.Step{{Pick: size.pick(name), Constants: constants, Params: params, Args: args}}}
	}
	return []stage{
		one("resize", nil, image.ResizeParams{N: n, H: from, W: from, C: 3, OutH: to, OutW: to}, "photos", "small"),
		one("normalize", nil, image.NormalizeParams{Pixels: pixels, Channels: 3}, "small", "scale", "shift", "normalized"),
		one("blur", shaders.Constants{image.Wide: 1}, image.BlurParams{N: n, H: to, W: to, C: 3}, "normalized", "smooth"),
		one("gray", nil, image.GrayParams{Pixels: pixels, Channels: 3}, "smooth", "gray"),
	}
}

// channels adds the scale and the shift of each channel: the usual ones for normalizing photos.
func channels(s *bench.Scope, size sizes, inputs bench.Buffers) (err error) {
	mean, deviation := [3]float32{0.485, 0.456, 0.406}, [3]float32{0.229, 0.224, 0.225}
	for label, of := range map[string]func(c int) float32{
		"scale": func(c int) float32 { return 1 / deviation[c] },
		"shift": func(c int) float32 { return -mean[c] / deviation[c] },
	} {
		if inputs[label], err = s.Buffer(size.t, 3, label); err != nil {
			return err
		}
		err = s.FillFloats(inputs[label], size.t, 3, func(dst []float32, at int) error {
			for i := range dst {
				dst[i] = of(at + i)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
