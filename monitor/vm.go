package monitor

import "errors"

// vmPages are the memory counters of macOS's kernel, in pages of pageSize bytes.
type vmPages struct {
	pageSize   uint64
	internal   uint64 // anonymous: of programs
	purgeable  uint64 // of those, pages that may be discarded
	wired      uint64
	compressor uint64 // used by the compressor, not the size of its content
}

// used returns the memory in use in bytes, as Activity Monitor counts it: of programs, wired, and compressed. Cached files do not
// count.
func (p vmPages) used() (uint64, error) {
	if p.pageSize == 0 || p.internal+p.wired == 0 {
		return 0, errors.New("host_statistics64 reports no memory")
	}
	program := p.internal - min(p.purgeable, p.internal)
	return (program + p.wired + p.compressor) * p.pageSize, nil
}

// compressed is the memory that the compressor uses, in bytes.
func (p vmPages) compressed() uint64 { return p.compressor * p.pageSize }
