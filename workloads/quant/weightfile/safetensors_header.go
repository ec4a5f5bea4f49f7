package weightfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// parseHeader reads the header's JSON token by token, following its schema: encoding/json would accept duplicate keys and unknown
// nested values. most bounds the number of tensors, and of metadata keys.
func parseHeader(text []byte, most int) ([]Tensor, map[string]string, error) {
	if len(text) == 0 || text[0] != '{' {
		return nil, nil, fmt.Errorf("byte %d: the header does not start with '{'", lengthBytes)
	}
	if at := invalidUTF8(text); at >= 0 {
		return nil, nil, fmt.Errorf("byte %d: the header is not valid UTF-8", lengthBytes+at)
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	p := &headerParser{dec: dec, most: most, metadata: map[string]string{}}
	err := p.object(headerName, p.entry)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("byte %d: %w, where the header of %d B ends", lengthBytes+dec.InputOffset(), err, len(text))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("byte %d: %w", lengthBytes+dec.InputOffset(), err)
	}
	if rest := bytes.TrimLeft(text[dec.InputOffset():], jsonSpace); len(rest) > 0 {
		return nil, nil, fmt.Errorf("byte %d: %d B of text after the end of the header", lengthBytes+len(text)-len(rest), len(bytes.TrimRight(rest, jsonSpace)))
	}
	return p.tensors, p.metadata, nil
}

const jsonSpace = " \t\r\n"

// invalidUTF8 returns the index of the first byte that is not UTF-8, or −1.
func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// maxEntries bounds the tensors of a file, and the keys of its metadata. Large models have a few thousand tensors; each
// takes several times more memory than its entry in the header.
const maxEntries = 100_000

const headerName = "header" // in errors

type headerParser struct {
	dec      *json.Decoder
	most     int
	tensors  []Tensor
	metadata map[string]string
}

// token returns the next token; where says in errors what is being read.
func (p *headerParser) token(where string) (json.Token, error) {
	t, err := p.dec.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", where, err)
	}
	return t, nil
}

func (p *headerParser) open(where string, want json.Delim) error {
	t, err := p.token(where)
	if err != nil {
		return err
	}
	if t != want {
		return fmt.Errorf("%s: %s, want '%v'", where, describe(t), want)
	}
	return nil
}

// object reads an object, calling field for each key to read its value.
func (p *headerParser) object(where string, field func(key string) error) error {
	if err := p.open(where, '{'); err != nil {
		return err
	}
	seen := map[string]bool{}
	for p.dec.More() {
		t, err := p.token(where)
		if err != nil {
			return err
		}
		key, ok := t.(string)
		if !ok {
			return fmt.Errorf("%s: %s, want a key", where, describe(t))
		}
		if seen[key] {
			return fmt.Errorf("%s: duplicate key %s", where, quoted(key))
		}
		if len(seen) == p.most {
			return p.tooMany(where)
		}
		seen[key] = true
		if err := field(key); err != nil {
			return err
		}
	}
	_, err := p.token(where)
	return err
}

// tooMany is the error of an object with too many keys. It does not count the rest: a header may have millions.
func (p *headerParser) tooMany(where string) error {
	what := "entries"
	if where == headerName {
		what = "entries for tensors"
	}
	return fmt.Errorf("%s: more than %d %s", where, p.most, what)
}

// maxName is the maximum length of a tensor's name, in bytes. Each result row of a run contains the name.
const maxName = 1000

// entry reads the value of a key of the header.
func (p *headerParser) entry(key string) error {
	if key == "__metadata__" {
		return p.object("__metadata__", func(k string) (err error) {
			p.metadata[k], err = p.text("__metadata__: " + quoted(k))
			return err
		})
	}
	where := "tensor " + quoted(key)
	if len(key) > maxName {
		return fmt.Errorf("%s: its name has %d B, the limit is %d B", where, len(key), maxName)
	}
	t := Tensor{Name: key, Shape: []int64{}}
	var offsets []int64
	missing := map[string]bool{"dtype": true, "shape": true, "data_offsets": true}
	err := p.object(where, func(k string) (err error) {
		delete(missing, k)
		switch k {
		case "dtype":
			t.Type, err = p.text(where + ": dtype")
		case "shape":
			t.Shape, err = p.numbers(where+": shape", maxRank)
		case "data_offsets":
			offsets, err = p.numbers(where+": data_offsets", 2)
		default:
			err = fmt.Errorf("%s: unknown key %s", where, quoted(k))
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, k := range []string{"dtype", "shape", "data_offsets"} {
		if missing[k] {
			return fmt.Errorf("%s: no %s", where, k)
		}
	}
	if len(offsets) != 2 {
		return fmt.Errorf("%s: %d data_offsets, want 2", where, len(offsets))
	}
	t.Begin, t.End = offsets[0], offsets[1]
	p.tensors = append(p.tensors, t)
	return nil
}

func (p *headerParser) text(where string) (string, error) {
	t, err := p.token(where)
	if err != nil {
		return "", err
	}
	s, ok := t.(string)
	if !ok {
		return "", fmt.Errorf("%s: %s, want text", where, describe(t))
	}
	return s, nil
}

// maxRank bounds the dimensions of a tensor; frameworks allow far fewer.
const maxRank = 64

// numbers reads an array of at most `most` whole numbers from 0 to 2⁶³ − 1.
func (p *headerParser) numbers(where string, most int) ([]int64, error) {
	if err := p.open(where, '['); err != nil {
		return nil, err
	}
	out := []int64{}
	for p.dec.More() {
		t, err := p.token(where)
		if err != nil {
			return nil, err
		}
		num, ok := t.(json.Number)
		if !ok {
			return nil, fmt.Errorf("%s: %s, want a whole number", where, describe(t))
		}
		v, err := strconv.ParseUint(num.String(), 10, 63)
		if err != nil {
			return nil, fmt.Errorf("%s: %s, want a whole number from 0 to %d", where, shorten(num.String()), int64(math.MaxInt64))
		}
		if out = append(out, int64(v)); len(out) > most {
			return nil, fmt.Errorf("%s: more than %d numbers", where, most)
		}
	}
	_, err := p.token(where)
	return out, err
}

// describe names a token for errors.
func describe(t json.Token) string {
	switch v := t.(type) {
	case json.Delim:
		return fmt.Sprintf("'%v'", v)
	case string:
		return "text " + quoted(v)
	case nil:
		return "null"
	default:
		return shorten(fmt.Sprint(v))
	}
}

// quoted formats a name from the file for errors: quoted and truncated.
func quoted(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	const most = 80
	if len(s) > most {
		return s[:most] + "…"
	}
	return s
}

// checkLayout sorts the tensors by their data, and checks that each has the bytes that its shape and dtype need, and that together
// they cover size bytes, starting at byte data of the file, without gap or overlap.
func checkLayout(tensors []Tensor, data, size int64) error {
	slices.SortStableFunc(tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name))
	})
	var before Tensor
	for i := range tensors {
		t := &tensors[i]
		if err := checkTensor(t, &before, size); err != nil {
			return t.misplaced(data, err)
		}
		before = *t
	}
	if before.End != size {
		return fmt.Errorf("the tensors end at %d B of the data, which has %d B", before.End, size)
	}
	return nil
}

// misplaced returns an error about a tensor; the data of all tensors start at byte data of the file.
func (t *Tensor) misplaced(data int64, err error) error {
	return fmt.Errorf("tensor %s, data from byte %d of the file: %w", quoted(t.Name), uint64(data)+uint64(t.Begin), err)
}

// checkTensor checks one tensor, whose data must begin where those of the previous tensor end, within size bytes.
func checkTensor(t, before *Tensor, size int64) error {
	need, err := needs(t)
	switch {
	case err != nil:
		return err
	case t.End < t.Begin:
		return fmt.Errorf("data_offsets [%d, %d] are reversed", t.Begin, t.End)
	case t.End > size:
		return fmt.Errorf("data ends at byte %d of the data, which has %d B: the file is truncated", t.End, size)
	case t.Begin < before.End:
		return fmt.Errorf("data starts at byte %d of the data and overlaps tensor %s, which ends at %d", t.Begin, quoted(before.Name), before.End)
	case t.Begin > before.End:
		return fmt.Errorf("data starts at byte %d of the data and leaves a gap from %d", t.Begin, before.End)
	case t.Bytes() != need:
		return fmt.Errorf("%d B of data, dtype %s and shape %v need %d B", t.Bytes(), t.Type, t.Shape, need)
	}
	return nil
}

// needs returns the size in bytes that a tensor's shape and type imply.
func needs(t *Tensor) (int64, error) {
	s, known := dtypes[t.Type]
	if !known {
		return 0, fmt.Errorf("unknown dtype %s", quoted(t.Type))
	}
	t.stored = s
	n, err := s.size(t.Shape)
	if err != nil {
		return 0, fmt.Errorf("dtype %s: %w", t.Type, err)
	}
	return n, nil
}
