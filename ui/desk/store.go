package desk

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"assay/app"
	"assay/internal/regular"
)

// Store stores settings by name. Fyne's preferences would do, but they overwrite their file in place: a kill leaves half of
// it.
type Store interface {
	Bool(key string) bool
	BoolWithFallback(key string, usual bool) bool
	FloatWithFallback(key string, usual float64) float64
	IntWithFallback(key string, usual int) int
	String(key string) string
	StringWithFallback(key, usual string) string
	SetBool(key string, v bool)
	SetFloat(key string, v float64)
	SetInt(key string, v int)
	SetString(key, v string)
	RemoveValue(key string)
}

// FileStore stores settings in a JSON file, which is replaced atomically. Changes are written together, a moment after
// the first; Flush writes them at once.
type FileStore struct {
	path string

	mu      sync.Mutex // guards the rest
	failed  func(error)
	values  map[string]any
	pending *time.Timer // nil: all is written
	writing sync.Mutex  // serializes writes, and guards last
	last    string      // the error of the last write; empty: it succeeded
}

// TellFailure sets failed, which is called on any goroutine if settings cannot be written.
func (f *FileStore) TellFailure(failed func(error)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failed = failed
}

// storeDelay is how long changes are collected before a write.
const storeDelay = 300 * time.Millisecond

// NewFileStore reads the settings of a file; a missing or unreadable file counts as empty, as does one that is not a regular file
// or is too large. Without a path nothing is stored.
func NewFileStore(path string) *FileStore {
	f := &FileStore{path: path}
	if data, err := regular.Read(path, "a file of settings", app.MaxSettings); err != nil || json.Unmarshal(data, &f.values) != nil || f.values == nil {
		f.values = map[string]any{}
	}
	return f
}

// get returns a stored value of type T.
func get[T any](f *FileStore, key string, usual T) T {
	f.mu.Lock()
	defer f.mu.Unlock()
	if v, ok := f.values[key].(T); ok {
		return v
	}
	return usual
}

func (f *FileStore) Bool(key string) bool { return get(f, key, false) }

func (f *FileStore) BoolWithFallback(key string, usual bool) bool { return get(f, key, usual) }

func (f *FileStore) FloatWithFallback(key string, usual float64) float64 { return get(f, key, usual) }

func (f *FileStore) String(key string) string { return get(f, key, "") }

func (f *FileStore) StringWithFallback(key, usual string) string { return get(f, key, usual) }

// IntWithFallback is a whole number; JSON only has floats.
func (f *FileStore) IntWithFallback(key string, usual int) int {
	v := get(f, key, float64(usual))
	if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
		return usual
	}
	return int(v)
}

func (f *FileStore) SetBool(key string, v bool)     { f.set(key, v) }
func (f *FileStore) SetFloat(key string, v float64) { f.set(key, v) }
func (f *FileStore) SetInt(key string, v int)       { f.set(key, float64(v)) }
func (f *FileStore) SetString(key, v string)        { f.set(key, v) }

// RemoveValue forgets a value.
func (f *FileStore) RemoveValue(key string) { f.set(key, nil) }

// set changes a value, or removes it if nil, and schedules a write. Values that JSON cannot represent are not stored.
func (f *FileStore) set(key string, v any) {
	if x, ok := v.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if old, had := f.values[key]; v == nil && !had || v != nil && had && reflect.DeepEqual(old, v) {
		return
	}
	if v == nil {
		delete(f.values, key)
	} else {
		f.values[key] = v
	}
	if f.pending == nil {
		f.pending = time.AfterFunc(storeDelay, f.Flush)
	}
}

// Flush writes pending changes.
func (f *FileStore) Flush() {
	f.writing.Lock()
	defer f.writing.Unlock()
	f.mu.Lock()
	changed := f.pending != nil
	if changed {
		f.pending.Stop()
		f.pending = nil
	}
	data, err := json.MarshalIndent(f.values, "", "\t")
	failed := f.failed
	f.mu.Unlock()
	if !changed || f.path == "" {
		return
	}
	if err == nil {
		err = f.write(data)
	}
	if f.repeats(err) || failed == nil {
		return
	}
	failed(err)
}

// repeats reports whether the outcome of a write is not news: it succeeded, or failed like the one before.
func (f *FileStore) repeats(err error) bool {
	before := f.last
	f.last = ""
	if err != nil {
		f.last = err.Error()
	}
	return f.last == "" || f.last == before
}

func (f *FileStore) write(data []byte) error {
	folder := filepath.Dir(f.path)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return renameio.WriteFile(f.path, append(data, '\n'), 0o600, renameio.WithTempDir(folder))
}
