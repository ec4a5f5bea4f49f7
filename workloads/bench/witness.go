package bench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"assay/gpu"
	"assay/shaders"
	"assay/workloads/measure"
)

// witnesses are words of the outputs of launches by which each sample is verified, outside its time. They are poisoned before the sample;
// after it they must hold what they held when all outputs were verified, or what the reference allows.
//
// Samples timed by the device follow each other without a pause, so the device poisons and copies the words in separate command buffers
// between samples. Samples timed by the host run alone, so the host does it.
type witnesses struct {
	work  *launches
	words map[int][]witness // by set
	// aside is where the device copies the words of a sample, at a place of each that may be in flight.
	aside   gpu.Buffer
	around  map[slot]*wrapped
	samples int
	ends    map[ending]*ends

	armed    []witness // of a sample that the host times
	armedFor ending
}

// witness is a word of an output.
type witness struct {
	launch gpu.Launch
	number int // of the launch in its set
	arg    int
	at     gpu.Binding // a multiple of gpu.CopyAlign in a buffer
	first  int         // byte of the output
	seen   []byte      // what it held when it was verified; the last word of an output may be shorter
	may    []shaders.Expected
	// repeats: the set works in place, so that only samples can be compared with each other (repeats.go).
	repeats bool
}

// How many words are known, at least one of each output, and how many of them are checked in a sample: samples of the same sets take
// different ones in turn.
const (
	knownWords = 16
	perSample  = 4
	places     = knownWords / perSample
)

// slot is a segment of the sets and which of their words are looked at.
type slot struct {
	at    segment
	place int
}

// wrapped is what the device does around a sample of a segment.
type wrapped struct {
	poison, copy gpu.Program
	words        []witness
	from         int // byte of aside
	slot         slot
}

func newWitnesses(work *launches) *witnesses {
	return &witnesses{work: work, words: map[int][]witness{}, around: map[slot]*wrapped{}, ends: map[ending]*ends{}}
}

// note takes words of the outputs of a launch that has just been verified for the first time. They are also compared with the reference,
// unless the set works in place.
func (w *witnesses) note(set, j int, d *gpu.Launch, views []shaders.View) (failure string, err error) {
	if w.work.verified > 0 {
		return "", nil
	}
	k, repeats := d.Kernel.Spec(), w.drifts(set)
	for _, arg := range k.Outputs() {
		if !w.lasts(set, j, arg) {
			continue
		}
		for _, word := range chosen(d, arg, views[arg], w.share(set), w.work.scope.bench.Seed+uint64(set)) {
			word.number = j
			if word.repeats = repeats; repeats {
				w.words[set] = append(w.words[set], word)
				continue
			}
			if failure, err = word.expect(views); failure != "" || err != nil {
				return failure, err
			}
			w.words[set] = append(w.words[set], word)
		}
	}
	return "", nil
}

// drifts reports whether repetitions continue with what earlier ones left, so that a sample has no reference.
func (w *witnesses) drifts(set int) bool {
	p := w.work.inPlace
	return p != nil && slices.ContainsFunc(p.sets[set], func(o operand) bool { return o.carried })
}

// lasts reports whether an output of a launch still holds what the launch wrote after the whole set has run.
func (w *witnesses) lasts(set, j, arg int) bool {
	all := w.work.sets[set]
	d := &all[j]
	if d.Bindings[arg].Buffer == nil {
		return false
	}
	if p := w.work.inPlace; p != nil && d.Kernel.Spec().Args[arg].Access == shaders.Out && slices.ContainsFunc(p.sets[set], func(o operand) bool { return o.launch == j && o.arg == arg }) {
		return false // it is in the memory of others
	}
	return !overwritten(all[j+1:], d.Bindings[arg], d.Kernel.Spec().Bytes(arg, d.Params))
}

// overwritten reports whether one of the launches writes to any of that many bytes.
func overwritten(later []gpu.Launch, at gpu.Binding, bytes int) bool {
	for i := range later {
		k := later[i].Kernel.Spec()
		for _, arg := range k.Outputs() {
			b := later[i].Bindings[arg]
			if b.Buffer == at.Buffer && b.Offset < at.Offset+aligned(bytes) && at.Offset < b.Offset+aligned(k.Bytes(arg, later[i].Params)) {
				return true
			}
		}
	}
	return false
}

// share returns how many words of each output of a set are known.
func (w *witnesses) share(set int) int {
	outputs := 0
	for _, d := range w.work.sets[set] {
		outputs += len(d.Kernel.Spec().Outputs())
	}
	return max(1, knownWords/max(1, outputs*len(w.work.sets)))
}

// chosen returns words of an output: the first, the last, and others chosen by seed.
func chosen(d *gpu.Launch, arg int, v shaders.View, n int, seed uint64) []witness {
	size := d.Kernel.Spec().Bytes(arg, d.Params)
	words := (size + gpu.CopyAlign - 1) / gpu.CopyAlign
	if words == 0 {
		return nil
	}
	r := rand.New(rand.NewPCG(seed, uint64(size)))
	picked := []int{0, words - 1}
	for len(picked) < n {
		picked = append(picked, r.IntN(words))
	}
	if n == 1 {
		picked = []int{r.IntN(words)}
	}
	slices.Sort(picked)
	var out []witness
	for _, at := range slices.Compact(picked) {
		first := at * gpu.CopyAlign
		to := gpu.Binding{Buffer: d.Bindings[arg].Buffer, Offset: d.Bindings[arg].Offset + first}
		out = append(out, witness{launch: *d, arg: arg, at: to, first: first, seen: bytes.Clone(v.Data[first:min(size, first+gpu.CopyAlign)])})
	}
	return out
}

func (x *witness) kind() shaders.Type { return x.launch.Kernel.Spec().Args[x.arg].Type }

// expect finds what the elements of a float output may hold, and reports one that does not. Integers are compared bit by bit.
func (x *witness) expect(views []shaders.View) (failure string, err error) {
	if !x.kind().Float() {
		return "", nil
	}
	size := x.kind().Bytes(1)
	var elements []int
	for i := x.first / size; (i+1)*size <= x.first+len(x.seen); i++ {
		elements = append(elements, i)
	}
	if x.may, err = x.launch.Kernel.Spec().Expect(x.launch.Params, views, x.arg, elements); err != nil {
		return "", err
	}
	return x.differs(x.seen), nil
}

// poison returns a byte with which no unwritten word can pass for the right one.
func (x *witness) poison() byte { return poisonFor(x.seen) }

func poisonFor(right []byte) byte {
	if bytes.Count(right, []byte{gpu.PoisonByte}) == len(right) {
		return ^byte(gpu.PoisonByte)
	}
	return gpu.PoisonByte
}

// compare says what is wrong with what a sample left; empty: nothing is.
func (x *witness) compare(got []byte) string {
	switch {
	case bytes.Equal(got, x.seen):
		return ""
	case bytes.Count(got, []byte{x.poison()}) == len(got):
		return fmt.Sprintf("kernel %s: byte %d of %s was not written", x.launch.Kernel.Spec().Name, x.first, x.name())
	case !x.kind().Float():
		return fmt.Sprintf("kernel %s: byte %d of %s is no longer as verified: % x, was % x", x.launch.Kernel.Spec().Name, x.first, x.name(), got, x.seen)
	}
	return x.differs(got)
}

func (x *witness) name() string { return x.launch.Kernel.Spec().Args[x.arg].Name }

// differs names the first element that does not hold an allowed value. Intermediate values of a chain may be rounded differently from one
// run to the next, so twice the tolerance is allowed.
func (x *witness) differs(got []byte) string {
	v := shaders.View{Type: x.kind(), Data: got}
	for i, e := range x.may {
		e.Within *= 2
		if value := v.At(i); !e.Is(value) {
			return fmt.Sprintf("kernel %s: %s[%d] is %g, want %g ± %.3g", x.launch.Kernel.Spec().Name, x.name(), x.first/x.kind().Bytes(1)+i, value, e.Want, e.Within)
		}
	}
	return ""
}

// of returns the words of a segment that are checked.
func (w *witnesses) of(s slot) []witness {
	var all []witness
	for i := range s.at.count {
		all = append(all, w.words[(s.at.first+i)%len(w.work.sets)]...)
	}
	n, place := len(all), s.place
	if n <= perSample {
		return all
	}
	if all[0].repeats { // samples are compared with each other
		place = 0
	}
	out := make([]witness, perSample)
	for i := range out { // evenly spaced, others at each place
		out[i] = all[(i*n/perSample+place*max(1, n/knownWords))%n]
	}
	return out
}

// next returns the segment that is sampled next, and which of its words are checked.
func (w *witnesses) next(at segment) slot {
	w.samples++
	if at.count < len(w.work.sets) {
		return slot{at, 0}
	}
	return slot{at, w.samples % places}
}

// noWait is the wait for nothing.
func noWait() error { return nil }

// begin makes the device poison the words of the next sample, and returns a function that has them copied once the sample is submitted.
func (w *witnesses) begin(ctx context.Context, at segment, reps int) (end func() (look func() error, err error), err error) {
	x, err := w.wrap(w.next(at))
	if err != nil || x == nil {
		return func() (func() error, error) { return noWait, nil }, err
	}
	poisoned := func() (gpu.Timing, error) { return gpu.Timing{}, nil }
	if x.poison != nil {
		if poisoned, err = w.work.submit(ctx, x.poison, 1); err != nil {
			return nil, fmt.Errorf("poison outputs: %w", err)
		}
	}
	return func() (func() error, error) {
		copied, err := w.work.submit(ctx, x.copy, 1)
		if err != nil {
			_, _ = poisoned() // it holds buffers until it has ended
			return noWait, fmt.Errorf("look at outputs: %w", err)
		}
		return func() error {
			_, err := poisoned()
			_, failed := copied()
			if err = cmp.Or(err, failed); err != nil {
				return fmt.Errorf("look at outputs: %w", err)
			}
			return w.look(x, reps)
		}, nil
	}, nil
}

// wrap returns what the device does around samples of a slot; nil: nothing is checked.
func (w *witnesses) wrap(s slot) (*wrapped, error) {
	if x, ok := w.around[s]; ok {
		return x, nil
	}
	words := w.of(s)
	if len(words) == 0 {
		w.around[s] = nil
		return nil, nil
	}
	if err := w.open(); err != nil {
		return nil, err
	}
	x := &wrapped{words: words, from: w.from(s), slot: s}
	var fills, copies []gpu.Command
	for i := range words {
		word := &words[i]
		to := gpu.Binding{Buffer: w.aside, Offset: x.from + i*gpu.CopyAlign}
		if !word.repeats {
			fills = append(fills, gpu.Fill{To: word.at, Bytes: gpu.CopyAlign, Value: word.poison()})
		}
		copies = append(copies, gpu.Copy{From: word.at, To: to, Bytes: gpu.CopyAlign})
	}
	var failed error
	var err error
	if len(fills) > 0 {
		x.poison, failed = w.work.scope.prepare(fills...)
	}
	x.copy, err = w.work.scope.prepare(copies...)
	if err = errors.Join(failed, err); err != nil {
		return nil, fmt.Errorf("look at outputs: %w", err)
	}
	w.around[s] = x
	return x, nil
}

// open allocates the memory that words are copied to.
func (w *witnesses) open() (err error) {
	if w.aside == nil {
		w.aside, err = w.work.scope.Stored(gpu.Shared, w.room(), "words of outputs")
	}
	return err
}

// from returns where the words of a slot are copied to. The last segment of a round may begin beyond its sets, but not by as many again.
func (w *witnesses) from(s slot) int { return (s.at.first + s.place) * perSample * gpu.CopyAlign }

func (w *witnesses) room() int { return (2*len(w.work.sets) + places) * perSample * gpu.CopyAlign }

// look compares the words that a sample left.
func (w *witnesses) look(x *wrapped, reps int) error {
	all, err := contents(gpu.Binding{Buffer: w.aside, Offset: x.from}, len(x.words)*gpu.CopyAlign)
	if err != nil {
		return fmt.Errorf("look at outputs: %w", err)
	}
	return w.compare(ending{x.slot, reps}, x.words, func(i int, got []byte) error {
		copy(got, all[i*gpu.CopyAlign:])
		return nil
	})
}

// compare compares the words that a sample left, which get reads.
func (w *witnesses) compare(e ending, words []witness, get func(i int, got []byte) error) error {
	var again []byte
	for i := range words {
		var word [gpu.CopyAlign]byte
		x, got := &words[i], word[:len(words[i].seen)]
		if err := get(i, got); err != nil {
			return fmt.Errorf("look at outputs: %w", err)
		}
		if x.repeats {
			again = append(again, got...)
		} else if failure := x.compare(got); failure != "" {
			return fmt.Errorf("%w: %s", measure.ErrOutput, failure)
		}
	}
	if len(again) == 0 {
		return nil
	}
	return w.repeat(e, words, again)
}
