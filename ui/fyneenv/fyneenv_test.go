package fyneenv_test

import (
	"os"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	_ "fyne.io/fyne/v2/test" // which has the cache

	"assay/ui/fyneenv"
)

//go:linkname validDuration fyne.io/fyne/v2/internal/cache.ValidDuration
var validDuration time.Duration

// TestFyneIsTold passes if fyneenv was initialized before Fyne's cache.
func TestFyneIsTold(t *testing.T) {
	if os.Getenv("FYNE_CACHE") != "10s" {
		t.Skip("FYNE_CACHE was set when the test began")
	}
	if validDuration != 10*time.Second {
		t.Errorf("Fyne keeps what it does not draw for %v, want 10 s", validDuration)
	}
	if fyneenv.Clear(); os.Getenv("FYNE_CACHE") != "" {
		t.Error("FYNE_CACHE is still in the environment")
	}
}
