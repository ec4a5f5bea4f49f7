package metal

import "fmt"

// traceCommand is the command line that records a Metal System Trace of the process pid for Instruments.
func traceCommand(pid, seconds int, output string) string {
	return fmt.Sprintf("xcrun xctrace record --template 'Metal System Trace' --attach %d --time-limit %ds --output %s",
		pid, seconds, shellQuote(output))
}
