package bench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"assay/gpu"
	"assay/internal/meant"
	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
)

// Tunables is the name of the parameter that WithTunables adds.
const Tunables = "tunables"

// WithTunables adds to a workload, whose kernels are of the given operations, a parameter that sets their tunables, which otherwise have
// the values preferred for the device: "groups=4" for every kernel with that tunable, or "matmul/gemv.groups=4" for one.
// What a variant sets itself, such as its tile, stays. The example, which takes effect in a usual run, shows users how.
func WithTunables(w workloads.Workload, example string, ops ...string) workloads.Workload {
	valid := w.Valid
	w.Valid = func(v workloads.Values) error {
		if err := checkTunables(v, ops); err != nil || valid == nil {
			return err
		}
		return valid(v)
	}
	w.Params = append(slices.Clip(w.Params), tunablesParam(example, tunableImpls(ops)))
	return w
}

func tunablesParam(example string, impls []*shaders.Impl) workloads.Param {
	return workloads.Param{
		Name: Tunables, Title: "Tunables", Type: workloads.Text, Role: workloads.RoleCase, Default: "", Names: tunableNames(impls),
		About: "Values for tunables of the kernels, such as “" + example + "”; empty: those preferred for the device.",
	}
}

// tunableNames lists the tunables that any of the implementations has.
func tunableNames(impls []*shaders.Impl) (names []string) {
	for _, m := range impls {
		for _, u := range m.Tunables {
			names = append(names, u.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tunable is one value that the user set.
type tunable struct {
	kernel string // as in "matmul/gemv"; empty: every kernel that has it
	name   string
	value  int32
	used   bool // by a kernel of the run
}

func (t *tunable) String() string {
	if t.kernel != "" {
		return fmt.Sprintf("%s.%s=%d", t.kernel, t.name, t.value)
	}
	return fmt.Sprintf("%s=%d", t.name, t.value)
}

// of reports whether t is about an implementation, with the tunable.
func (t *tunable) of(m *shaders.Impl) (shaders.Tunable, bool) {
	i := slices.IndexFunc(m.Tunables, func(u shaders.Tunable) bool { return u.Name == t.name })
	if i < 0 || t.kernel != "" && t.kernel != m.Op.Name+"/"+m.Name {
		return shaders.Tunable{}, false
	}
	return m.Tunables[i], true
}

// parseTunables parses a list of NAME=VALUE or KERNEL.NAME=VALUE, separated by commas.
func parseTunables(text string) ([]tunable, error) {
	var list []tunable
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, number, found := strings.Cut(part, "=")
		value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 32)
		switch {
		case !found || name == "":
			return nil, fmt.Errorf("%q: want NAME=NUMBER", part)
		case err != nil:
			return nil, fmt.Errorf("%s is %q, want a whole number", name, number)
		}
		t := tunable{name: strings.TrimSpace(name), value: int32(value)}
		if dot := strings.LastIndexByte(t.name, '.'); dot >= 0 {
			t.kernel, t.name = t.name[:dot], t.name[dot+1:]
		}
		if slices.ContainsFunc(list, func(u tunable) bool { return u.name == t.name && u.kernel == t.kernel }) {
			return nil, fmt.Errorf("%q: %s is set twice", part, t.name)
		}
		list = append(list, t)
	}
	return list, nil
}

// checkTunables rejects tunables and values that no kernel of the operations has.
func checkTunables(v workloads.Values, ops []string) error {
	list, err := parseTunables(v.String(Tunables))
	if err != nil {
		return workloads.NewParamError([]string{Tunables}, "{"+Tunables+"}: %s", err.Error())
	}
	impls := tunableImpls(ops)
	for i := range list {
		if err := list[i].check(impls); err != nil {
			return workloads.NewParamError([]string{Tunables}, "{"+Tunables+"}: %s", err.Error())
		}
	}
	return nil
}

// tunableImpls lists the implementations of operations that have tunables.
func tunableImpls(ops []string) (list []*shaders.Impl) {
	for _, op := range ops {
		for _, k := range catalog.Default().Op(op) {
			if len(k.Impl.Tunables) > 0 && !slices.Contains(list, k.Impl) {
				list = append(list, k.Impl)
			}
		}
	}
	return list
}

// check returns an error if none of the implementations has the tunable with that value.
func (t *tunable) check(impls []*shaders.Impl) error {
	var values []int32
	names := tunableNames(impls)
	for _, m := range impls {
		if u, has := t.of(m); has {
			values = append(values, u.Values...)
		}
	}
	slices.Sort(values)
	values = slices.Compact(values)
	switch {
	case len(values) == 0 && t.kernel != "" && slices.Contains(names, t.name):
		return fmt.Errorf("no kernel %q of this workload has a tunable %q", t.kernel, t.name)
	case len(values) == 0:
		return fmt.Errorf("no kernel of this workload has a tunable %q%s; its kernels have %s", t.name, meant.Hint(t.name, names), strings.Join(names, ", "))
	case !slices.Contains(values, t.value):
		return fmt.Errorf("%s is %d, want %s", t.name, t.value, shaders.Choices(values))
	}
	return nil
}

// tunablesOf returns the tunables that a run's values set; none if the workload has no such parameter or they are invalid.
func tunablesOf(v workloads.Values) []tunable {
	text, _ := v[Tunables].(string)
	list, err := parseTunables(text)
	if err != nil {
		return nil // checkTunables has refused them
	}
	return list
}

// setting returns the value that the run sets for a tunable of an implementation, the one for this kernel before the one for all; nil:
// none.
func (b *Bench) setting(m *shaders.Impl, name string) *tunable {
	var found *tunable
	for i := range b.tunables {
		t := &b.tunables[i]
		if _, has := t.of(m); has && t.name == name && (found == nil || t.kernel != "") {
			found = t
		}
	}
	return found
}

// adjusted returns a kernel with the run's tunables that it has and that with, what the variant itself sets, leaves open. It says
// which; an empty text means none. A value that only other kernels have is ErrUnsupported.
func (b *Bench) adjusted(k shaders.Kernel, with shaders.Constants, params any) (shaders.Kernel, string, error) {
	set, text := shaders.Constants{}, []string{}
	maps.Copy(set, k.Constants())
	for _, u := range k.Impl.Tunables {
		t := b.setting(k.Impl, u.Name)
		if _, fixed := with[u.Name]; t == nil || fixed {
			continue
		}
		if !slices.Contains(u.Values, t.value) {
			return k, "", gpu.Errorf(gpu.ErrUnsupported, "dispatch", k.Name, "%s is %d, want %s", t.name, t.value, shaders.Choices(u.Values))
		}
		set[t.name], t.used = t.value, true
		text = append(text, fmt.Sprintf("%s=%d", t.name, t.value))
	}
	if len(text) == 0 {
		return k, "", nil
	}
	k = k.With(set)
	if err := k.Check(params); err != nil {
		return k, "", gpu.Errorf(gpu.ErrUnsupported, "dispatch", k.Name, "%w", err)
	}
	return k, strings.Join(text, ", ") + " as set", nil
}

// noteIdle reports tunables that the run sets and that no kernel used. With results of an earlier run, kernels may have used them there.
func (b *Bench) noteIdle() {
	idle := b.tunablesThat(func(t *tunable) bool { return !t.used })
	if idle == "" || b.Earlier != nil || len(b.results) == 0 {
		return
	}
	b.Find(workloads.NotedOfRun("No kernel that was measured uses " + idle))
}

// adjustment says in a sentence which tunables the run sets that a kernel used: "threads=128"; empty: none.
func (b *Bench) adjustment() string { return b.tunablesThat(func(t *tunable) bool { return t.used }) }

func (b *Bench) tunablesThat(have func(*tunable) bool) string {
	var all []string
	for i := range b.tunables {
		if t := &b.tunables[i]; have(t) {
			all = append(all, t.String())
		}
	}
	return strings.Join(all, ", ")
}
