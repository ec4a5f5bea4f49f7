// Package cgroup reads the limits of this process's control groups on Linux, versions 1 and 2, as set by containers, services
// and batch systems. On other systems there are none.
package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Groups holds the folders of a process's control groups, for each controller from the process's own up to the root.
type Groups struct{ memory, cpu []folder }

// folder is one control group.
type folder struct {
	path string
	v2   bool
}

// Open finds the control groups of this process. proc is the folder /proc, and sys is /sys; tests pass their own.
func Open(proc, sys string) Groups {
	all := mounts(read(filepath.Join(proc, "self/mountinfo")), sys)
	var g Groups
	for line := range strings.Lines(read(filepath.Join(proc, "self/cgroup"))) { // ID:controllers:path
		_, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, path, _ := strings.Cut(rest, ":")
		for _, m := range all {
			switch {
			case m.v2 && controllers == "":
				g.memory, g.cpu = append(g.memory, m.up(path)...), append(g.cpu, m.up(path)...)
			case m.v2:
			case m.has("memory") && has(controllers, "memory"):
				g.memory = append(g.memory, m.up(path)...)
			case m.has("cpu") && has(controllers, "cpu"):
				g.cpu = append(g.cpu, m.up(path)...)
			}
		}
	}
	return g
}

func has(list, name string) bool { return strings.Contains(","+list+",", ","+name+",") }

// mount is where a hierarchy of groups, or its part below root, is mounted.
type mount struct {
	root, point string
	v2          bool
	options     string // in version 1, they include the hierarchy's controllers
}

func (m *mount) has(controller string) bool { return has(m.options, controller) }

// mounts parses the hierarchies in mountinfo: "36 35 98:0 ROOT POINT rw - TYPE source OPTIONS".
func mounts(mountinfo, sys string) []mount {
	var all []mount
	for line := range strings.Lines(mountinfo) {
		place, kind, _ := strings.Cut(line, " - ")
		at, of := strings.Fields(place), strings.Fields(kind)
		if len(at) < 5 || len(of) < 3 || of[0] != "cgroup" && of[0] != "cgroup2" {
			continue
		}
		point := at[4]
		if rest, ok := strings.CutPrefix(point, "/sys/"); ok {
			point = filepath.Join(sys, rest)
		}
		all = append(all, mount{root: at[3], point: point, v2: of[0] == "cgroup2", options: of[2]})
	}
	return all
}

// up returns the folders of the group at path and of its parents, as far as they are mounted. A path that is not below the mount's
// root belongs to another namespace; then the mount point is the group.
func (m *mount) up(path string) []folder {
	rest, below := strings.CutPrefix(path, strings.TrimSuffix(m.root, "/"))
	if !below || strings.HasPrefix(rest, "/..") || rest != "" && rest[0] != '/' {
		rest = ""
	}
	var all []folder
	for rest = filepath.Join("/", rest); ; rest = filepath.Dir(rest) {
		all = append(all, folder{filepath.Join(m.point, rest), m.v2})
		if rest == "/" {
			return all
		}
	}
}

func read(path string) string {
	b, _ := os.ReadFile(path) // a group without the controller has no such file
	return string(b)
}

// number returns a whole number from a file of the group; false if there is none, such as for "max".
func (f folder) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSpace(read(filepath.Join(f.path, name))), 10, 64)
	return n, err == nil && n >= 0
}

// stat sums lines "KEY NUMBER" of a file of the group.
func (f folder) stat(name string, keys ...string) int64 {
	var sum int64
	for line := range strings.Lines(read(filepath.Join(f.path, name))) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		for _, k := range keys {
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && key == k {
				sum += n
			}
		}
	}
	return sum
}
