package monitor

import (
	"bytes"
	"errors"
)

// pressure is the share of the last 10 s in which some, or all, runnable tasks stalled on a resource.
type pressure struct {
	some, full float64
	hasFull    bool // the kernel has no full line for cpu before 5.13
}

// decodePressure reads a file of /proc/pressure: "some avg10=0.30 avg60=0.37 avg300=0.62 total=32264241", and the same
// for full. Averages are in percent.
func decodePressure(b []byte) (pressure, error) {
	var p pressure
	hasSome := false
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if rest, ok := bytes.CutPrefix(l, []byte("some avg10=")); ok && !hasSome {
			p.some, hasSome = percent(rest)
		} else if rest, ok := bytes.CutPrefix(l, []byte("full avg10=")); ok && !p.hasFull {
			p.full, p.hasFull = percent(rest)
		}
	}
	if !hasSome {
		return pressure{}, errors.New("no 10 s average in it")
	}
	return p, nil
}

// stallTotal reads how many microseconds some task has stalled since boot.
func stallTotal(b []byte) (us uint64, ok bool) {
	for len(b) > 0 {
		var l []byte
		l, b = line(b)
		if !bytes.HasPrefix(l, []byte("some ")) {
			continue
		}
		if _, total, found := bytes.Cut(l, []byte(" total=")); found {
			return only(total)
		}
	}
	return 0, false
}

// swapPages reads from /proc/vmstat how many pages went to and from swap since boot.
func swapPages(b []byte) (pages uint64, ok bool) {
	counted := 0
	for len(b) > 0 && counted < 2 {
		var l []byte
		l, b = line(b)
		name, value, _ := bytes.Cut(l, []byte(" "))
		if string(name) != "pswpin" && string(name) != "pswpout" {
			continue
		}
		n, valid := only(value)
		if !valid {
			return 0, false
		}
		pages, counted = pages+n, counted+1
	}
	return pages, counted == 2
}

// percent reads a number of percent as a ratio; above 100 is not a share of time.
func percent(b []byte) (ratio float64, ok bool) {
	v, rest, ok := decimal(b)
	if !ok || v > 100.5 || len(rest) > 0 && rest[0] != ' ' {
		return 0, false
	}
	return min(v/100, 1), true
}

// pressureOff is the reason why a Linux kernel has no pressure readings.
const pressureOff = "the kernel’s pressure stall information (PSI) is off: built without it, or booted with psi=0"
