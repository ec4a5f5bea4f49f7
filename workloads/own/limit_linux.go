package own

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"assay/internal/statm"
)

// limitMemory ends this process when it uses more memory than its limit. A second limit, on writable memory, catches what grows faster
// than the checks. The executor's stacks, which are reserved as a whole and hardly touched, do not count toward it, nor does memory
// that is not writable, such as reservations by drivers.
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
	_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: limit, Max: limit}) // there may already be a lower limit
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}
