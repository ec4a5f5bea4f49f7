package own

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"assay/internal/statm"
)

// limitMemory ends this process when it has more memory than its limit. Another limit, of what can be written to, stands behind
// it for what grows faster than it is looked at; the stacks of the executor, which are reserved as a whole and hardly touched, do
// not count there, nor does what cannot be written to, such as what drivers reserve.
func limitMemory(bytes int64) {
	go func() {
		for range time.Tick(20 * time.Millisecond) {
			if n, err := statm.Own(); err == nil && n > bytes {
				fmt.Fprintln(os.Stderr, "assay: out of memory")
				os.Exit(1)
			}
		}
	}()
	limit := uint64(bytes) + uint64(workers())*stacksOfWorker
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}) // there may be a lower one already
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
