package cpu_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"assay/gpu"
	"assay/gpu/cpu"
)

// residentBytes returns the resident memory of this process.
func residentBytes(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skipf("the resident set is read from /proc/self/statm: %v", err)
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		t.Fatalf("statm says %q", text)
	}
	pages, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// TestReleasedMemoryGoesBack fills and releases buffers of many sizes: the allocator must not keep them.
func TestReleasedMemoryGoesBack(t *testing.T) {
	r := newBench(t, cpu.Options{Threads: 1})
	const most = 20 << 20
	before := residentBytes(t)
	for round := range 3 {
		var live []gpu.Buffer
		for _, megabytes := range []int{1, 2, 3, 5, 8, 13, 21, 30, 40} {
			b, err := r.engine.NewBuffer(megabytes<<20+12345, gpu.Shared, "filled")
			r.must(err, b.Fill(1))
			live = append(live, b)
		}
		if grown := residentBytes(t) - before; grown < 100<<20 {
			t.Fatalf("round %d: 123 MB are filled, the process grew by %d B", round, grown)
		}
		for _, b := range live {
			r.must(b.Release())
		}
		if grown := residentBytes(t) - before; grown > most {
			t.Errorf("round %d: everything is released, yet the process holds %d B more", round, grown)
		}
	}
}

// TestEverySizeIsWritable fills buffers around each size at which the allocation method changes.
func TestEverySizeIsWritable(t *testing.T) {
	r := newBench(t, cpu.Options{Threads: 1})
	for _, around := range []int{64 << 10, 128 << 10, 2 << 20, 4 << 20, 6 << 20} {
		for _, n := range []int{around - 1, around, around + 1} {
			b, err := r.engine.NewBuffer(n, gpu.Shared, "edge")
			r.must(err, b.Fill(0xAB))
			if mem := b.Bytes(); mem[0] != 0xAB || mem[n-1] != 0xAB {
				t.Errorf("%d B: ends are %x and %x", n, mem[0], mem[n-1])
			}
			r.must(b.Release())
		}
	}
}
