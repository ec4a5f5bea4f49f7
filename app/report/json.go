package report

import (
	"bufio"
	"encoding/json"
)

// jsonObject writes an object field by field, indented by spaces: the JSON of a long run is several times larger than the
// run in memory.
type jsonObject struct {
	w      *bufio.Writer
	fields int
	err    error // the first; nothing is written after it
}

func (o *jsonObject) put(texts ...string) {
	for _, s := range texts {
		if o.err == nil {
			_, o.err = o.w.WriteString(s)
		}
	}
}

// value writes a value, with its further lines indented.
func (o *jsonObject) value(v any, indent string) {
	if o.err != nil {
		return
	}
	var data []byte
	if data, o.err = json.MarshalIndent(v, indent, " "); o.err == nil {
		_, o.err = o.w.Write(data)
	}
}

func (o *jsonObject) name(name string) {
	if o.fields == 0 {
		o.put("{")
	} else {
		o.put(",")
	}
	o.fields++
	o.put("\n ", `"`, name, `": `)
}

func (o *jsonObject) field(name string, v any) {
	o.name(name)
	o.value(v, " ")
}

// list writes the values that each adds.
func (o *jsonObject) list(name string, each func(add func(any) error) error) {
	o.name(name)
	o.put("[")
	n := 0
	err := each(func(v any) error {
		if n > 0 {
			o.put(",")
		}
		n++
		o.put("\n  ")
		o.value(v, "  ")
		return o.err
	})
	if o.err == nil {
		o.err = err
	}
	if n > 0 {
		o.put("\n ")
	}
	o.put("]")
}

func (o *jsonObject) close() error {
	o.put("\n}\n")
	if o.err == nil {
		o.err = o.w.Flush()
	}
	return o.err
}
