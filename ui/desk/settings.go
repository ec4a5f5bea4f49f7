package desk

import (
	"encoding/json"
	"maps"
	"math"
	"strconv"

	"fyne.io/fyne/v2"

	"assay/app/bundle"
	"assay/ui/kit"
	"assay/workloads"
)

// Settings are stored between starts. Values are checked when read: an invalid one counts as missing.
type Settings struct{ Store Store }

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
	keyLive       = "tuning.live"
	keyNames      = "run.names" // the list of workloads shows names only
	keyTextSize   = "text.size" // in percent
	keyPage       = "page"
	keyColumns    = "results.columns"
	keyBaseline   = "results.baseline" // app.BaselineSetting, which the command line reads
	keyPool       = "pool"             // settings of pools and leak checks
	keyChoices    = "choices"          // small choices of the pages, by name
)

// Sizes of the window.
const (
	usualWidth, usualHeight = 1280, 800
	minWidth, minHeight     = 1100, 700
	maxSize                 = 8192
)

// Size returns the window's size when it was last closed.
func (s Settings) Size() fyne.Size {
	get := func(key string, usual, least float64) float32 {
		v := s.Store.FloatWithFallback(key, usual)
		if math.IsNaN(v) || v < least || v > maxSize {
			v = usual
		}
		return float32(v)
	}
	return fyne.NewSize(get(keyWidth, usualWidth, minWidth), get(keyHeight, usualHeight, minHeight))
}

// SetSize remembers the window's size.
func (s Settings) SetSize(size fyne.Size) {
	s.Store.SetFloat(keyWidth, float64(size.Width))
	s.Store.SetFloat(keyHeight, float64(size.Height))
}

// workload is the index of the last chosen workload.
func (s Settings) workload(all []workloads.Workload) int {
	name := s.Store.String(keyWorkload)
	for i := range all {
		if all[i].Name == name {
			return i
		}
	}
	return 0
}

func (s Settings) setWorkload(name string) { s.Store.SetString(keyWorkload, name) }

// modeEntry is the key of the values' mode, stored with them: no parameter has that name.
const modeEntry = "(quick)"

// values returns the last valid values of a workload, converted to a mode. If they are not stored, or no longer fit, it
// returns the defaults.
func (s Settings) values(w *workloads.Workload, quick bool) workloads.Values {
	v := w.Defaults(quick)
	var raw map[string]string
	if json.Unmarshal([]byte(s.Store.String(keyValues+w.Name)), &raw) != nil {
		return v
	}
	stored := workloads.Values{}
	for i := range w.Params {
		p := &w.Params[i]
		if text, ok := raw[p.Name]; ok {
			if value, err := p.Parse(text); err == nil {
				stored[p.Name] = value
			}
		}
	}
	if mode := raw[modeEntry]; mode != "" && mode != strconv.FormatBool(quick) {
		stored = InMode(w, stored, quick)
	}
	maps.Copy(v, stored)
	if w.Check(v) != nil {
		return w.Defaults(quick)
	}
	return v
}

// setValues stores values of a workload and their mode.
func (s Settings) setValues(w *workloads.Workload, v workloads.Values, quick bool) {
	raw := map[string]string{modeEntry: strconv.FormatBool(quick)}
	for i := range w.Params {
		raw[w.Params[i].Name] = w.Params[i].Format(v[w.Params[i].Name])
	}
	if data, err := json.Marshal(raw); err == nil { // a map of strings can always be encoded
		s.Store.SetString(keyValues+w.Name, string(data))
	}
}

func (s Settings) quick() bool      { return s.Store.Bool(keyQuick) }
func (s Settings) setQuick(on bool) { s.Store.SetBool(keyQuick, on) }

func (s Settings) live() bool      { return s.Store.BoolWithFallback(keyLive, true) }
func (s Settings) setLive(on bool) { s.Store.SetBool(keyLive, on) }

// NamesOnly reports whether the list of workloads omits descriptions; narrow windows do by default.
func (s Settings) NamesOnly(usual bool) bool { return s.Store.BoolWithFallback(keyNames, usual) }

// SetNamesOnly remembers it.
func (s Settings) SetNamesOnly(on bool) { s.Store.SetBool(keyNames, on) }

// anyEngine is the choice of the first engine that opens.
const anyEngine = "auto"

// engine is the name of the last chosen engine.
func (s Settings) engine() string        { return s.Store.StringWithFallback(keyEngine, anyEngine) }
func (s Settings) setEngine(name string) { s.Store.SetString(keyEngine, name) }

// Appearance is the last chosen appearance.
func (s Settings) Appearance() kit.Appearance {
	return kit.ParseAppearance(s.Store.String(keyAppearance))
}

// SetAppearance remembers a look.
func (s Settings) SetAppearance(a kit.Appearance) { s.Store.SetString(keyAppearance, string(a)) }

// TextSize is the last chosen text size, in percent.
func (s Settings) TextSize() int {
	percent := s.Store.IntWithFallback(keyTextSize, kit.UsualTextSize)
	if percent < kit.MinTextSize || percent > kit.MaxTextSize {
		return kit.UsualTextSize
	}
	return percent
}

func (s Settings) setTextSize(percent int) { s.Store.SetInt(keyTextSize, percent) }

// Page is the name of the page last in front, empty if none was.
func (s Settings) Page() string { return s.Store.String(keyPage) }

// SetPage remembers the page in front.
func (s Settings) SetPage(name string) { s.Store.SetString(keyPage, name) }

// Columns says which columns of the results' table are shown, for those that the user chose.
func (s Settings) Columns() map[string]bool {
	chosen := map[string]bool{}
	if json.Unmarshal([]byte(s.Store.String(keyColumns)), &chosen) != nil || chosen == nil {
		return map[string]bool{}
	}
	now := make(map[string]bool, len(chosen))
	for name, shown := range chosen {
		for _, name := range bundle.NewNames(name) {
			now[name] = shown
		}
	}
	return now
}

// SetColumns remembers the user's choice.
func (s Settings) SetColumns(chosen map[string]bool) {
	if data, err := json.Marshal(chosen); err == nil { // such a map can always be encoded
		s.Store.SetString(keyColumns, string(data))
	}
}

// baseline returns the folder of the run that is the baseline; empty if there is none.
func (s Settings) baseline() string       { return s.Store.String(keyBaseline) }
func (s Settings) setBaseline(dir string) { s.Store.SetString(keyBaseline, dir) }

// keys lists every key in use.
func keys(all []workloads.Workload) []string {
	list := []string{
		keyWidth, keyHeight, keyWorkload, keyQuick, keyEngine, keyAppearance, keyFolder, keyOpenFolder,
		keyLive, keyNames, keyTextSize, keyPage, keyColumns, keyBaseline,
		keyPool, keyChoices,
	}
	for i := range all {
		list = append(list, keyValues+all[i].Name)
	}
	return list
}

// forget removes all stored settings.
func (s Settings) forget(all []workloads.Workload) {
	for _, key := range keys(all) {
		s.Store.RemoveValue(key)
	}
}

// folder is where the last export went.
func (s Settings) folder() string        { return s.Store.String(keyFolder) }
func (s Settings) setFolder(path string) { s.Store.SetString(keyFolder, path) }

// openFolder is where the last file came from.
func (s Settings) openFolder() string        { return s.Store.String(keyOpenFolder) }
func (s Settings) setOpenFolder(path string) { s.Store.SetString(keyOpenFolder, path) }
