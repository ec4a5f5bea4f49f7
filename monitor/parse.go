package monitor

import (
	"bytes"
	"errors"
)

var errNotNumber = errors.New("not a number")

// number reads the decimal digits that begin b, after spaces, and returns the rest. ok is false if there are none or
// they overflow.
func number(b []byte) (value uint64, rest []byte, ok bool) {
	b = bytes.TrimLeft(b, " \t")
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		digit := uint64(b[i] - '0')
		if value > (1<<64-1-digit)/10 {
			return 0, b, false
		}
		value = value*10 + digit
	}
	return value, b[i:], i > 0
}

// only reads the text of a file that contains a single number, "45000\n".
func only(b []byte) (uint64, bool) {
	v, rest, ok := number(b)
	return v, ok && len(bytes.TrimSpace(rest)) == 0
}

// onlySigned is only for a number that may be negative.
func onlySigned(b []byte) (int64, bool) {
	b = bytes.TrimSpace(b)
	negative := bytes.HasPrefix(b, []byte("-"))
	if negative {
		b = b[1:]
	}
	v, ok := only(b)
	if !ok || v > 1<<62 || len(b) == 0 || b[0] < '0' {
		return 0, false
	}
	if negative {
		return -int64(v), true
	}
	return int64(v), true
}

// line cuts the first line off b.
func line(b []byte) (first, rest []byte) {
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}

// decimal reads a number with an optional fraction, "12.34", as /proc writes averages.
func decimal(b []byte) (value float64, rest []byte, ok bool) {
	whole, rest, ok := number(b)
	if !ok {
		return 0, b, false
	}
	value = float64(whole)
	if len(rest) == 0 || rest[0] != '.' {
		return value, rest, true
	}
	rest = rest[1:]
	scale := 0.1
	for len(rest) > 0 && rest[0] >= '0' && rest[0] <= '9' {
		value += float64(rest[0]-'0') * scale
		scale /= 10
		rest = rest[1:]
	}
	return value, rest, true
}
