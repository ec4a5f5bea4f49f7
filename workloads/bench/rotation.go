package bench

import (
	"errors"
	"fmt"
	"slices"

	"assay/gpu"
	"assay/internal/si"
	"assay/workloads"
)

// Where operands are when a repetition reads them: the values of OperandsParam and of its axis.
const (
	FromMemory = "memory" // not cached: each repetition uses other operands
	FromCache  = "cache"  // as warm as the previous repetition left them
)

// OperandsParam chooses where operands are read from. Its axis is OperandsAxis.
func OperandsParam(byDefault string) workloads.Param {
	return workloads.Param{
		Name: "operands", Title: "Operands", Type: workloads.Choice, Role: workloads.RoleCase, Default: byDefault,
		Choices: []workloads.Option{
			{Value: FromMemory, Title: "From memory", About: "Repetitions rotate through more memory than the last-level cache holds."},
			{Value: FromCache, Title: "In cache", About: "Each repetition reads the same operands."},
		},
		About: "Where operands are read from: memory (rotating through more than the cache holds) or cache.",
	}
}

// OperandsAxis is the axis of OperandsParam. If a workload has the axis but no such parameter, the bench sets it: memory if a
// repetition, or a round, reads at least twice the size of the last-level cache.
func OperandsAxis() workloads.Axis { return workloads.Axis{Name: "operands", Title: "Operands"} }

// FoundOperands is the same axis for workloads where nobody chooses the place: the bench sets it from the bytes that a round reads and writes.
func FoundOperands() workloads.Axis {
	axis := OperandsAxis()
	axis.Measured = true
	return axis
}

// OperandsSuffix returns the suffix of a case's name if its operands are not read from the default place.
func OperandsSuffix(operands, byDefault string) string {
	switch operands {
	case byDefault:
		return ""
	case FromMemory:
		return ", from memory"
	}
	return ", in cache"
}

// How much memory a variant rotates through: a multiple of the last-level cache, so that little of a set is still
// cached when it is used again, but only part of the working set, since all variants of a case are live at once.
const (
	rotateCaches = 2
	rotatePart   = 32
	unknownCache = 128 << 20 // assumed if the device does not report its cache: larger than any Apple system cache
	noCache      = 1 << 10   // assumed for a simulated device, which is slow and whose times are not a device's
)

// Rotation is the number of operand sets that repetitions rotate through.
type Rotation struct {
	Sets int
	// Note says why operands may be cached although memory was requested; empty: they are not cached.
	Note string
}

// Notes lists the note, if there is one.
func (r Rotation) Notes() []workloads.Warning {
	if r.Note == "" {
		return nil
	}
	return []workloads.Warning{{Kind: workloads.MaybeCached, Text: r.Note}}
}

// Rotation returns the number of sets of the given size needed to read operands from the requested place, at most maxSets.
func (s *Scope) Rotation(operands string, bytes int64, maxSets int) Rotation {
	if operands != FromMemory || bytes <= 0 {
		return Rotation{Sets: 1}
	}
	return rotation(s.bench.Engine.Info(), bytes, maxSets)
}

// cacheOf returns the assumed size of a device's last-level cache, in bytes.
func cacheOf(info gpu.Info) int64 {
	switch {
	case info.LastLevelCache > 0:
		return info.LastLevelCache
	case info.Simulated:
		return noCache
	}
	return unknownCache
}

// reader is Work that knows its operand footprint in bytes.
type reader interface{ footprint() int64 }

func footprintOf(w Work) int64 {
	if r, ok := w.(reader); ok {
		return r.footprint()
	}
	return 0
}

// operands returns the settings of a case and a variant. It adds the place that operands are read from if the workload has that
// axis and the settings lack it.
func (b *Bench) operands(w Work, settings []workloads.Setting) []workloads.Setting {
	axis := OperandsAxis().Name
	from := readFrom(b.Engine.Info(), footprintOf(w))
	said := slices.ContainsFunc(settings, func(s workloads.Setting) bool { return s.Name == axis })
	if from == "" || said || b.Workload.Axis(axis).Name == "" {
		return settings
	}
	return append(settings, workloads.Setting{Name: axis, Value: from})
}

// readFrom returns where work that cycles through that many bytes finds them; empty if that is not known, as on a device that
// does not report its cache, or if part of them may be in the cache.
func readFrom(info gpu.Info, bytes int64) string {
	cache, known := cacheOf(info), info.LastLevelCache > 0 || info.Simulated
	switch {
	case bytes == 0 || !known:
		return ""
	case bytes >= rotateCaches*cache:
		return FromMemory
	case bytes <= cache:
		return FromCache
	}
	return ""
}

func rotation(info gpu.Info, bytes int64, maxSets int) Rotation {
	cache := cacheOf(info)
	limit := int64(maxSets)
	if info.WorkingSet > 0 {
		limit = min(limit, info.WorkingSet/rotatePart/bytes)
	}
	wanted := (rotateCaches*cache + bytes - 1) / bytes
	r := Rotation{Sets: int(max(1, min(wanted, limit)))}
	if held := int64(r.Sets) * bytes; held <= cache {
		r.Note = fmt.Sprintf("operands may be in the cache: repetitions rotate through %s, the last-level cache holds %s",
			si.Bytes(float64(held)), si.Bytes(float64(cache)))
	}
	return r
}

// setAlign is the alignment of a set's operands within a buffer, in bytes: enough for every engine.
const setAlign = 256

// Ring is a buffer with the operands of several sets, back to back. Nothing may write to a ring of copies.
type Ring struct {
	gpu.Buffer
	Sets   int
	stride int // bytes from one set to the next
}

func newRing(b gpu.Buffer, bytes, sets int) Ring {
	return Ring{b, sets, (bytes + setAlign - 1) / setAlign * setAlign}
}

// Copies returns a ring of copies of the first bytes of b.
//
//go:noinline
func (s *Scope) Copies(b gpu.Buffer, bytes, sets int, label string) (Ring, error) {
	if sets == 1 {
		return newRing(b, bytes, 1), nil
	}
	r, err := s.Outputs(bytes, sets, label)
	if err != nil {
		return r, err
	}
	data := b.Bytes()
	if data == nil {
		data = make([]byte, bytes)
		if err := b.Read(0, data); err != nil {
			return r, err
		}
	}
	for i := range sets {
		if err := errors.Join(s.ctx.Err(), r.Write(i*r.stride, data[:bytes])); err != nil {
			return r, err
		}
	}
	return r, nil
}

// Outputs returns a ring of uninitialized sets of the given size.
//
//go:noinline
func (s *Scope) Outputs(bytes, sets int, label string) (Ring, error) {
	r := newRing(nil, bytes, sets)
	var err error
	r.Buffer, err = s.bytes(r.stride*(sets-1)+max(bytes, 1), label)
	return r, err
}

// Rotate returns one dispatch for each set of the rings bound to d; its other bindings are the same in all of them.
func Rotate(d gpu.Launch, rings ...Ring) [][]gpu.Launch {
	sets := make([][]gpu.Launch, rings[0].Sets)
	for i := range sets {
		at := d
		at.Bindings = slices.Clone(d.Bindings)
		for k := range at.Bindings {
			for _, r := range rings {
				if b := &at.Bindings[k]; b.Buffer == r.Buffer {
					b.Offset = i * r.stride
				}
			}
		}
		sets[i] = []gpu.Launch{at}
	}
	return sets
}
