package app

import (
	"bytes"
	"errors"
	"io"
	"log"
	"strings"
	"testing"
)

// TestHarmlessMessagesAreNotLogged writes messages the way Fyne does, in three parts.
func TestHarmlessMessagesAreNotLogged(t *testing.T) {
	var out bytes.Buffer
	to := log.New(&withoutNoise{to: &out}, "", 0)
	report := func(what string, cause error) {
		to.Println("Fyne error: ", what)
		to.Println("  Cause:", cause)
		to.Printf("  At: %s:%d", "file.go", 12)
	}
	report("Preferences load error:", io.EOF)
	report("Getting favorite locations", errors.New("this computer does not define a VIDEOS folder"))
	if out.Len() > 0 {
		t.Errorf("logged %q", out.String())
	}
	report("Preferences load error:", errors.New("disk on fire"))
	report("Lost", io.EOF)
	to.Println("Fyne error:  Preferences load error:") // and no cause
	to.Println("a line of our own")
	for _, want := range []string{"disk on fire", "Lost", "EOF", "a line of our own"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, out.String())
		}
	}
	if got := strings.Count(out.String(), "  At: "); got != 2 {
		t.Errorf("%d places of two messages:\n%s", got, out.String())
	}
}
