package bundle

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/google/renameio/v2"

	"assay/internal/si"
)

// ReplaceFile replaces a file atomically, or leaves the old one unchanged. Links stay, and their targets are replaced.
// Devices and pipes are written into.
func ReplaceFile(path string, data []byte) error {
	return WriteFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteFile is ReplaceFile for content that is written piece by piece. An error of write that is not about the file is
// returned unchanged.
func WriteFile(path string, write func(io.Writer) error) error {
	info, err := os.Stat(path)
	switch {
	case err != nil: // nothing there yet, or the cause shows below
	case info.IsDir():
		return fmt.Errorf("cannot write %s: it is a folder, want a file name", path)
	case ownStream(info) != nil:
		return writeStream(path, ownStream(info), write)
	case !info.Mode().IsRegular():
		f, err := openStream(path, info)
		if err != nil {
			return streamError(path, err)
		}
		return errors.Join(writeStream(path, f, write), streamError(path, f.Close()))
	}
	target, err := followLinks(path)
	if err != nil {
		return writeError(path, 0, err)
	}
	sweepBeside(target)
	return replace(path, target, write)
}

// CheckWritable returns the error of creating a file beside the one at path, as WriteFile will. Devices and pipes are not opened.
func CheckWritable(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	target, err := followLinks(path)
	if err != nil {
		return writeError(path, 0, err)
	}
	f, err := os.CreateTemp(filepath.Dir(target), "."+filepath.Base(target))
	if err != nil {
		return writeError(path, 0, err)
	}
	return writeError(path, 0, errors.Join(f.Close(), os.Remove(f.Name())))
}

// replace writes a temporary file and moves it to target; path is its name in errors.
func replace(path, target string, write func(io.Writer) error) error {
	f, err := renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)), renameio.WithPermissions(0o644),
		renameio.WithExistingPermissions())
	if err != nil {
		return writeError(path, 0, err)
	}
	defer f.Cleanup() //nolint:errcheck // the cause is returned
	out := counted{w: f}
	if err := write(&out); err != nil && out.err == nil {
		return err
	}
	if out.err == nil {
		out.err = f.CloseAtomicallyReplace()
	}
	return writeError(path, out.n, out.err)
}

// counted counts the bytes that a file should have, and keeps its first error.
type counted struct {
	w   io.Writer
	n   int
	err error
}

func (c *counted) Write(p []byte) (n int, err error) {
	c.n += len(p)
	if c.err == nil {
		n, c.err = c.w.Write(p)
	}
	return n, c.err
}

func writeStream(path string, f *os.File, write func(io.Writer) error) error {
	out := counted{w: f}
	if err := write(&out); err != nil && out.err == nil {
		return err
	}
	return streamError(path, out.err)
}

// followLinks returns the path of the file that a path resolves to, which need not exist yet.
func followLinks(path string) (string, error) {
	const maxLinks = 40 // the kernel's limit
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		link, err := os.Readlink(path)
		if err != nil { // not a link
			return path, nil
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", syscall.ELOOP
}

// ownStream is the process's standard output or error if info describes it: /dev/stdout, even if redirected to a file.
func ownStream(info fs.FileInfo) *os.File {
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		if own, err := f.Stat(); err == nil && os.SameFile(own, info) {
			return f
		}
	}
	return nil
}

// readerWait is how long to wait for a pipe's reader.
const readerWait = time.Second

// openStream opens a device or a pipe for writing. Opening a pipe without a reader would block forever.
func openStream(path string, info fs.FileInfo) (*os.File, error) {
	flags := os.O_WRONLY
	if info.Mode()&fs.ModeNamedPipe != 0 {
		flags |= syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(path, flags, 0)
	for end := time.Now().Add(readerWait); errors.Is(err, syscall.ENXIO) && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
		f, err = os.OpenFile(path, flags, 0)
	}
	if errors.Is(err, syscall.ENXIO) && flags&syscall.O_NONBLOCK != 0 {
		return nil, errors.New("nothing reads from this pipe")
	}
	return f, err
}

// CreateFile creates a file, or truncates an existing one, for content that grows. A pipe must have a reader.
func CreateFile(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
		f, err := openStream(path, info)
		return f, streamError(path, err)
	}
	f, err := os.Create(path)
	return f, writeError(path, 0, err)
}

func streamError(path string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot write %s: %w", path, cause(err))
}

// writeError says which file could not be written and why.
func writeError(path string, need int, err error) error {
	err = cause(err)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC) && noMoreFiles(path):
		return fmt.Errorf("cannot write %s: no more files fit on the disk, it has no free inodes: %w", path, err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("cannot write %s: the disk is full (%s needed, %s free): %w",
			path, si.Bytes(float64(need)), freeSpace(path), err)
	case errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("cannot write %s: disk quota exceeded (%s needed): %w", path, si.Bytes(float64(need)), err)
	case errors.Is(err, syscall.EFBIG):
		return fmt.Errorf("cannot write %s: it would exceed the limit on file sizes (%s more needed): %w",
			path, si.Bytes(float64(need)), err)
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// cause returns the cause of an error, without the operation and the name of the file, which may be temporary.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var call *os.SyscallError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	case errors.As(err, &call):
		return call.Err
	}
	return err
}

// freeSpace returns the space that an ordinary user has left on the file's disk.
func freeSpace(path string) string {
	fs, err := disk(path)
	if err != nil {
		return "an unknown amount"
	}
	return si.Bytes(float64(fs.Bavail) * float64(fs.Bsize))
}

// noMoreFiles reports whether the file's disk has no inodes left. Some file systems do not count them.
func noMoreFiles(path string) bool {
	fs, err := disk(path)
	return err == nil && fs.Files > 0 && fs.Ffree == 0
}

// disk returns the file system that a file is on, or would be.
func disk(path string) (fs syscall.Statfs_t, err error) {
	if target, err := followLinks(path); err == nil {
		path = target
	}
	err = syscall.Statfs(filepath.Dir(path), &fs)
	return fs, err
}

// maxPending is the maximum number of unwritten bytes of a log while its disk fails.
const maxPending = 16 << 20

// log is a file that grows by whole lines. Lines that could not be written are retried with the next ones.
type log struct {
	path    string
	file    *os.File
	size    int64  // bytes of whole lines in the file
	sum     uint32 // CRC-32 of these
	pending []byte
}

func createLog(path string, header []byte) (*log, error) {
	l := &log{path: path}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return l, writeError(path, len(header), err)
	}
	l.file = f
	return l, l.append(header, true)
}

// append adds whole lines in one write, and syncs them to disk if sync is true. A partial write is truncated, so that the file
// always ends with a whole line.
func (l *log) append(lines []byte, sync bool) error {
	if len(l.pending) > 0 && len(l.pending)+len(lines) > maxPending {
		return fmt.Errorf("cannot write %s: %s are already waiting to be written", l.path, si.Bytes(float64(len(l.pending))))
	}
	l.pending = append(l.pending, lines...)
	if l.file == nil {
		return fmt.Errorf("cannot write %s: it could not be created", l.path)
	}
	if len(l.pending) > 0 {
		if _, err := l.file.WriteAt(l.pending, l.size); err != nil {
			// Ignore the count: WriteAt omits what it wrote before the error.
			return errors.Join(writeError(l.path, len(l.pending), err), l.cut())
		}
		l.size += int64(len(l.pending))
		l.sum = crc32.Update(l.sum, crc32.IEEETable, l.pending)
		l.pending = l.pending[:0]
	}
	if sync {
		return writeError(l.path, 0, l.file.Sync())
	}
	return nil
}

// inPlace returns an error if the file is no longer in its folder: writes to it are then lost.
func (l *log) inPlace() error {
	if l.file == nil {
		return nil // append has reported why
	}
	at, err := os.Stat(l.path)
	if err != nil {
		return writeError(l.path, 0, err)
	}
	if own, err := l.file.Stat(); err != nil || !os.SameFile(at, own) {
		return fmt.Errorf("cannot write %s: another file has taken its place", l.path)
	}
	return nil
}

// cut truncates the file after its last whole line.
func (l *log) cut() error {
	if err := l.file.Truncate(l.size); err != nil {
		return fmt.Errorf("cannot truncate %s to its last complete line: %w", l.path, cause(err))
	}
	return nil
}

func (l *log) close() error {
	err := l.append(nil, true)
	if l.file != nil {
		err = errors.Join(err, l.file.Close())
		l.file = nil
	}
	return err
}
