package gpu

import "strings"

// PoolChoice is a value of a pool setting, with its texts.
type PoolChoice[T comparable] struct {
	Value T
	Name  string // on the command line and in events
	Words string // what it does, in a few words
	Title string // on a control; About is one sentence beside it
	About string
}

// PoolChoices are all values of a setting.
type PoolChoices[T comparable] []PoolChoice[T]

// Modes lists what buffers can hold when they are acquired, the fastest first.
func Modes() PoolChoices[Mode] {
	return PoolChoices[Mode]{
		{ModeDirty, "dirty", "not cleared", "Unchanged", "Leaves what the buffer held: fastest, and the default."},
		{ModeZero, "zero", "filled with zeros", "Zeroed", "Fills every buffer with zeros, which takes time."},
		{
			ModePoison, "poison", "filled with poison", "Poisoned",
			"Fills every buffer with NaN bytes, which exposes reads of unwritten memory. Takes time.",
		},
	}
}

// Policies lists the ways to round requests up to size classes.
func Policies() PoolChoices[Policy] {
	return PoolChoices[Policy]{
		{PolicyFine, "fine", "32 per power of two", "Fine", "Rounds up by 3 % at most from 512 B on; sizes that are close share buffers. The default."},
		{PolicyPow2, "pow2", "powers of two", "Powers of 2", "Rounds up to the next power of two: more reuse, up to half of a buffer wasted."},
		{PolicyExact, "exact", "no rounding", "Exact", "Wastes nothing; only a request of the same size reuses a buffer."},
	}
}

// Find returns the choice for a value; its name is "unknown" if there is no such value.
func (c PoolChoices[T]) Find(v T) (choice PoolChoice[T], ok bool) {
	for _, one := range c {
		if one.Value == v {
			return one, true
		}
	}
	return PoolChoice[T]{Value: v, Name: "unknown"}, false
}

// Named returns the value with that name.
func (c PoolChoices[T]) Named(name string) (v T, ok bool) {
	for _, one := range c {
		if one.Name == name {
			return one.Value, true
		}
	}
	return v, false
}

// Names lists the names: "dirty, zero or poison".
func (c PoolChoices[T]) Names() string {
	return c.list(func(one PoolChoice[T]) string { return one.Name })
}

// Described lists the names and what they do.
func (c PoolChoices[T]) Described() string {
	return c.list(func(one PoolChoice[T]) string { return one.Name + " (" + one.Words + ")" })
}

func (c PoolChoices[T]) list(text func(PoolChoice[T]) string) string {
	all := make([]string, len(c))
	for i := range c {
		all[i] = text(c[i])
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " or " + all[last]
}
