package uitest

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
)

// longest is how many numbers of a list are written; for a longer one, their count, its ends and its range are.
const longest = 12

// dump writes the exported fields of a struct that are not zero, one to a line. Numbers have four digits.
func dump(v any) string {
	value := reflect.Indirect(reflect.ValueOf(v))
	var b strings.Builder
	for i := range value.NumField() {
		f, name := value.Field(i), value.Type().Field(i)
		if !name.IsExported() || f.IsZero() {
			continue
		}
		if f.Kind() == reflect.Slice && f.Type().Elem().Kind() == reflect.Struct {
			for k := range f.Len() {
				fmt.Fprintf(&b, "%s %s\n", name.Name, fields(f.Index(k)))
			}
			continue
		}
		fmt.Fprintf(&b, "%s %s\n", name.Name, written(f))
	}
	return b.String()
}

// fields writes the fields of a struct on one line.
func fields(v reflect.Value) string {
	var list []string
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i)
		if name.IsExported() && !f.IsZero() {
			list = append(list, name.Name+"="+written(f))
		}
	}
	return strings.Join(list, " ")
}

// written is a value on one line.
func written(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case time.Time:
		return x.UTC().Format(time.RFC3339)
	case []byte:
		return fmt.Sprintf("%q", x)
	case []float64:
		return numbers(x)
	case fmt.Stringer:
		return x.String()
	}
	switch v.Kind() {
	case reflect.Float64, reflect.Float32:
		return number(v.Float())
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	case reflect.Struct:
		return "{" + fields(v) + "}"
	case reflect.Slice:
		list := make([]string, v.Len())
		for i := range list {
			list[i] = written(v.Index(i))
		}
		return "[" + strings.Join(list, " ") + "]"
	}
	return fmt.Sprint(v.Interface())
}

func number(v float64) string { return fmt.Sprintf("%.4g", v) }

func numbers(list []float64) string {
	if len(list) <= longest {
		words := make([]string, len(list))
		for i, v := range list {
			words[i] = number(v)
		}
		return "[" + strings.Join(words, " ") + "]"
	}
	lo, hi, sum, known := math.Inf(1), math.Inf(-1), 0.0, 0
	for _, v := range list {
		if !math.IsNaN(v) {
			lo, hi, sum, known = min(lo, v), max(hi, v), sum+v, known+1
		}
	}
	return fmt.Sprintf("[%s … %s: %d, %d known, %s to %s, mean %s]", number(list[0]), number(list[len(list)-1]), len(list), known,
		number(lo), number(hi), number(sum/float64(max(known, 1))))
}
