package machine

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LastLevelCache is the size of the caches of the highest level, in bytes; 0: unknown.
func LastLevelCache() int64 { return lastLevelIn("/sys/devices/system/cpu") }

// lastLevelIn reads Linux's description of the processors' caches. Cores that share a cache have the same list of cores.
func lastLevelIn(root string) int64 {
	dirs, _ := filepath.Glob(filepath.Join(root, "cpu[0-9]*", "cache", "index[0-9]*")) // the pattern is valid
	level, parts := 0, map[string]int64{}
	for _, dir := range dirs {
		n, err := strconv.Atoi(cacheFile(dir, "level"))
		size := parseCacheSize(cacheFile(dir, "size"))
		if err != nil || n < level || size == 0 {
			continue
		}
		if n > level {
			level = n
			clear(parts)
		}
		parts[cacheFile(dir, "shared_cpu_list")] = size
	}
	var total int64
	for _, size := range parts {
		total += size
	}
	return total
}

func cacheFile(dir, name string) string {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return "" // no such level
	}
	return strings.TrimSpace(string(text))
}

// parseCacheSize reads "32768K"; 0 for anything else.
func parseCacheSize(text string) int64 {
	digits, ok := strings.CutSuffix(text, "K")
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n < 0 {
		return 0
	}
	return n << 10
}
