package plan

import (
	"strings"
	"testing"

	"assay/workloads/quant"
)

// A look counts every weight once; its points are weights with their values in the format.
func TestLookAt(t *testing.T) {
	file := model(t)
	f := formats(t, "int4 block 32")[0]
	l, err := LookAt(t.Context(), file, "easy", f, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, n := range l.Codes.Counts {
		count += n
	}
	if count != 24*512 || l.Codes.Lo != -8 || len(l.Codes.Counts) != 16 || l.Codes.Counts[0] == 0 || l.Codes.Counts[15] == 0 {
		t.Errorf("%d codes from %d on: %v", count, l.Codes.Lo, l.Codes.Counts)
	}
	w := weights(1, 24, 512, quant.Outliers{})
	p, _, err := f.Encode(w, 24, 512)
	if err != nil {
		t.Fatal(err)
	}
	rounded := make([]float32, len(w))
	if err := p.Decode(rounded); err != nil {
		t.Fatal(err)
	}
	every := 123 // not 122, which is even like the row length
	if n := len(l.Exact); n < 99 || n > 101 || len(l.Rounded) != n {
		t.Fatalf("%d points and %d", n, len(l.Rounded))
	}
	for i := range l.Exact {
		if l.Exact[i] != w[i*every] || l.Rounded[i] != rounded[i*every] {
			t.Fatalf("point %d: %v became %v, want %v and %v", i, l.Exact[i], l.Rounded[i], w[i*every], rounded[i*every])
		}
	}
	if part, err := LookAt(t.Context(), file, "easy", f, 4, 100); err != nil || part.Read != 4 || len(part.Exact) < 95 {
		t.Errorf("of four rows %v, %v", part, err)
	}
	if whole, err := LookAt(t.Context(), file, "easy", formats(t, "int8 tensor")[0], 0, 10); err != nil || len(whole.Codes.Counts) != 256 {
		t.Errorf("with one scale %v, %v", whole, err)
	}
	if float, err := LookAt(t.Context(), file, "easy", formats(t, "f16")[0], 0, 10); err != nil || float.Codes.Counts != nil || len(float.Exact) < 10 {
		t.Errorf("f16 %v, %v", float, err)
	}
}

// The error for a tensor that cannot be looked at names it and the reason.
func TestLookRefuses(t *testing.T) {
	file := model(t)
	for _, tc := range []struct{ tensor, format, want string }{
		{"norm", "q8_0", "1 dimension"},
		{"broken", "q8_0", "is NaN"},
		{"narrow", "q4_K", "blocks of 256"},
		{"no such", "q8_0", "no such"},
	} {
		if _, err := LookAt(t.Context(), file, tc.tensor, formats(t, tc.format)[0], 0, 10); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s in %s: %v, want %q", tc.tensor, tc.format, err, tc.want)
		}
	}
}
