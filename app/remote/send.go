package remote

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// look is how often a job's files are checked while they are sent.
const look = 250 * time.Millisecond

// Send writes what a job has written, and continues until the job has ended. `have` says how much of each growing file the
// other machine has; files that are replaced are sent whole whenever they change.
func (j Jobs) Send(ctx context.Context, w io.Writer, id string, have map[string]int64) error {
	dir, err := j.folder(id)
	if err != nil {
		return err
	}
	s := sender{dir: dir, to: json.NewEncoder(w), have: have, seen: map[string]fs.FileInfo{}}
	for {
		end := outcome(dir) // read before the files, which are complete if the job has ended
		if err := s.send(); err != nil {
			return err
		}
		if end != nil {
			sums, err := s.sums()
			if err != nil {
				return err
			}
			return s.to.Encode(frame{Ended: end, Sums: sums})
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
	}
}

// outcome returns how the job ended; nil while it runs.
func outcome(dir string) *End {
	if end := ended(dir); end != nil {
		return end
	}
	if alive(dir) {
		return nil
	}
	if end := ended(dir); end != nil { // it ended meanwhile
		return end
	}
	return &End{Code: 1, Why: "Assay or its machine went down"}
}

type sender struct {
	dir  string
	to   *json.Encoder
	have map[string]int64       // of growing files
	seen map[string]fs.FileInfo // of files that are replaced, as they were sent
}

// send sends what is new in all files.
func (s *sender) send() error {
	all, err := s.files()
	for _, file := range all {
		if err == nil && grows(file) {
			err = s.rest(file)
		} else if err == nil {
			err = s.whole(file)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // replaced or removed just now
		}
	}
	return err
}

// grows reports whether a file is only appended to.
func grows(file string) bool {
	return file == outputFile || file == errorsFile || strings.HasSuffix(file, ".csv") || strings.HasSuffix(file, ".jsonl")
}

// files returns the names of the job's files to send.
func (s *sender) files() ([]string, error) {
	var all []string
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoreMissing(err)
		}
		name, err := filepath.Rel(s.dir, path)
		if err != nil {
			return err
		}
		if _, _, err := place(filepath.ToSlash(name)); err == nil {
			all = append(all, filepath.ToSlash(name))
		}
		return nil
	})
	return all, err
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// rest sends what was appended to a file.
func (s *sender) rest(file string) error {
	f, err := os.Open(filepath.Join(s.dir, file))
	if err != nil {
		return err
	}
	defer f.Close()
	buffer := make([]byte, piece)
	for {
		n, err := f.ReadAt(buffer, s.have[file])
		if n > 0 {
			if err := s.to.Encode(frame{File: file, At: s.have[file], Data: buffer[:n]}); err != nil {
				return err
			}
			s.have[file] += int64(n)
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// whole sends a file that is replaced, if it has changed since the last time.
func (s *sender) whole(file string) error {
	path := filepath.Join(s.dir, file)
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	old := s.seen[file]
	if info.Size() > maxWhole || old != nil && os.SameFile(old, info) && old.Size() == info.Size() && old.ModTime().Equal(info.ModTime()) {
		return nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	s.seen[file] = info
	return s.to.Encode(frame{File: file, Whole: true, Data: data})
}

// sums returns the checksums of all files that were sent.
func (s *sender) sums() (map[string]string, error) {
	all, err := s.files()
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, file := range slices.DeleteFunc(all, func(f string) bool { return s.have[f] == 0 && s.seen[f] == nil }) {
		if sums[file], err = sum(filepath.Join(s.dir, file)); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// sum is the SHA-256 of a file, in hexadecimal.
func sum(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), err
}
