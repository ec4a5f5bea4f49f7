package kernelspage

import (
	"path"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/app"
	"assay/ui/desk"
	"assay/ui/editor"
	"assay/ui/kit"
)

// source shows the files that a kernel is compiled from.
type source struct {
	file   *kit.Select
	hash   *kit.Text
	code   *editor.Pane
	copy   *kit.Button
	find   *kit.Button
	with   *fyne.Container // a source
	none   *kit.Text       // instead of it
	object fyne.CanvasObject
	shown  app.KernelInfo
	quiet  bool // while the menu is updated
}

const hashDigits = 12 // enough to distinguish sources

func newSource(d *desk.Desk) *source {
	s := &source{hash: kit.NewCaption("", 1)}
	s.file = kit.NewSelect(nil, func(string) {
		if !s.quiet {
			s.read()
		}
	})
	e := editor.New(editor.MSL(), func(text string) { d.Copy("The source was", text) })
	e.ReadOnly, e.Canvas = true, d.Window.Canvas()
	s.code = editor.NewPane(e)
	s.copy = kit.NewButtonWithIcon("Copy", theme.ContentCopyIcon(), s.code.Copy)
	s.find = kit.NewButtonWithIcon("Find", theme.SearchIcon(), s.code.Find)
	head := container.NewBorder(nil, nil, container.New(kit.ScaledWidth{Width: 190}, s.file), kit.Row(8, s.find, s.copy), kit.Middle(kit.Inset(s.hash, 8, 0)))
	s.with = container.New(kit.HeadedLayout{Gap: 8}, head, s.code.Object)
	s.none = kit.NewBody("", 3)
	s.none.Align, s.none.Color = fyne.TextAlignCenter, kit.ColorSecondary
	s.object = kit.NewPanel(kit.StackOf(s.with, kit.Middle(s.none)), 12)
	return s
}

// show shows the source of a kernel, from its beginning unless it is already shown.
func (s *source) show(k *app.KernelInfo) {
	kit.Show(s.with, k.Library == "")
	kit.Show(s.none, k.Library != "")
	same := s.shown.Hash == k.Hash
	s.shown = *k
	switch {
	case k.Library != "":
		s.none.Set("No source: " + k.Library + ".")
	case !same:
		s.list()
		s.read()
	}
}

// list lists the files.
func (s *source) list() {
	var titles []string
	for _, f := range s.shown.Files {
		titles = append(titles, path.Base(f.Name))
	}
	s.quiet = true
	s.file.SetOptions(titles)
	s.file.SetSelectedIndex(0)
	s.quiet = false
	s.hash.Set("SHA-256 " + s.shown.Hash[:min(hashDigits, len(s.shown.Hash))])
}

// read shows the chosen file.
func (s *source) read() {
	if i := s.file.SelectedIndex(); i >= 0 && i < len(s.shown.Files) {
		s.code.SetText(s.shown.Files[i].Text)
	}
}
