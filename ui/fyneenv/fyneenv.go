// Package fyneenv sets what Fyne reads from the environment while its packages are initialized.
//
// It must be initialized before Fyne's packages. Go initializes packages that are ready in the order of their import
// paths, and this one's sorts before fyne.io and imports nothing that would delay it.
package fyneenv

import (
	"os"
	"strings"
)

func init() {
	quietLocale()
	shortCache()
}

// quietLocale keeps Fyne from logging an error at every start, command line included, where the locale is C.UTF-8, the
// usual one in containers: Fyne takes "C" for a language.
func quietLocale() {
	if v := os.Getenv(locale()); strings.HasPrefix(v, "C.") {
		_ = os.Setenv("LC_ALL", "C") // which Fyne knows to be no language; a failure leaves the log line
	}
}

// locale is the variable that decides.
func locale() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return "LANG"
}

// Fyne keeps textures of texts, and renderers of widgets out of sight, for a minute after they were last drawn. Each
// reading brings new texts: the C library's heap grew with their textures by 2 MB in the first dozen runs.
const (
	cacheVariable = "FYNE_CACHE"
	cacheTime     = "10s"
)

// ours is false where the user has chosen a time.
var ours bool

func shortCache() {
	if os.Getenv(cacheVariable) == "" {
		ours = os.Setenv(cacheVariable, cacheTime) == nil
	}
}

// Clear removes what the programs that Assay starts should not inherit.
func Clear() {
	if ours {
		_ = os.Unsetenv(cacheVariable)
	}
}
