package metal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// storeVersion changes whenever the meaning of the stored files changes.
const storeVersion = 1

// store is a folder with one archive file per kernel and constants. The manifest beside it records what the archive was
// compiled from. Archives of other sources, systems or devices are stale and replaced; archives that do not match their
// manifest are corrupt and renamed before Metal opens them.
type store struct {
	dir string
	env environment
}

// environment is what compiled code depends on in addition to its source. It does not include the registry ID, which changes
// at every boot although the code is the same for equal devices.
type environment struct {
	OSBuild      string `json:"os_build"`
	Device       string `json:"device"`
	Architecture string `json:"architecture"`
}

func environmentOf(f facts, h host) environment {
	return environment{h.osBuild, f.name, f.architecture}
}

// archiveKey identifies one pipeline.
type archiveKey struct {
	kernel, constants string
	source            [sha256.Size]byte
}

// manifest is the file beside an archive.
type manifest struct {
	Version   int    `json:"version"`
	Kernel    string `json:"kernel"`
	Constants string `json:"constants"`
	Source    string `json:"source_sha256"`
	environment
	Bytes   int64   `json:"bytes"`
	SHA256  string  `json:"sha256"`
	Seconds float64 `json:"seconds,omitempty"` // that compiling took
}

// openStore creates the folder root/device.
func openStore(root string, env environment) (*store, error) {
	dir := filepath.Join(root, slug(env.Device))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &store{dir, env}
	s.sweep()
	return s, nil
}

// staleAfter is the age after which a temporary folder of put is abandoned: writing an archive takes far less time.
const staleAfter = time.Hour

// sweep removes temporary folders of processes that were killed within put. The next start tries again to remove the rest.
func (s *store) sweep() {
	entries, _ := os.ReadDir(s.dir)
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), unfinished) && time.Since(info.ModTime()) > staleAfter {
			_ = os.RemoveAll(filepath.Join(s.dir, e.Name()))
		}
	}
}

// unfinished is the prefix of the temporary folders in which archives are written.
const unfinished = "new-"

// slug converts text to a file name: every character other than a letter or digit becomes '-'.
func slug(text string) string {
	keep := func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '-'
	}
	return strings.Map(keep, text)
}

// path is the path of the archive. Constants are hashed, since they may be long.
func (s *store) path(k archiveKey) string {
	sum := sha256.Sum256([]byte(k.kernel + "\x00" + k.constants))
	return filepath.Join(s.dir, slug(k.kernel)+"-"+hex.EncodeToString(sum[:6])+archiveSuffix)
}

func manifestPath(archive string) string { return archive + ".json" }

// expected is k's manifest without the fields that depend on the archive file.
func (s *store) expected(k archiveKey) manifest {
	return manifest{
		Version: storeVersion, Kernel: k.kernel, Constants: k.constants, Source: hex.EncodeToString(k.source[:]),
		environment: s.env,
	}
}

// find returns the path of k's archive if it is valid.
func (s *store) find(k archiveKey) (path string, ok bool) {
	path, ok, _ = s.look(k)
	return path, ok
}

// look is find, and reports whether there was an archive that is corrupt.
func (s *store) look(k archiveKey) (path string, ok, corrupt bool) {
	path = s.path(k)
	have, err := readManifest(manifestPath(path))
	if errors.Is(err, fs.ErrNotExist) {
		s.drop(path) // an archive without a manifest is incomplete
		return "", false, false
	}
	if err != nil {
		s.quarantine(k)
		return "", false, true
	}
	want := s.expected(k)
	want.Bytes, want.SHA256, want.Seconds = have.Bytes, have.SHA256, have.Seconds
	if have != want {
		s.drop(path)
		return "", false, false
	}
	bytes, sum, err := digest(path)
	if err != nil || bytes != have.Bytes || sum != have.SHA256 {
		s.quarantine(k)
		return "", false, true
	}
	return path, true, false
}

func readManifest(path string) (manifest, error) {
	var m manifest
	text, err := os.ReadFile(path)
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(text, &m)
}

func digest(path string) (bytes int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", err
	}
	defer f.Close()
	h := sha256.New()
	bytes, err = io.Copy(h, f)
	return bytes, hex.EncodeToString(h.Sum(nil)), err
}

// put stores the file that write creates, for a pipeline that took seconds to compile. The manifest is written last, so that an
// incomplete archive is never mistaken for a valid one.
func (s *store) put(k archiveKey, seconds float64, write func(path string) error) error {
	path := s.path(k)
	temp, err := os.MkdirTemp(s.dir, unfinished)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) //nolint:errcheck // a leftover folder is removed by sweep
	fresh := filepath.Join(temp, filepath.Base(path))
	if err := write(fresh); err != nil {
		return err
	}
	m := s.expected(k)
	m.Seconds = seconds
	if m.Bytes, m.SHA256, err = digest(fresh); err != nil {
		return err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(manifestPath(fresh), text, 0o644); err != nil {
		return err
	}
	s.drop(path)
	return errors.Join(os.Rename(fresh, path), os.Rename(manifestPath(fresh), manifestPath(path)))
}

// drop removes a useless archive. One that cannot be removed is overwritten later.
func (s *store) drop(path string) {
	_ = os.Remove(manifestPath(path))
	_ = os.Remove(path)
}

// quarantine renames a corrupt archive. The most recent one is kept for inspection.
func (s *store) quarantine(k archiveKey) {
	path := s.path(k)
	_ = os.Rename(path, path+badSuffix)
	_ = os.Remove(manifestPath(path))
}
