package target

import (
	"strings"
	"testing"
)

const rollup = `55857829b000-7ffc593ad000 ---p 00000000 00:00 0                          [rollup]
Rss:                1784 kB
Pss:                 383 kB
Pss_Dirty:           112 kB
Pss_Anon:            112 kB
Pss_File:            271 kB
Pss_Shmem:             8 kB
Shared_Clean:       1620 kB
Anonymous:           140 kB
Private_Hugetlb:    2048 kB
Swap:                 64 kB
SwapPss:              32 kB
`

func TestDecodeRollup(t *testing.T) {
	u, err := decodeRollup([]byte(rollup))
	if err != nil {
		t.Fatal(err)
	}
	wantKiB(t, "resident", u.resident, 1784)
	wantKiB(t, "anonymous", u.anonymous, 112)
	wantKiB(t, "swap", u.swap, 32)
	wantKiB(t, "footprint", u.footprint, 112+8+32+2048)
	old := strings.ReplaceAll(strings.ReplaceAll(rollup, "Pss_", "Was_"), "SwapPss", "WasPss")
	if u, err = decodeRollup([]byte(old)); err != nil {
		t.Fatal(err)
	}
	wantKiB(t, "footprint before Linux 5.3", u.footprint, 140+64)
	for _, bad := range []string{"", "Rss: 3 kB\n", "Rss: x kB\nAnonymous: 1 kB\nSwap: 1 kB\n"} {
		if _, err := decodeRollup([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

func wantKiB(t *testing.T, what string, a amount, kib float64) {
	t.Helper()
	if a.err != nil || a.value != kib*1024 {
		t.Errorf("%s is %v, %v; want %v KiB", what, a.value, a.err, kib)
	}
}

func TestDecodeStatus(t *testing.T) {
	const status = "Name:\tcat\nVmRSS:\t    1776 kB\nRssAnon:\t     112 kB\nRssFile:\t    1660 kB\nRssShmem:\t       4 kB\nThreads:\t1\nVmSwap:\t       8 kB\n"
	u, err := decodeStatus([]byte(status))
	if err != nil {
		t.Fatal(err)
	}
	wantKiB(t, "footprint", u.footprint, 112+4+8)
	wantKiB(t, "resident", u.resident, 1776)
	if _, err := decodeStatus([]byte("Name:\tkthreadd\nThreads:\t1\n")); err == nil {
		t.Error("a kernel thread has memory")
	}
}

func TestDecodeStat(t *testing.T) {
	const line = "4711 (a (b) c) S 12 4711 14 34816 15 4194304 100 0 0 0 250 50 0 0 20 0 7 0 123456 1000 200 18446744073709551615"
	p, err := decodeStat([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	want := Process{PID: 4711, Parent: 12, Group: 4711, Start: 123456, Name: "a (b) c", Seconds: 3, Threads: 7}
	if p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	if p, err = decodeStat([]byte(strings.Replace(line, ") S", ") Z", 1))); err != nil || !p.ended {
		t.Errorf("a zombie runs: %+v, %v", p, err)
	}
	for _, bad := range []string{"", "4711", "x (y) S 1 2 3", "1 (y) S 12 a", line[:40]} {
		if _, err := decodeStat([]byte(bad)); err == nil {
			t.Errorf("%q was decoded", bad)
		}
	}
}

// Captures in the layouts of amdgpu (Linux 6.9) and i915, and of a driver that reports no memory.
func TestDecodeDRM(t *testing.T) {
	const amd = "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-client-id:\t12\ndrm-pdev:\t0000:03:00.0\npasid:\t32771\n" +
		"drm-total-vram:\t513 MiB\ndrm-shared-vram:\t16 MiB\ndrm-memory-vram:\t500 MiB\ndrm-total-gtt:\t2048 KiB\n"
	const intel = "drm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t7\ndrm-memory-system0:\t100 KiB\ndrm-engine-render:\t25662044495 ns\n"
	const silent = "drm-driver:\tother\ndrm-client-id:\t3\n"
	var clients []drmClient
	for _, text := range []string{amd, amd, intel, silent} { // two descriptors of one client count once
		c, ok := decodeDRM([]byte(text))
		if !ok {
			t.Fatalf("%q is no client", text)
		}
		clients = append(clients, c)
	}
	if sum, ok := drmSum(clients); !ok || sum != 513<<20+2048<<10+100<<10 {
		t.Errorf("sum %v, %v", sum, ok)
	}
	if _, ok := drmSum(clients[3:]); ok {
		t.Error("a driver that tells nothing has a sum")
	}
	for _, no := range []string{"", "pos:\t0\nflags:\t02\nmnt_id:\t12\n"} {
		if _, ok := decodeDRM([]byte(no)); ok {
			t.Errorf("%q is a client", no)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(rollup)
	f.Add("1 (x) S 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1")
	f.Add("drm-driver:\ta\ndrm-client-id:\t1\ndrm-total-vram:\t1 KiB\n")
	f.Fuzz(func(t *testing.T, text string) {
		b := []byte(text)
		if u, err := decodeRollup(b); err == nil && !(u.footprint.value >= 0) {
			t.Errorf("a footprint of %v", u.footprint.value)
		}
		_, _ = decodeStatus(b)
		_, _ = decodeStat(b)
		if c, ok := decodeDRM(b); ok && !(c.bytes >= 0) {
			t.Errorf("%v B on a GPU", c.bytes)
		}
	})
}
