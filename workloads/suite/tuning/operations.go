package tuning

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"assay/shaders"
	"assay/shaders/catalog"
	"assay/workloads"
	"assay/workloads/bench"
)

// Names of the parameters that are sizes.
const (
	rows     = "rows"
	columns  = "columns"
	inner    = "inner"
	elements = "elements"
)

// field is how a field of a parameter struct is set: by a size that the user chooses, or to a usual value.
type field struct {
	size  string
	usual float64
}

// fieldsOf are those of a parameter struct; false if it has one that nothing here sets.
func fieldsOf(params any) (map[string]field, bool) {
	known := map[string]field{
		"N": {size: elements}, "Rows": {size: rows}, "Cols": {size: columns}, "Eps": {usual: 1e-5}, "S": {usual: 1.5},
	}
	t := reflect.TypeOf(params)
	if _, product := t.FieldByName("M"); product {
		known = map[string]field{"M": {size: rows}, "N": {size: columns}, "K": {size: inner}, "Batch": {usual: 1}}
	}
	all := map[string]field{}
	for i := range t.NumField() {
		f, ok := known[t.Field(i).Name]
		if !ok {
			return nil, false
		}
		all[t.Field(i).Name] = f
	}
	return all, len(all) > 0
}

// operation is one whose implementations and tunables leave a choice.
type operation struct {
	*shaders.Op
	impls  []*shaders.Impl
	fields map[string]field
}

// operations lists those of the catalog that can be tuned: on arrays of floats, by sizes alone.
func operations() []operation {
	var list []operation
	for _, k := range catalog.All() {
		at := slices.IndexFunc(list, func(o operation) bool { return o.Op == k.Impl.Op })
		if at < 0 {
			fields, known := fieldsOf(k.Impl.Op.Params)
			if !known || !onFloats(&k) {
				continue
			}
			at = len(list)
			list = append(list, operation{Op: k.Impl.Op, fields: fields})
		}
		if o := &list[at]; !slices.Contains(o.impls, k.Impl) {
			o.impls = append(o.impls, k.Impl)
		}
	}
	return slices.DeleteFunc(list, func(o operation) bool { return len(candidates(o.impls, false)) < 2 })
}

// onFloats reports whether all that a kernel reads can be random numbers.
func onFloats(k *shaders.Kernel) bool {
	return !slices.ContainsFunc(k.Args, func(a shaders.Arg) bool { return !a.Type.Float() })
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

// of are the implementations in a type.
func (o *operation) of(t shaders.Type) []*shaders.Impl {
	return slices.DeleteFunc(slices.Clone(o.impls), func(m *shaders.Impl) bool { return !slices.Contains(m.Types, t) })
}

// params is the parameter struct for the sizes that were chosen.
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

// shape words the sizes: "512 × 512 × 512", "1,000,000 elements".
func (o *operation) shape(v workloads.Values) string {
	var parts []string
	for _, size := range []string{rows, columns, inner} {
		if o.sized(size) {
			parts = append(parts, fmt.Sprint(v.Int(size)))
		}
	}
	if o.sized(elements) {
		return fmt.Sprintf("%d elements", v.Int(elements))
	}
	return strings.Join(parts, " × ")
}

// typeOf is the element type of the values.
func typeOf(v workloads.Values) shaders.Type { return bench.Types(v.String("dtype"))[0] }
