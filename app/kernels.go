package app

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"assay/shaders"
	"assay/shaders/catalog"
)

// KernelInfo describes one implementation of an operation, in all of its types, for people.
type KernelInfo struct {
	ID             string           `json:"id"` // unique: "matmul/tiled"
	Family         string           `json:"family"`
	Operation      string           `json:"operation"`
	Implementation string           `json:"implementation"`
	About          string           `json:"about"`             // one sentence
	Library        string           `json:"library,omitempty"` // the library that runs it; empty if it has a source
	Kernels        []KernelType     `json:"kernels"`           // one per element type
	Args           []KernelArg      `json:"arguments"`
	Params         []KernelParam    `json:"parameters"`
	Constants      []KernelConstant `json:"constants"`
	Tunables       []KernelTunable  `json:"tunables"`
	Launch         *KernelLaunch    `json:"launch,omitempty"` // nil: the library decides
	Cost           KernelCost       `json:"cost"`
	Files          []KernelFile     `json:"source,omitempty"` // the source, then the headers it includes; empty for a library
	Hash           string           `json:"source_hash,omitempty"`
}

// KernelType is an implementation in one element type.
type KernelType struct {
	Type  string `json:"type"`
	ID    string `json:"id"`              // "matmul/tiled/f16"
	Entry string `json:"entry"`           // the entry point in the source, unique among all kernels
	Needs string `json:"needs,omitempty"` // required device feature; empty: none
}

// KernelArg is one buffer of a kernel.
type KernelArg struct {
	Name   string `json:"name"`
	Access string `json:"access"`       // "in", "out" or "in and out"
	Type   string `json:"type"`         // all types of the kernel if it varies: "f32, f16"
	If     string `json:"if,omitempty"` // the constant that must be set for the argument to exist
}

// KernelParam is a field of the parameter struct.
type KernelParam struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// KernelConstant is a function constant, which changes what is computed: from 0, the default, to Max.
type KernelConstant struct {
	Name  string `json:"name"`
	Max   int32  `json:"max"`
	About string `json:"about"`
}

// KernelTunable is a setting that changes the speed and not the result.
type KernelTunable struct {
	Name    string  `json:"name"`
	Values  []int32 `json:"values"`
	Default int32   `json:"default"`
	About   string  `json:"about"`
}

// KernelLaunch is the largest launch of an operation's test cases, with default tunables and no device limits.
type KernelLaunch struct {
	Threads uint32 `json:"threads_per_threadgroup"`
	// Shared is the threadgroup memory set at launch, in bytes, without what the source declares.
	Shared int `json:"threadgroup_bytes"`
}

// KernelCost is the minimum work of the most expensive of an operation's test cases, in the first type.
type KernelCost struct {
	Params string  `json:"parameters"` // "m=64, n=64, k=32"
	Ops    float64 `json:"operations"`
	Bytes  float64 `json:"bytes"`
}

// KernelFile is one source file.
type KernelFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// KernelSupport says which kernels an engine runs.
type KernelSupport struct {
	Engine, Title string            // its name, and its title for people
	Refused       map[string]string // why it refuses, by KernelType.ID; it runs all others
}

// Kernels is the service that describes the kernels.
type Kernels struct{ session *Session }

// Kernels is the service that describes the kernels.
func (s *Session) Kernels() *Kernels { return &Kernels{s} }

// List lists the implementations of all operations, family by family.
func (k *Kernels) List() []KernelInfo {
	var list []KernelInfo
	for _, family := range catalog.Families() {
		for _, m := range family.Impls {
			list = append(list, kernelInfo(family.Title, m))
		}
	}
	return list
}

// Support reports what an engine, by name or "auto", runs; it opens the engine.
func (k *Kernels) Support(engine string) (KernelSupport, error) {
	found, err := k.session.engines.peek(engine)
	if err != nil {
		return KernelSupport{}, err
	}
	s := KernelSupport{Engine: found.spec.Name, Title: found.spec.Title, Refused: map[string]string{}}
	for _, kernel := range catalog.All() {
		if err := found.engine.Supports(kernel); err != nil {
			s.Refused[kernel.ID()] = reduced(err).Error()
		}
	}
	return s, nil
}

// Why says why the engine does not run an implementation, or some of its types; empty: it runs all of them.
func (s *KernelSupport) Why(k *KernelInfo) string {
	types := map[string][]string{} // by reason
	for _, t := range k.Kernels {
		if why := s.Refused[t.ID]; why != "" {
			types[why] = append(types[why], t.Type)
		}
	}
	var parts []string
	for _, why := range slices.Sorted(maps.Keys(types)) {
		if len(types[why]) == len(k.Kernels) {
			return why
		}
		parts = append(parts, strings.Join(types[why], ", ")+": "+why)
	}
	return strings.Join(parts, "; ")
}

// Runs lists the types in which the engine runs an implementation.
func (s *KernelSupport) Runs(k *KernelInfo) []string {
	var types []string
	for _, t := range k.Kernels {
		if s.Refused[t.ID] == "" {
			types = append(types, t.Type)
		}
	}
	return types
}

func kernelInfo(family string, m *shaders.Impl) KernelInfo {
	info := KernelInfo{
		ID: m.Op.Name + "/" + m.Name, Family: family, Operation: m.Op.Name, Implementation: m.Name, About: m.About,
		Library: m.Library.Title(), Args: kernelArgs(m), Params: kernelParams(m.Op.Params), Launch: kernelLaunch(m),
		Cost: kernelCost(m),
	}
	if info.About == "" {
		info.About = m.Op.About
	}
	for _, t := range m.Types {
		k := m.Kernel(t)
		info.Kernels = append(info.Kernels, KernelType{t.String(), k.ID(), k.Name, k.Needs().String()})
	}
	for _, c := range m.Constants {
		info.Constants = append(info.Constants, KernelConstant{c.Name, c.Max, c.About})
	}
	for _, t := range m.Tunables {
		info.Tunables = append(info.Tunables, KernelTunable{t.Name, slices.Clone(t.Values), t.Default, t.About})
	}
	if m.Library == shaders.Own {
		info.Hash = m.Source.Hash()
		for _, f := range m.Source.Files() {
			info.Files = append(info.Files, KernelFile(f))
		}
	}
	return info
}

// kernelArgs lists the arguments that an implementation may have; those that depend on a constant it lacks are omitted.
func kernelArgs(m *shaders.Impl) []KernelArg {
	access := map[shaders.Access]string{shaders.In: "in", shaders.Out: "out", shaders.InOut: "in and out"}
	var own []string
	for _, t := range m.Types {
		own = append(own, t.String())
	}
	var args []KernelArg
	for _, a := range m.Op.Args {
		if a.If != "" && !slices.ContainsFunc(m.Constants, func(c shaders.Constant) bool { return c.Name == a.If }) {
			continue
		}
		words := strings.Join(own, ", ")
		if a.Type != shaders.Var {
			words = a.Type.String()
		}
		if a.Half != "" {
			words += fmt.Sprintf(" (%v if %s)", shaders.F16, a.Half)
		}
		args = append(args, KernelArg{a.Name, access[a.Access], words, a.If})
	}
	return args
}

// kernelParams lists the fields of a parameter struct with their MSL names and types.
func kernelParams(zero any) []KernelParam {
	t := reflect.TypeOf(zero)
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	names := map[reflect.Kind]string{reflect.Uint32: "uint", reflect.Int32: "int", reflect.Float32: "float"}
	var params []KernelParam
	for i := range t.NumField() {
		f := t.Field(i)
		name := names[f.Type.Kind()]
		if name == "" {
			name = f.Type.String()
		}
		params = append(params, KernelParam{strings.ToLower(f.Name), name})
	}
	return params
}

// kernelLaunch returns the largest launch of an implementation's test cases; nil if a library decides.
func kernelLaunch(m *shaders.Impl) *KernelLaunch {
	if m.Launch == nil {
		return nil
	}
	var most KernelLaunch
	k := m.Kernel(m.Types[0])
	for _, c := range k.Cases() {
		with := k.With(c.Constants)
		l := m.Launch(with.Call(c.Params), shaders.Limits{})
		shared := 0
		for _, n := range l.Shared {
			shared += n
		}
		most.Threads = max(most.Threads, l.Threads[0]*l.Threads[1]*l.Threads[2])
		most.Shared = max(most.Shared, shared)
	}
	return &most
}

// kernelCost returns the cost of the most expensive test case.
func kernelCost(m *shaders.Impl) KernelCost {
	var worst KernelCost
	k := m.Kernel(m.Types[0])
	for _, c := range k.Cases() {
		with := k.With(c.Constants)
		if cost := with.Cost(c.Params); worst.Params == "" || cost.Bytes+cost.Ops > worst.Bytes+worst.Ops {
			worst = KernelCost{paramWords(c.Params), cost.Ops, cost.Bytes}
		}
	}
	return worst
}

// paramWords names the fields of a parameter struct with their values.
func paramWords(params any) string {
	v := reflect.ValueOf(params)
	if !v.IsValid() || v.Kind() != reflect.Struct {
		return ""
	}
	var words []string
	for i := range v.NumField() {
		words = append(words, fmt.Sprintf("%s=%v", strings.ToLower(v.Type().Field(i).Name), v.Field(i).Interface()))
	}
	return strings.Join(words, ", ")
}

// FindKernel finds an implementation by name: its ID, the ID of one of its kernels, an entry point, or an operation with a
// single implementation.
func FindKernel(list []KernelInfo, name string) (*KernelInfo, error) {
	var of []*KernelInfo
	for i := range list {
		k := &list[i]
		if k.ID == name || slices.ContainsFunc(k.Kernels, func(t KernelType) bool { return t.ID == name || t.Entry == name }) {
			return k, nil
		}
		if k.Operation == name {
			of = append(of, k)
		}
	}
	switch len(of) {
	case 0:
		return nil, fmt.Errorf("no kernel %q", name)
	case 1:
		return of[0], nil
	}
	var ids []string
	for _, k := range of {
		ids = append(ids, k.ID)
	}
	return nil, fmt.Errorf("operation %s has several implementations: %s", name, strings.Join(ids, ", "))
}
