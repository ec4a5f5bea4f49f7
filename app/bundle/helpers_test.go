package bundle

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"assay/internal/metric"
)

// printed writes a value with everything in it. Times are in UTC, and nil is an empty slice.
func printed(v any) string { return printValue(reflect.ValueOf(v)) }

func printValue(v reflect.Value) string {
	if v.IsValid() && v.Type() == reflect.TypeFor[time.Time]() {
		return stamp(v.Interface().(time.Time))
	}
	if v.IsValid() && v.Type() == reflect.TypeFor[metric.Values]() { // in the order of their names
		list := slices.SortedFunc(slices.Values(v.Interface().(metric.Values)), func(a, b metric.Value) int {
			return strings.Compare(string(a.Name), string(b.Name))
		})
		v = reflect.ValueOf([]metric.Value(list))
	}
	switch v.Kind() {
	case reflect.Slice:
		s := "["
		for i := range v.Len() {
			s += printValue(v.Index(i)) + " "
		}
		return s + "]"
	case reflect.Struct:
		s := "{"
		for i := range v.NumField() {
			s += v.Type().Field(i).Name + ":" + printValue(v.Field(i)) + " "
		}
		return s + "}"
	case reflect.Interface:
		return printValue(v.Elem())
	}
	return fmt.Sprintf("%#v", v)
}

// wholeLines leaves out a torn last line.
func wholeLines(data []byte) []byte {
	return data[:bytes.LastIndexByte(data, '\n')+1]
}

// withoutCases leaves out the events that every case has.
func withoutCases(events []Event) []Event {
	return slices.DeleteFunc(slices.Clone(events), func(e Event) bool { return e.Kind == CaseOver })
}
