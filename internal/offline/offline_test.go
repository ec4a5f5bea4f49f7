package offline

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// inChild makes this test's process forbid sockets and then open one.
const inChild = "ASSAY_OFFLINE_CHILD"

func TestMain(m *testing.M) {
	address := os.Getenv(inChild)
	if address == "" {
		os.Exit(m.Run())
	}
	if err := Forbid(); err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(3)
	}
	network, at, _ := strings.Cut(address, " ")
	l, err := net.Listen(network, at)
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(4)
	}
	l.Close()
	os.Exit(0)
}

// A process that has forbidden network sockets dies when it opens one; file sockets still work.
func TestForbid(t *testing.T) {
	for address, ends := range map[string]bool{
		"tcp4 127.0.0.1:0": true, "tcp6 [::1]:0": true, "unix " + filepath.Join(t.TempDir(), "s"): false,
	} {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), inChild+"="+address)
		out, err := c.CombinedOutput()
		if strings.Contains(string(out), "forbid sockets") {
			t.Skipf("%s", out)
		}
		if ended := err != nil && strings.Contains(err.Error(), "bad system call"); ended != ends || !ends && err != nil {
			t.Errorf("%s: %v, %s", address, err, out)
		}
	}
}
