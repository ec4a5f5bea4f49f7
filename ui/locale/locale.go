// Package locale keeps Fyne from logging an error at every start, command line included, where the locale is C.UTF-8,
// the usual one in containers: Fyne reads the locale while its packages are initialized, and takes "C" for a language.
//
// It must be initialized before Fyne's packages. Go initializes packages that are ready in the order of their import
// paths, and this one's sorts before fyne.io and imports nothing that would delay it.
package locale

import (
	"os"
	"strings"
)

func init() {
	if v := os.Getenv(variable()); strings.HasPrefix(v, "C.") {
		_ = os.Setenv("LC_ALL", "C") // which Fyne knows to be no language; a failure leaves the log line
	}
}

// variable is the one that decides.
func variable() string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES"} {
		if os.Getenv(name) != "" {
			return name
		}
	}
	return "LANG"
}
