// Package statm reads what Linux reports about the memory of this process.
package statm

import (
	"bytes"
	"fmt"
	"strconv"
)

// Path is the file in which Linux reports it.
const Path = "/proc/self/statm"

// Decode returns the resident pages, the second number of Path, and how many of them are shared, the third: file pages, such as
// library code, and shared memory.
func Decode(b []byte) (resident, shared uint64, err error) {
	var n [3]uint64
	for i := range n {
		var word []byte
		word, b, _ = bytes.Cut(b, []byte(" "))
		if n[i], err = strconv.ParseUint(string(word), 10, 48); err != nil {
			return 0, 0, fmt.Errorf("number %d of %s: %w", i+1, Path, err)
		}
	}
	if n[2] > n[1] {
		return 0, 0, fmt.Errorf("%s has %d shared of %d resident pages", Path, n[2], n[1])
	}
	return n[1], n[2], nil
}
