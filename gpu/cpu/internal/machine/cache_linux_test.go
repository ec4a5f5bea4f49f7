package machine

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLastLevelCache(t *testing.T) {
	root := t.TempDir()
	add := func(cpu, index, level, size, shared string) {
		dir := filepath.Join(root, cpu, "cache", index)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for name, text := range map[string]string{"level": level, "size": size, "shared_cpu_list": shared} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := lastLevelIn(root); got != 0 {
		t.Errorf("no caches: %d B", got)
	}
	for _, cpu := range []string{"cpu0", "cpu1", "cpu2"} {
		add(cpu, "index0", "1", "48K", cpu)
	}
	if got := lastLevelIn(root); got != 3*48<<10 {
		t.Errorf("three caches of 48 KiB: %d B", got)
	}
	add("cpu0", "index3", "3", "32768K", "0-1")
	add("cpu1", "index3", "3", "32768K", "0-1")
	add("cpu2", "index3", "3", "32768K", "2")
	if got := lastLevelIn(root); got != 64<<20 {
		t.Errorf("two caches of 32 MiB, one shared: %d B", got)
	}
	add("cpu2", "index3", "3", "many", "2")
	if got := lastLevelIn(root); got != 32<<20 {
		t.Errorf("a size that cannot be read: %d B", got)
	}
}
