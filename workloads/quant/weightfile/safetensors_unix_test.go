//go:build unix

package weightfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe without a writer is rejected at once, even through a link. If it were opened, this test would hang.
func TestSafetensorsRefusesPipes(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(pipe, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		if _, err := Open(path); err == nil || err.Error() != path+" is a pipe, want a .safetensors or .gguf file" {
			t.Errorf("%s: %v", path, err)
		}
	}
}
