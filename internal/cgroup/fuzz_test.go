package cgroup

import (
	"os"
	"path/filepath"
	"testing"
)

// Whatever the kernel, a container runtime or a batch system writes, limits stay within what they limit.
func FuzzGroups(f *testing.F) {
	f.Add(v2Mount, "0::/a\n", "600\n", "500\n", v2Stat, "low 0\nhigh 3\nmax 1\noom 0\noom_kill 1\n", "30000 100000\n")
	f.Add(v1Mount, "4:memory:/a\n1:cpu,cpuacct:/\n", "600\n", "500\n", v1Stat, "under_oom 0\noom_kill 2\n", "max 100000\n")
	f.Add("35 31 0:32 /docker/abc /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "4:memory:/docker/abc/../a\n", "max\n", "", "", "", "0 0\n")
	f.Add("1 2 3 4 5 - cgroup2 a b\n", "0::/\x00\n::\n", "-1\n", "9223372036854775807\n", "inactive_file 9223372036854775807\nactive_file 1\n", "", "9e9 1\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, mountinfo, group, limit, used, stat, events, quota string) {
		root, err := os.MkdirTemp(dir, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(root)
		files := map[string]string{"proc/self/mountinfo": mountinfo, "proc/self/cgroup": group}
		for _, at := range []string{"sys/fs/cgroup/", "sys/fs/cgroup/a/", "sys/fs/cgroup/memory/a/"} {
			files[at+"memory.max"], files[at+"memory.high"], files[at+"memory.limit_in_bytes"] = limit, limit, limit
			files[at+"memory.current"], files[at+"memory.usage_in_bytes"] = used, used
			files[at+"memory.stat"], files[at+"memory.events"], files[at+"memory.oom_control"] = stat, events, events
			files[at+"memory.failcnt"], files[at+"cpu.max"], files[at+"memory.pressure"] = used, quota, ""
		}
		for name, text := range files {
			path := filepath.Join(root, name)
			if os.MkdirAll(filepath.Dir(path), 0o755) != nil || os.WriteFile(path, []byte(text), 0o644) != nil {
				t.Fatal("cannot write " + path)
			}
		}
		g := Open(filepath.Join(root, "proc"), filepath.Join(root, "sys"))
		if m, limited := g.Memory(); limited != (m.Source != "") || m.Limit < 0 || m.Limit >= none || m.Available < 0 || m.Available > m.Limit {
			t.Errorf("memory %+v, limited %v", m, limited)
		}
		if c, limited := g.CPU(); limited != (c.Source != "") || limited && !(c.Cores > 0) {
			t.Errorf("processor %+v, limited %v", c, limited)
		}
		if p, limited := g.Pressure(); limited != (p.Source != "") || !(p.Share >= 0) {
			t.Errorf("pressure %+v, limited %v", p, limited)
		}
	})
}
