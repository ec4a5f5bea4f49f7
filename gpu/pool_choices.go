package gpu

import "strings"

// PoolChoice is a value of a pool's setting, and its words.
type PoolChoice[T comparable] struct {
	Value T
	Name  string // on the command line and in events
	Words string // what it does, in a few words
	Title string // on a control; About is one sentence beside it
	About string
}

// PoolChoices are all values of a setting.
type PoolChoices[T comparable] []PoolChoice[T]

// Modes are what buffers can hold when they are acquired; the fastest is first.
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

// Policies are the ways to round requests up to size classes.
func Policies() PoolChoices[Policy] {
	return PoolChoices[Policy]{
		{Value: PolicyFine, Name: "fine", Words: "32 per power of two"},
		{Value: PolicyPow2, Name: "pow2", Words: "powers of two"},
		{Value: PolicyExact, Name: "exact", Words: "no rounding"},
	}
}

// Find is what is said of a value; its name is "unknown" where there is no such value.
func (c PoolChoices[T]) Find(v T) (choice PoolChoice[T], ok bool) {
	for _, one := range c {
		if one.Value == v {
			return one, true
		}
	}
	return PoolChoice[T]{Value: v, Name: "unknown"}, false
}

// Named is the value of that name.
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

// Described lists the names with what they do.
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
