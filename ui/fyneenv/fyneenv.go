// Package fyneenv sets the environment that Fyne reads while its packages are initialized, including for the command line.
//
// It must be initialized before them. Go initializes packages that are ready in the order of their import paths, and this
// one's path sorts before fyne.io; it imports nothing that would delay it.
package fyneenv

import (
	"os"
	"strings"
)

// Fyne keeps the texture of every text for a minute after it was drawn last. Figures of a run change several times a second, so that
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
		set("LC_ALL", "C") // which Fyne knows to be no language
	}
}

// before is what a variable was.
type before struct {
	name, value string
	given       bool
}

// changed are the variables that were set here.
var changed []before

// set remembers what the variable was. A failure leaves it, and Fyne does as it always does.
func set(name, value string) {
	old, given := os.LookupEnv(name)
	if os.Setenv(name, value) == nil {
		changed = append(changed, before{name, old, given})
	}
}

// Restore gives the environment back as it was, for the programs that Assay starts. Fyne has read it by then.
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

// localeVariable is the one that decides.
func localeVariable() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return "LANG"
}
