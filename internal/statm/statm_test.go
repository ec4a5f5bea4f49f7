package statm

import "testing"

func TestDecode(t *testing.T) {
	if resident, shared, err := Decode([]byte("765 442 414 5 0 123 0\n")); err != nil || resident != 442 || shared != 414 {
		t.Errorf("%d, %d, %v", resident, shared, err)
	}
	for _, bad := range []string{"", "765", "765 442", "a b c ", "1 99999999999999999999 1 ", "9 3 4 0", "1 -3 1 1"} {
		if _, _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	text := []byte("765213 442123 414212 5 0 123 0\n")
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Decode(text); err != nil {
			b.Fatal(err)
		}
	}
}
