package gpu

import (
	"math"
	"testing"
)

func TestFineClassesWasteLittle(t *testing.T) {
	check := func(n int) {
		size := PolicyFine.class(n)
		if size < n {
			t.Fatalf("class of %d B is %d B", n, size)
		}
		if size-n >= 16 && size-n >= n/31 {
			t.Errorf("class of %d B is %d B", n, size)
		}
		if waste := float64(size-n) / float64(size); n >= 320 && waste >= 0.05 {
			t.Errorf("%d B waste %.1f %% of %d B", n, 100*waste, size)
		}
		if again := PolicyFine.class(size); again != size {
			t.Errorf("the class %d B of %d B is in class %d B", size, n, again)
		}
	}
	for n := 1; n < 1<<16; n++ {
		check(n)
	}
	for n := 1 << 16; n < 1<<45; n += 1 + n/777 {
		check(n)
		check(n | (n - 1))
	}
}

func TestClassSizes(t *testing.T) {
	for _, c := range []struct {
		policy  Policy
		n, want int
	}{
		{PolicyFine, 1, 16},
		{PolicyFine, 16, 16},
		{PolicyFine, 17, 32},
		{PolicyFine, 1023, 1024},
		{PolicyFine, 1025, 1056},
		{PolicyFine, 1 << 20, 1 << 20},
		{PolicyFine, 1<<20 + 1, 1<<20 + 1<<15},
		{PolicyFine, math.MaxInt, math.MaxInt},
		{PolicyPow2, 1, 1},
		{PolicyPow2, 2, 2},
		{PolicyPow2, 3, 4},
		{PolicyPow2, 1025, 2048},
		{PolicyPow2, 1 << 62, 1 << 62},
		{PolicyPow2, 1<<62 + 1, 1<<62 + 1},
		{PolicyExact, 1, 1},
		{PolicyExact, 12345, 12345},
	} {
		if got := c.policy.class(c.n); got != c.want {
			t.Errorf("%v class of %d B is %d B, want %d", c.policy, c.n, got, c.want)
		}
	}
}

func TestSiteOfAnUnknownStack(t *testing.T) {
	var s site
	if got := s.trace(nil); got != nil || (Site{}).String() != "unknown site" {
		t.Errorf("an empty stack resolves to %v", got)
	}
}

// deep calls itself so that the stack is moved as it grows; the stack walk must follow.
func deep(n int, s *site) {
	var pad [512]byte
	pad[n%512] = byte(n)
	if n == 0 {
		callers(s)
		return
	}
	deep(n-1, s)
	pad[0]++
}

func TestCallersOnGrowingStacks(t *testing.T) {
	for n := range 200 {
		done := make(chan site)
		go func() {
			var s site
			deep(n, &s)
			done <- s
		}()
		s := <-done
		if s[0] == 0 || s[1] == 0 {
			t.Errorf("depth %d: return addresses %x", n, s)
		}
	}
}
