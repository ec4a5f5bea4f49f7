package uitest

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// Look says how a page is viewed: in a state, an appearance and a size.
type Look struct {
	State      string
	Appearance kit.Appearance
	Size       fyne.Size
}

// Name returns the name of the look's golden.
func (l Look) Name() string { return fmt.Sprintf("%s-%s-%.0f", l.State, l.Appearance, l.Size.Width) }

// Looks returns every state at those sizes, alternating between dark and light.
func Looks(states []string, sizes ...fyne.Size) []Look {
	var list []Look
	for i, state := range states {
		for k, size := range sizes {
			list = append(list, Look{state, []kit.Appearance{kit.AlwaysDark, kit.AlwaysLight}[(i+k)%2], size})
		}
	}
	return list
}

// Goldens compares a page with texts that a person has read; open brings the page to a look.
func Goldens(t *testing.T, looks []Look, open func(t *testing.T, l Look) *Stand) {
	t.Helper()
	for _, l := range looks {
		t.Run(l.Name(), func(t *testing.T) {
			Golden(t, l.Name(), open(t, l).Desk.Window.Canvas())
		})
	}
	for _, path := range unused(t, looks) {
		t.Errorf("%s is compared with no look: remove it", path)
	}
}

var goldenName = regexp.MustCompile(`^(.*)-(dark|light)-\d+$`)

// unused returns the goldens of these states that no look is compared with any more.
func unused(t *testing.T, looks []Look) (paths []string) {
	t.Helper()
	names, states := map[string]bool{}, map[string]bool{}
	for _, l := range looks {
		names[l.Name()], states[l.State] = true, true
	}
	found, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		if of := goldenName.FindStringSubmatch(name); of != nil && states[of[1]] && !names[name] {
			paths = append(paths, path)
		}
	}
	return paths
}

// NothingClipped checks every state of a page from the minimum size to that of a large screen, in both appearances. Anything
// in fluid may be cut off.
func NothingClipped(t *testing.T, states []string, open func(t *testing.T, l Look) *Stand, fluid ...string) {
	t.Helper()
	for _, state := range states {
		t.Run(state, func(t *testing.T) {
			s := open(t, Look{state, kit.AlwaysDark, Smallest})
			for _, size := range []fyne.Size{Smallest, Usual, fyne.NewSize(1600, 900), fyne.NewSize(2484, 1390)} {
				t.Run(fmt.Sprintf("%.0f", size.Width), func(t *testing.T) {
					s.Desk.Window.Resize(size)
					CheckClipping(t, s.View.Object, size, fluid...)
				})
			}
			t.Run("light", func(t *testing.T) {
				fyne.CurrentApp().Settings().SetTheme(kit.NewLook(kit.AlwaysLight))
				CheckClipping(t, s.View.Object, s.Desk.Window.Canvas().Size(), fluid...)
			})
		})
	}
}

// AtLook compares a page in one look with a picture, testdata/look.png, that a person has looked at.
func AtLook(t *testing.T, l Look, open func(t *testing.T, l Look) *Stand) {
	t.Helper()
	Picture(t, "look", open(t, l).Desk.Window.Canvas())
}
