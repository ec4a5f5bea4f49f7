package assets

import (
	"bytes"
	"image/png"
	"os"
	"testing"

	"github.com/BurntSushi/toml"
)

func TestIconIsSquareWithClearCorners(t *testing.T) {
	packaged, err := os.ReadFile("Icon.png")
	if err != nil {
		t.Fatal(err)
	}
	for side, data := range map[int][]byte{256: Icon(), 1024: packaged} {
		img, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if b := img.Bounds(); b.Dx() != side || b.Dy() != side {
			t.Errorf("icon is %v, want %d × %d", b, side, side)
		}
		if _, _, _, a := img.At(0, 0).RGBA(); a != 0 {
			t.Errorf("corner has alpha %d, want a transparent margin", a)
		}
		if _, _, _, a := img.At(side/2, side/2).RGBA(); a != 0xffff {
			t.Errorf("center has alpha %d, want opaque", a)
		}
	}
}

func TestPackagerFileAgrees(t *testing.T) {
	var f struct {
		Details struct {
			Icon, Name, ID, Version string
			Build                   int
		}
		LinuxAndBSD struct{ Comment string }
		Migrations  map[string]bool
	}
	if _, err := toml.DecodeFile("../FyneApp.toml", &f); err != nil {
		t.Fatal(err)
	}
	d := f.Details
	if d.Name != Name || d.ID != ID || d.Version != Version || d.Build != Build || f.LinuxAndBSD.Comment != Description {
		t.Errorf("FyneApp.toml has %+v %q, package assets has %s %s %s %d %q", d, f.LinuxAndBSD.Comment, Name, ID, Version, Build, Description)
	}
	if _, err := os.Stat("../" + d.Icon); err != nil {
		t.Error(err)
	}
}
