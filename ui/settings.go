package ui

import (
	"encoding/json"
	"math"

	"fyne.io/fyne/v2"

	"assay/workloads"
)

// settings are what is remembered between starts. What is stored is checked when it is read: a bad value is as good
// as none.
type settings struct{ store fyne.Preferences }

// Keys of the settings.
const (
	keyWidth      = "window.width"
	keyHeight     = "window.height"
	keyWorkload   = "workload"
	keyValues     = "values." // + the workload's name
	keyQuick      = "quick"
	keyEngine     = "engine"
	keyAppearance = "appearance"
	keyFolder     = "export.folder"
	keyOpenFolder = "open.folder"
)

// Sizes of the window.
const (
	usualWidth, usualHeight = 1280, 800
	leastWidth, leastHeight = 1100, 700
	mostSize                = 8192
)

// size is that of the window when it was last closed.
func (s settings) size() fyne.Size {
	get := func(key string, usual, least float64) float32 {
		v := s.store.FloatWithFallback(key, usual)
		if math.IsNaN(v) || v < least || v > mostSize {
			v = usual
		}
		return float32(v)
	}
	return fyne.NewSize(get(keyWidth, usualWidth, leastWidth), get(keyHeight, usualHeight, leastHeight))
}

func (s settings) setSize(size fyne.Size) {
	s.store.SetFloat(keyWidth, float64(size.Width))
	s.store.SetFloat(keyHeight, float64(size.Height))
}

// workload is the index of the one chosen last.
func (s settings) workload(all []workloads.Workload) int {
	name := s.store.String(keyWorkload)
	for i := range all {
		if all[i].Name == name {
			return i
		}
	}
	return 0
}

func (s settings) setWorkload(name string) { s.store.SetString(keyWorkload, name) }

// values are the last good ones of a workload. Those that are not stored, or no longer fit, are left out.
func (s settings) values(w *workloads.Workload) workloads.Values {
	var raw map[string]string
	if json.Unmarshal([]byte(s.store.String(keyValues+w.Name)), &raw) != nil {
		return nil
	}
	v := workloads.Values{}
	for i := range w.Params {
		p := &w.Params[i]
		if text, ok := raw[p.Name]; ok {
			if value, err := p.Parse(text); err == nil {
				v[p.Name] = value
			}
		}
	}
	return v
}

func (s settings) setValues(w *workloads.Workload, v workloads.Values) {
	raw := map[string]string{}
	for i := range w.Params {
		raw[w.Params[i].Name] = w.Params[i].Format(v[w.Params[i].Name])
	}
	if data, err := json.Marshal(raw); err == nil { // a map of strings always can be
		s.store.SetString(keyValues+w.Name, string(data))
	}
}

func (s settings) quick() bool      { return s.store.Bool(keyQuick) }
func (s settings) setQuick(on bool) { s.store.SetBool(keyQuick, on) }

// engine is the name of the engine chosen last, "auto" if none was.
func (s settings) engine() string        { return s.store.StringWithFallback(keyEngine, "auto") }
func (s settings) setEngine(name string) { s.store.SetString(keyEngine, name) }

func (s settings) appearance() appearance     { return parseAppearance(s.store.String(keyAppearance)) }
func (s settings) setAppearance(a appearance) { s.store.SetString(keyAppearance, string(a)) }

// folder is where the last export went.
func (s settings) folder() string        { return s.store.String(keyFolder) }
func (s settings) setFolder(path string) { s.store.SetString(keyFolder, path) }

// openFolder is where the last file came from.
func (s settings) openFolder() string        { return s.store.String(keyOpenFolder) }
func (s settings) setOpenFolder(path string) { s.store.SetString(keyOpenFolder, path) }
