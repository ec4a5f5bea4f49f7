// Package fyneenv sets the environment that Fyne reads while its packages are initialized, including for the command line.
//
// It must be initialized before them. Go initializes packages that are ready in the order of their import paths, and this
// one's path sorts before fyne.io; it imports nothing that would delay it.
package fyneenv

import (
	"os"
	"strings"
)

// Fyne keeps the texture of every text for a minute after it was last drawn. Figures of a run change several times a second, so
// hundreds of textures would come and go, and scatter small blocks over the C library's heap, which then cannot give pages back.
const (
	cacheVariable = "FYNE_CACHE"
	cacheTime     = "15s"
)

func init() {
	if os.Getenv(cacheVariable) == "" {
		set(cacheVariable, cacheTime)
	}
	// Fyne takes "C" of C.UTF-8, the usual locale in containers, for a language, and logs an error at every start.
	if strings.HasPrefix(os.Getenv(localeVariable()), "C.") {
		set("LC_ALL", "C") // Fyne knows that this is not a language
	}
}

// before is the previous value of a variable.
type before struct {
	name, value string
	given       bool
}

// changed are the variables that were set here.
var changed []before

// set remembers the variable's previous value. If it fails, Fyne does what it always does.
func set(name, value string) {
	old, given := os.LookupEnv(name)
	if os.Setenv(name, value) == nil {
		changed = append(changed, before{name, old, given})
	}
}

// Restore restores the environment for the programs that Assay starts. By then, Fyne has read it.
func Restore() {
	for _, b := range changed {
		if b.given {
			_ = os.Setenv(b.name, b.value)
		} else {
			_ = os.Unsetenv(b.name)
		}
	}
	changed = nil
}

// localeVariable is the variable that decides the locale.
func localeVariable() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return "LANG"
}
