package entropy

import "testing"

// The counts of bytes in windows, with and without repetition, match a walk over all windows.
func TestBytesOfWindows(t *testing.T) {
	for _, n := range []uint32{0, 1, 5, 127, 128, 129, 255, 256, 257, 300, 511, 1000, 5000} {
		for _, stride := range []uint32{1, 2, 7, 64, 127, 128, 129, 255, 256, 257, 300, 4096, 1 << 30} {
			p := EntropyParams{n, stride}
			in, seen := 0, map[int]bool{}
			for i := range p.Windows() {
				first, last := p.window(i)
				in += last - first
				for at := first; at < last; at++ {
					seen[at] = true
				}
			}
			if p.inWindows() != in || p.Read() != len(seen) {
				t.Errorf("%+v: %d bytes in windows, %d read, want %d and %d", p, p.inWindows(), p.Read(), in, len(seen))
			}
		}
	}
}
