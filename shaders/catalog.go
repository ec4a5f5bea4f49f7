package shaders

import (
	"fmt"
	"slices"
	"strings"
)

// Pick selects a kernel. An empty Impl means the operation's first built-in implementation of that type; Catalog.Choose uses one
// that suits a call and a device.
type Pick struct {
	Op, Impl string
	Type     Type
	// Tuned makes Catalog.Choose use the tunables that the operation prefers for a call and a device even if Impl is named.
	Tuned bool
}

// Catalog is a set of kernels, built once and never changed: every implementation in each of its types, without
// constants.
type Catalog struct {
	kernels []Kernel
	byName  map[string]int
	byPick  map[Pick]int
	byOp    map[string][]int
}

// NewCatalog lists the kernels of families. It is an error if two kernels have the same name.
func NewCatalog(families ...[]*Impl) (*Catalog, error) {
	c := &Catalog{byName: map[string]int{}, byPick: map[Pick]int{}, byOp: map[string][]int{}}
	for _, m := range slices.Concat(families...) {
		for _, t := range m.Types {
			if err := c.add(m.Kernel(t)); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

func (c *Catalog) add(k Kernel) error {
	at, op := len(c.kernels), k.Impl.Op.Name
	pick := Pick{Op: op, Impl: k.Impl.Name, Type: k.Type}
	if _, known := c.byName[k.Name]; known {
		return fmt.Errorf("shaders: two kernels are called %s", k.Name)
	}
	if _, known := c.byPick[pick]; known {
		return fmt.Errorf("shaders: two kernels are %s", k.ID())
	}
	c.kernels = append(c.kernels, k)
	c.byName[k.Name], c.byPick[pick] = at, at
	c.byOp[op] = append(c.byOp[op], at)
	if first := (Pick{Op: op, Type: k.Type}); k.Impl.Library == Own {
		if _, known := c.byPick[first]; !known {
			c.byPick[first] = at
		}
	}
	return nil
}

// All lists the kernels in the order of their families.
func (c *Catalog) All() []Kernel { return slices.Clone(c.kernels) }

// Op lists the kernels of an operation.
func (c *Catalog) Op(name string) []Kernel {
	var all []Kernel
	for _, at := range c.byOp[name] {
		all = append(all, c.kernels[at])
	}
	return all
}

// Find returns the kernel with that name.
func (c *Catalog) Find(name string) (Kernel, bool) {
	at, ok := c.byName[name]
	if !ok {
		return Kernel{}, false
	}
	return c.kernels[at], true
}

// Pick returns the kernel that p selects, or an error that says what exists.
func (c *Catalog) Pick(p Pick) (Kernel, error) {
	p.Tuned = false // it depends on a call
	if at, ok := c.byPick[p]; ok {
		return c.kernels[at], nil
	}
	all := c.Op(p.Op)
	if len(all) == 0 {
		return Kernel{}, fmt.Errorf("no operation %q", p.Op)
	}
	var types, impls []string // the types that have this implementation, and the other implementations in this type
	library := ""
	for _, k := range all {
		if k.Impl.Name == p.Impl {
			types, library = append(types, k.Type.String()), k.Impl.Library.Short()
		}
		if k.Type == p.Type {
			impls = append(impls, k.Impl.Name)
		}
	}
	if library != "" {
		return Kernel{}, fmt.Errorf("%s has no %s in %v%s", library, p.Op, p.Type, others("; it has one in ", types))
	}
	return Kernel{}, fmt.Errorf("operation %s has no implementation %q in %v%s%s", p.Op, p.Impl, p.Type, others("; it is in ", types), others("; those in this type are ", impls))
}

// others completes an error with what exists; empty: nothing.
func others(before string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	return before + strings.Join(names, ", ")
}
