// Package kept keeps values in small JSON files that several processes of Assay change.
package kept

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"assay/internal/regular"
	"assay/internal/si"
)

const (
	maxWait = 10 * time.Second
	retry   = 5 * time.Millisecond
)

// ErrDamaged is part of the error of a file whose content is not valid JSON for the value.
var ErrDamaged = errors.New("its content is damaged")

// A File is a file of one JSON value. The zero Limit allows no bytes.
type File struct {
	Path  string
	What  string // describes the file in errors: "a file of peaks"
	Limit int64  // bytes
}

// Read reads the value into a pointer. If the file does not exist, the value is unchanged.
func (f File) Read(into any) error {
	data, err := regular.Read(f.Path, f.What, f.Limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		if err = json.Unmarshal(data, into); err != nil {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Path, err)
	}
	return nil
}

// SetAside renames a damaged file, so that another can be written without losing its contents. Only the most recent one is kept.
func (f File) SetAside() error { return os.Rename(f.Path, f.Path+".damaged") }

// Write replaces the file with the JSON of a value, or leaves it unchanged. More bytes than the limit are rejected, because they could
// not be read back.
func (f File) Write(value any) error {
	data, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Path, err)
	}
	data = append(data, '\n')
	if int64(len(data)) > f.Limit {
		return fmt.Errorf("%s would have %d bytes, which is more than %s", f.Path, len(data), si.Bytes(float64(f.Limit)))
	}
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(f.Path, data, 0o600, renameio.WithTempDir(filepath.Dir(f.Path)))
}

// Change runs change, which reads and writes the file, while no other Change of the same file runs, in this process or another. It
// waits up to ten seconds for one that does. On a file system without locks it runs at once.
func (f File) Change(change func() error) error {
	if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(f.lockPath(), os.O_CREATE|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.Path, err)
	}
	defer lock.Close() // also unlocks it
	for start := time.Now(); ; time.Sleep(retry) {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return change()
		}
		if time.Since(start) > maxWait {
			return fmt.Errorf("%s has been in use by another process for %v", f.Path, maxWait)
		}
	}
}

// lockPath is next to the file, which is replaced and so cannot hold the lock itself.
func (f File) lockPath() string {
	return filepath.Join(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".lock")
}
