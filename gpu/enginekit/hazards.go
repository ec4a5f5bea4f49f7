package enginekit

// Use is a buffer that a command reads or writes; buffers are compared by identity.
type Use struct {
	Buffer any
	Write  bool
}

// Hazards finds which commands of a sequence must wait for earlier ones; the others may run concurrently. The zero Hazards is at
// the beginning of a sequence.
type Hazards struct {
	written map[any]bool // buffers used since the last wait, and whether they were written
}

// Wait reports whether a command must wait for all before it: it uses a buffer written since the last wait, or writes one used since
// then.
func (h *Hazards) Wait(uses []Use) bool {
	wait := h.conflict(uses)
	if h.written == nil || wait {
		h.written = map[any]bool{}
	}
	for _, u := range uses {
		h.written[u.Buffer] = h.written[u.Buffer] || u.Write
	}
	return wait
}

func (h *Hazards) conflict(uses []Use) bool {
	for _, u := range uses {
		if written, used := h.written[u.Buffer]; used && (written || u.Write) {
			return true
		}
	}
	return false
}
