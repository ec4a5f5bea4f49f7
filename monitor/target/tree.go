package target

import "slices"

// tree returns a process, first, and all its descendants. A child whose parent has ended then belongs to the system's first process:
// it still counts if it was a member before, or is in a process group that the root leads. The tree is empty if the root has ended.
func tree(root Process, before, all []Process) []Process {
	i := slices.IndexFunc(all, func(p Process) bool { return p.identity() == root.identity() && !p.ended })
	if i < 0 {
		return nil
	}
	children := map[int][]int{} // indices by parent
	for k := range all {
		children[all[k].Parent] = append(children[all[k].Parent], k)
	}
	known := make(map[identity]bool, len(before))
	for k := range before {
		known[before[k].identity()] = true
	}
	taken, out := make([]bool, len(all)), []Process{}
	take := func(k int) {
		for queue := []int{k}; len(queue) > 0; queue = queue[1:] {
			p := &all[queue[0]]
			if taken[queue[0]] || p.ended {
				continue
			}
			taken[queue[0]], out = true, append(out, *p)
			queue = append(queue, children[p.PID]...)
		}
	}
	take(i)
	for k := range all {
		if known[all[k].identity()] || all[k].Group == root.PID {
			take(k)
		}
	}
	return out
}
