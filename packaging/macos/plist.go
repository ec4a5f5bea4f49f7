package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// dict is a dictionary of a property list: its values are dict, []any, string (also of numbers) and bool.
type dict map[string]any

// text returns the string of a key; empty if there is none.
func (d dict) text(key string) string {
	s, _ := d[key].(string)
	return s
}

// parsePlist reads a property list in XML whose root is a dictionary.
func parsePlist(r io.Reader) (dict, error) {
	d := xml.NewDecoder(r)
	for {
		t, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("no property list: %w", err)
		}
		if start, ok := t.(xml.StartElement); ok && start.Name.Local == "dict" {
			return parseDict(d)
		}
	}
}

func parseDict(d *xml.Decoder) (dict, error) {
	out := dict{}
	for {
		start, err := nextStart(d)
		if err != nil || start == nil {
			return out, err
		}
		if start.Name.Local != "key" {
			return nil, fmt.Errorf("<%s> where a <key> belongs", start.Name.Local)
		}
		var key string
		if err := d.DecodeElement(&key, start); err != nil {
			return nil, err
		}
		if _, twice := out[key]; twice {
			return nil, fmt.Errorf("key %q comes twice", key)
		}
		if start, err = nextStart(d); err != nil {
			return nil, err
		}
		if start == nil {
			return nil, fmt.Errorf("key %q has no value", key)
		}
		if out[key], err = parseValue(d, start); err != nil {
			return nil, err
		}
	}
}

func parseValue(d *xml.Decoder, start *xml.StartElement) (any, error) {
	switch name := start.Name.Local; name {
	case "dict":
		return parseDict(d)
	case "array":
		return parseArray(d)
	case "true", "false":
		return name == "true", d.Skip()
	case "string", "integer", "real", "date":
		var s string
		err := d.DecodeElement(&s, start)
		return s, err
	default:
		return nil, fmt.Errorf("a value of the unknown kind <%s>", name)
	}
}

func parseArray(d *xml.Decoder) ([]any, error) {
	out := []any{}
	for {
		start, err := nextStart(d)
		if err != nil || start == nil {
			return out, err
		}
		v, err := parseValue(d, start)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
}

// nextStart returns the next element within the open one; nil at its end.
func nextStart(d *xml.Decoder) (*xml.StartElement, error) {
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return &t, nil
		case xml.EndElement:
			return nil, nil
		}
	}
}
