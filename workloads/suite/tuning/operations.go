package tuning

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"assay/shaders"
	"assay/shaders/attention"
	"assay/shaders/catalog"
	"assay/workloads"
)

// Names of the parameters that are sizes.
const (
	rows     = "rows"
	columns  = "columns"
	inner    = "inner"
	elements = "elements"
	block    = "block"
	parts    = "slices"
	heads    = "heads"
	queries  = "queries"
	keys     = "keys"
	head     = "head_size"
)

// size is a size that the user may choose.
type size struct {
	name, title, unit, about string
	least, most, value       int
	words                    string // as part of the shape; empty: it is a side of a matrix
}

// said formats a value in the shape: "8 heads", "heads of 64".
func (s *size) said(n int) string {
	if noun, counted := strings.CutPrefix(s.words, "%d "); counted {
		return workloads.WithUnit(strconv.Itoa(n), noun)
	}
	return fmt.Sprintf(s.words, n)
}

// sizes lists them, in the order of the form.
func sizes() []size {
	return []size{
		{rows, "Rows", "rows", "Rows of the output.", 1, 1 << 20, 512, ""},
		{columns, "Columns", "columns", "Columns of the output, or of a matrix that is processed by rows.", 1, 1 << 20, 512, ""},
		{inner, "Inner size", "elements", "Products summed for each element of a matrix product.", 1, 1 << 20, 512, ""},
		{block, "Block", "elements", "Weights of a row that share a scale; 0: the whole row.", 0, 1 << 20, 32, "blocks of %d"},
		{elements, "Elements", "elements", "Elements of an array.", 1, 1 << 28, 1_000_000, "%d elements"},
		{parts, "Slices", "slices", "Parts of an array, each reduced to one result.", 1, 1 << 20, 256, "%d slices"},
		{heads, "Heads", "heads", "Attention heads, for queries and keys alike.", 1, 1024, 8, "%d heads"},
		{queries, "Queries", "queries", "Attention queries; 1: as when a model generates one token.", 1, 1 << 16, 512, "%d queries"},
		{keys, "Keys", "keys", "Attention keys.", 1, 1 << 20, 512, "%d keys"},
		{head, "Head size", "elements", "Elements of a query, a key and a value of one head.", 1, attention.MaxDim, 64, "heads of %d"},
	}
}

// field is how a field of a parameter struct is set: to a size that the user chooses, or to a default.
type field struct {
	size  string
	usual float64
}

// form is how parameter structs with a certain marker field are set.
type form struct {
	marker string
	fields map[string]field
	// constants maps function constants that workloads set for such operations to the size that they are set to.
	constants map[string]string
}

// forms lists the forms; the first one whose marker field is in the struct applies.
func forms() []form {
	product := map[string]field{"M": {size: rows}, "N": {size: columns}, "K": {size: inner}, "Batch": {usual: 1}, "Block": {size: block}}
	return []form{
		{"Queries", map[string]field{"Heads": {size: heads}, "KVHeads": {size: heads}, "Queries": {size: queries}, "Keys": {size: keys}, "Dim": {size: head}}, map[string]string{attention.HeadDim: head}},
		{"M", product, nil},
		{"Parts", map[string]field{"N": {size: elements}, "Parts": {size: parts}}, nil},
		{"Rows", map[string]field{"Rows": {size: rows}, "Cols": {size: columns}, "Eps": {usual: 1e-5}, "Block": {size: block}}, nil},
		{"N", map[string]field{"N": {size: elements}, "S": {usual: 1.5}}, nil},
	}
}

// formOf returns the form of a parameter struct; false if it has a field that no form sets.
func formOf(params any) (form, bool) {
	t := reflect.TypeOf(params)
	for _, f := range forms() {
		if _, is := t.FieldByName(f.marker); !is {
			continue
		}
		all := map[string]field{}
		for i := range t.NumField() {
			name := t.Field(i).Name
			set, known := f.fields[name]
			if !known {
				return f, false
			}
			all[name] = set
		}
		f.fields = all
		return f, true
	}
	return form{}, false
}

// operation is one whose implementations and tunables offer a choice.
type operation struct {
	*shaders.Op
	form
	impls []*shaders.Impl
}

// operations lists the catalog's operations that can be tuned: on arrays of random numbers, by sizes alone.
func operations() []operation {
	var list []operation
	for _, k := range catalog.All() {
		at := slices.IndexFunc(list, func(o operation) bool { return o.Op == k.Impl.Op })
		if at < 0 {
			f, known := formOf(k.Impl.Op.Params)
			if !known || !onNumbers(&k) {
				continue
			}
			at = len(list)
			list = append(list, operation{Op: k.Impl.Op, form: f})
		}
		if o := &list[at]; !slices.Contains(o.impls, k.Impl) {
			o.impls = append(o.impls, k.Impl)
		}
	}
	return slices.DeleteFunc(list, func(o operation) bool { return len(candidates(o.impls, false)) < 2 })
}

// onNumbers reports whether all inputs of a kernel can be random numbers, including codes of weights: no indices.
func onNumbers(k *shaders.Kernel) bool {
	return !slices.ContainsFunc(k.Args, func(a shaders.Arg) bool {
		return a.If == "" && a.Access != shaders.Out && (a.Type == shaders.I32 || a.Type == shaders.U32)
	})
}

func operationNamed(name string) operation {
	all := operations()
	return all[slices.IndexFunc(all, func(o operation) bool { return o.Name == name })]
}

// sized reports whether the operation has a size.
func (o *operation) sized(size string) bool {
	for _, f := range o.fields {
		if f.size == size {
			return true
		}
	}
	return false
}

// of returns the implementations in a type.
func (o *operation) of(t shaders.Type) []*shaders.Impl {
	return slices.DeleteFunc(slices.Clone(o.impls), func(m *shaders.Impl) bool { return !slices.Contains(m.Types, t) })
}

// params returns the parameter struct for the chosen sizes.
func (o *operation) params(v workloads.Values) any {
	p := reflect.New(reflect.TypeOf(o.Params)).Elem()
	for name, f := range o.fields {
		value := f.usual
		if f.size != "" {
			value = float64(v.Int(f.size))
		}
		if at := p.FieldByName(name); at.Kind() == reflect.Float32 {
			at.SetFloat(value)
		} else {
			at.SetUint(uint64(value))
		}
	}
	return p.Interface()
}

// constants returns the function constants that the operation runs with.
func (o *operation) constants(v workloads.Values) shaders.Constants {
	all := shaders.Constants{}
	for name, size := range o.form.constants {
		if slices.ContainsFunc(o.Constants, func(c shaders.Constant) bool { return c.Name == name && v.Int(size) <= int(c.Max) }) {
			all[name] = int32(v.Int(size))
		}
	}
	return all
}

// shape formats the sizes: "512 × 512 × 512", "1 × 4096 × 4096, blocks of 32", "8 heads, 512 queries, 512 keys, heads of 64".
func (o *operation) shape(v workloads.Values) string {
	var matrix, others []string
	for _, s := range sizes() {
		switch {
		case !o.sized(s.name):
		case s.words == "":
			matrix = append(matrix, fmt.Sprint(v.Int(s.name)))
		default:
			others = append(others, s.said(v.Int(s.name)))
		}
	}
	if len(matrix) > 0 {
		others = slices.Insert(others, 0, strings.Join(matrix, " × "))
	}
	return strings.Join(others, ", ")
}

// types returns the formats that the operation has kernels for.
func (o *operation) types() []string {
	var all []string
	for _, m := range o.impls {
		for _, t := range m.Types {
			if !slices.Contains(all, t.String()) {
				all = append(all, t.String())
			}
		}
	}
	return all
}

// formats returns the formats of all operations, floats first.
func formats() []string {
	all := []string{"f32", "f16", "bf16"}
	for _, o := range operations() {
		for _, t := range o.types() {
			if !slices.Contains(all, t) {
				all = append(all, t)
			}
		}
	}
	return all
}

// typeOf returns the element type chosen by the values.
func typeOf(v workloads.Values) shaders.Type {
	all := shaders.Types()
	return all[slices.IndexFunc(all, func(t shaders.Type) bool { return t.String() == v.String("dtype") })]
}
