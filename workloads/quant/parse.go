package quant

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseFormat parses a format's name: a kind, then the group that shares a scale (tensor, row, or block and a number; tensor by
// default), a scheme and ", f16 scales".
func ParseFormat(name string) (Format, error) {
	words, half := strings.CutSuffix(name, HalfScales)
	rest := strings.Fields(words)
	if len(rest) == 0 {
		return Format{}, fmt.Errorf("invalid format %q: want a kind, as in %q", name, "int4 block 64")
	}
	if strings.TrimSpace(name) == strings.TrimPrefix(HalfScales, ", ") {
		return Format{}, fmt.Errorf("%q must follow a format with scales, as in %q", name, "int4 block 64"+HalfScales)
	}
	f := Format{Kind: Kind(rest[0]), Half: half}
	if !f.Kind.Known() {
		return Format{}, fmt.Errorf("invalid format %q: no kind %q; there are %s", name, rest[0], kindNames())
	}
	rest, err := f.parseGroup(rest[1:])
	if err == nil {
		err = f.parseScheme(rest)
	}
	if err == nil {
		err = f.Check(0)
	}
	if err != nil {
		return Format{}, fmt.Errorf("invalid format %q: %w", name, err)
	}
	return f, nil
}

// parseGroup parses the group that shares a scale, and returns the words after it.
func (f *Format) parseGroup(words []string) ([]string, error) {
	switch {
	case len(words) > 0 && words[0] == "tensor" && f.Kind.Scaled():
		return words[1:], nil
	case len(words) > 0 && words[0] == "row":
		f.Block = PerRow
		return words[1:], nil
	case len(words) > 1 && words[0] == "block":
		n, err := strconv.Atoi(words[1])
		if err == nil {
			err = CheckBlock(n)
		}
		f.Block = n
		return words[2:], err
	}
	return words, nil
}

func (f *Format) parseScheme(words []string) error {
	if len(words) == 0 {
		return nil
	}
	k := f.Kind.describe()
	at := slices.IndexFunc(k.scheme, func(s Scheme) bool { return s.String() == words[0] })
	if at < 0 || len(words) > 1 {
		return fmt.Errorf("%q: want %s", strings.Join(words, " "), f.Kind.options())
	}
	if at > 0 { // the default is left implicit, so that equal formats compare equal
		f.Scheme = k.scheme[at]
	}
	return nil
}

// options describes what may follow the kind in a format's name.
func (k Kind) options() string {
	if !k.Scaled() {
		return fmt.Sprintf("nothing after %s", k)
	}
	return fmt.Sprintf("tensor, row or block N, then %s, then %q; a row is an output channel", k.describe().schemeNames(), HalfScales)
}

func kindNames() string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return strings.Join(names, ", ")
}
