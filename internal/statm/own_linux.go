package statm

import "os"

// Own returns the private resident memory of this process in bytes: without file pages and shared memory.
func Own() (int64, error) {
	b, err := os.ReadFile(Path)
	if err != nil {
		return 0, err
	}
	resident, shared, err := Decode(b)
	return int64(resident-shared) * int64(os.Getpagesize()), err
}
