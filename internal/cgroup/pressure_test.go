package cgroup

import (
	"path/filepath"
	"testing"
)

func TestPressure(t *testing.T) {
	for name, test := range map[string]struct {
		files  map[string]string
		want   Pressure
		source string
		stalls string
	}{
		"no limit": {files: map[string]string{
			"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.high": "max\n", "sys/fs/cgroup/a/memory.events": "high 7\n",
		}},
		"version 2: the fullest group on the way up, by its high mark": {
			map[string]string{
				"proc/self/mountinfo": v2Mount, "proc/self/cgroup": "0::/a/b\n",
				"sys/fs/cgroup/a/b/memory.max": "1000\n", "sys/fs/cgroup/a/b/memory.current": "400\n",
				"sys/fs/cgroup/a/b/memory.events": "low 9\nhigh 0\nmax 2\noom 1\noom_kill 1\n", "sys/fs/cgroup/a/b/memory.pressure": "",
				"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/memory.high": "1000\n", "sys/fs/cgroup/a/memory.current": "1250\n",
				"sys/fs/cgroup/a/memory.stat": v2Stat, "sys/fs/cgroup/a/memory.events": "high 5\nmax 0\n",
			},
			Pressure{Share: 0.95, Reclaims: 7, Kills: 1},
			"a/memory.high", "a/b/memory.pressure",
		},
		"version 1": {
			map[string]string{
				"proc/self/mountinfo": v1Mount, "proc/self/cgroup": "4:memory:/job\n",
				"sys/fs/cgroup/memory/job/memory.limit_in_bytes": "1000\n", "sys/fs/cgroup/memory/job/memory.usage_in_bytes": "800\n",
				"sys/fs/cgroup/memory/job/memory.stat": v1Stat, "sys/fs/cgroup/memory/job/memory.failcnt": "4\n",
				"sys/fs/cgroup/memory/job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n",
			},
			Pressure{Share: 0.5, Reclaims: 4, Kills: 2},
			"memory/job/memory.limit_in_bytes", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			groups, dir := open(t, test.files)
			want := test.want
			for to, from := range map[*string]string{&want.Source: test.source, &want.Stalls: test.stalls} {
				if from != "" {
					*to = filepath.Join(dir, "sys/fs/cgroup", from)
				}
			}
			got, limited := groups.Pressure()
			if got != want || limited != (test.source != "") {
				t.Errorf("%+v, %v; want %+v", got, limited, want)
			}
		})
	}
}
