package app

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// crashVariable tells the test's own binary to start a log in that folder and to crash.
const crashVariable = "ASSAY_TEST_CRASH"

func TestLogKeepsACrash(t *testing.T) {
	if dir := os.Getenv(crashVariable); dir != "" {
		crash(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "Logs", "Assay") // not there yet
	c := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	c.Env = append(os.Environ(), crashVariable+"="+dir)
	out, err := c.CombinedOutput()
	if err == nil {
		t.Fatalf("the process did not crash: %s", out)
	}
	kept, err := os.ReadFile(filepath.Join(dir, logFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"assay 1.2.3 started, process ", "Fyne error:  lost", "panic: a goroutine fell", "goroutine "} {
		if !strings.Contains(string(kept), want) {
			t.Errorf("the log lacks %q:\n%s", want, kept)
		}
	}
	for _, want := range []string{"Fyne error:  lost", "panic: a goroutine fell"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("standard error lacks %q:\n%s", want, out)
		}
	}
}

func TestLargeLogIsPutAside(t *testing.T) {
	dir := t.TempDir()
	path, old := filepath.Join(dir, logFile), filepath.Join(dir, oldLogFile)
	for _, c := range []struct {
		name  string
		size  int
		aside bool
	}{{"small", maxLog, false}, {"large", maxLog + 1, true}} {
		if err := os.WriteFile(path, make([]byte, c.size), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := openLog(dir)
		if err != nil {
			t.Fatal(err)
		}
		info, err := f.Stat()
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(old); (err == nil) != c.aside || (info.Size() == 0) != c.aside {
			t.Errorf("%s: the log holds %d bytes, the old one: %v", c.name, info.Size(), err)
		}
	}
}

func TestLogWantsAFolder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"", filepath.Join(file, "Logs")} {
		if err := StartLog(dir, "1.2.3"); err == nil || !strings.HasPrefix(err.Error(), "keep a log: ") {
			t.Errorf("StartLog(%q) says %v", dir, err)
		}
	}
}

// crash starts a log in dir, writes to it, and ends the process with a panic outside the test's goroutine.
func crash(t *testing.T, dir string) {
	t.Helper()
	if err := StartLog(dir, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	log.Println("Fyne error: ", "lost")
	go panic("a goroutine fell")
	select {}
}
