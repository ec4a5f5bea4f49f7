package target

import (
	"bytes"
	"strings"
)

// drmClient is a process's connection to a GPU driver, from /proc/PID/fdinfo. Several descriptors may belong to the same connection.
type drmClient struct {
	id    string  // unique on this machine
	bytes float64 // of all memory regions
	known bool    // the driver reports them
}

// decodeDRM parses a file of /proc/PID/fdinfo; ok is false if it is not a connection to a GPU. Drivers report the memory allocated in
// each region as drm-total-REGION, older ones as drm-memory-REGION.
func decodeDRM(b []byte) (c drmClient, ok bool) {
	var driver, device, client string
	for line := range bytes.Lines(b) {
		key, value, found := strings.Cut(string(line), ":")
		if !found {
			continue
		}
		switch value = strings.TrimSpace(value); key {
		case "drm-driver":
			driver = value
		case "drm-pdev":
			device = value
		case "drm-client-id":
			client = value
		}
	}
	if driver == "" || client == "" {
		return c, false
	}
	c.id = driver + " " + device + " " + client
	values := keyed(b)
	for _, prefix := range []string{"drm-total-", "drm-memory-"} {
		for key, v := range values {
			if strings.HasPrefix(key, prefix) {
				c.bytes, c.known = c.bytes+v, true
			}
		}
		if c.known {
			break
		}
	}
	return c, true
}

// drmSum returns the memory of clients, each counted once; ok is false if none reports it.
func drmSum(clients []drmClient) (bytes float64, ok bool) {
	seen := map[string]bool{}
	for _, c := range clients {
		if c.known && !seen[c.id] {
			seen[c.id], ok = true, true
			bytes += c.bytes
		}
	}
	return bytes, ok
}
