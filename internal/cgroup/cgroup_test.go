package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

// open writes files to a folder and opens the groups that they describe.
func open(t *testing.T, files map[string]string) (Groups, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Open(filepath.Join(dir, "proc"), filepath.Join(dir, "sys")), dir
}

const (
	v2Mount = "41 31 0:38 / /sys/fs/cgroup rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
	v1Mount = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
		"35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
	v1Stat = "inactive_file 1\nactive_file 1\ntotal_inactive_file 200\ntotal_active_file 100\n"
	v2Stat = "anon 90\nfile 350\nshmem 50\ninactive_anon 1\ninactive_file 200\nactive_file 100\nslab 11\n"
)

func TestMemory(t *testing.T) {
	const huge = "9223372036854771712\n"
	for name, test := range map[string]struct {
		files map[string]string
		want  Memory
		file  string // of the limit
	}{
		"no control groups": {},
		"version 2, at the root of a namespace": {
			map[string]string{
				"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "600\n",
				"sys/fs/cgroup/memory.current": "500\n", "sys/fs/cgroup/memory.stat": v2Stat,
			},
			Memory{Limit: 600, Available: 400},
			"memory.max",
		},
		"version 2, no limit": {map[string]string{
			"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
		}, Memory{}, ""},
		"version 2, a service: the smallest limit and the fullest group on the way up": {
			map[string]string{
				"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/system.slice/assay.service\n",
				"sys/fs/cgroup/system.slice/assay.service/memory.max":     "500\n",
				"sys/fs/cgroup/system.slice/assay.service/memory.current": "100\n",
				"sys/fs/cgroup/system.slice/memory.max":                   "900\n",
				"sys/fs/cgroup/system.slice/memory.current":               "800\n",
			},
			Memory{Limit: 500, Available: 100},
			"system.slice/assay.service/memory.max",
		},
		"version 1": {
			map[string]string{
				"proc/self/mountinfo": v1Mount, "proc/self/cgroup": "4:memory:/job/7\n1:cpu,cpuacct:/\n0::/\n",
				"sys/fs/cgroup/memory/job/7/memory.limit_in_bytes": huge, "sys/fs/cgroup/memory/job/memory.limit_in_bytes": "600\n",
				"sys/fs/cgroup/memory/job/memory.usage_in_bytes": "500\n", "sys/fs/cgroup/memory/job/memory.stat": v1Stat,
				"sys/fs/cgroup/memory/memory.limit_in_bytes": huge,
			},
			Memory{Limit: 600, Available: 400},
			"memory/job/memory.limit_in_bytes",
		},
		"version 1 in a container that sees its part only": {
			map[string]string{
				"proc/self/mountinfo":                          "35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n",
				"proc/self/cgroup":                             "4:memory:/docker/abc/x\n",
				"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "700\n",
			},
			Memory{Limit: 700, Available: 700},
			"memory/x/memory.limit_in_bytes",
		},
		"a path of another namespace": {
			map[string]string{
				"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/../../a\n", "sys/fs/cgroup/memory.max": "600\n",
				"sys/fs/cgroup/memory.current": "700\n",
			},
			Memory{Limit: 600},
			"memory.max",
		},
		"damaged": {map[string]string{
			"proc/self/mountinfo": "cgroup2\n - \n1 2 3 4 - cgroup2\n" + v2Mount, "proc/self/cgroup": "0\n::\n0::/a\n",
			"sys/fs/cgroup/a/memory.max": "many\n",
		}, Memory{}, ""},
	} {
		g, dir := open(t, test.files)
		if test.file != "" {
			test.want.Source = filepath.Join(dir, "sys/fs/cgroup", test.file)
		}
		if got, ok := g.Memory(); got != test.want || ok != (test.file != "") {
			t.Errorf("%s: %+v, %v; want %+v", name, got, ok, test.want)
		}
	}
}

func TestCPU(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string
		want  CPU
		file  string
	}{
		"no control groups": {},
		"version 2": {
			map[string]string{
				"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
				"sys/fs/cgroup/a/cpu.max": "30000 100000\n", "sys/fs/cgroup/a/cpu.stat": "usage_usec 9\nnr_periods 34\nnr_throttled 33\n",
			},
			CPU{Cores: 0.3, Periods: 34, Throttled: 33},
			"a/cpu.stat",
		},
		"version 1": {
			map[string]string{
				"proc/self/mountinfo": v1Mount, "proc/self/cgroup": "4:memory:/\n1:cpuacct,cpu:/a\n",
				"sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us": "150000\n", "sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us": "100000\n",
				"sys/fs/cgroup/cpu,cpuacct/a/cpu.stat":       "nr_periods 5\nnr_throttled 0\nthrottled_time 0\n",
				"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
			},
			CPU{Cores: 1.5, Periods: 5},
			"cpu,cpuacct/a/cpu.stat",
		},
		"no quota": {map[string]string{
			"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/cpu.max": "max 100000\n",
		}, CPU{}, ""},
	} {
		g, dir := open(t, test.files)
		if test.file != "" {
			test.want.Source = filepath.Join(dir, "sys/fs/cgroup", test.file)
		}
		if got, ok := g.CPU(); got != test.want || ok != (test.file != "") {
			t.Errorf("%s: %+v, %v; want %+v", name, got, ok, test.want)
		}
	}
}
