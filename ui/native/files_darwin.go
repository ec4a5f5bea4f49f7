package native

import (
	"fyne.io/fyne/v2"
	"github.com/ebitengine/purego/objc"
)

// modalOK is NSModalResponseOK: the user did not cancel.
const modalOK = 1

// panels are the system's open and save panels. They are modal: the window accepts no input, and updates of a run wait.
// A panel grants access to the chosen file where macOS requires consent.
type panels struct{}

func NewChooser(fyne.Window) Chooser { return panels{} }

// Open is part of Chooser. A run bundle is a package, which the panel shows as one file, but it is a folder if no installed app
// declares the type.
func (panels) Open(q Question, done func(path string, err error)) {
	answer := ""
	pooled(func() {
		panel := askClass("+[NSOpenPanel openPanel]")
		tell(panel, "-[NSOpenPanel setCanChooseFiles:]", true)
		tell(panel, "-[NSOpenPanel setCanChooseDirectories:]", q.Inside != "")
		tell(panel, "-[NSOpenPanel setAllowsMultipleSelection:]", false)
		answer = run(panel, q)
	})
	answered(answer, done)
}

// Save is part of Chooser. The panel asks before a file is replaced, and adds a missing extension.
func (panels) Save(q Question, done func(path string, err error)) {
	answer := ""
	pooled(func() {
		panel := askClass("+[NSSavePanel savePanel]")
		tell(panel, "-[NSSavePanel setNameFieldStringValue:]", nsString(q.Name))
		tell(panel, "-[NSSavePanel setCanCreateDirectories:]", true)
		answer = run(panel, q)
	})
	answered(answer, done)
}

func answered(path string, done func(path string, err error)) {
	if path != "" {
		done(path, nil)
	}
}

// run shows a panel and returns the chosen path; empty if the user cancels, or another panel is open.
func run(panel objc.ID, q Question) (path string) {
	application := askClass("+[NSApplication sharedApplication]")
	if ask[objc.ID](application, "-[NSApplication modalWindow]") != 0 {
		return ""
	}
	tell(panel, "-[NSSavePanel setMessage:]", nsString(q.Title))
	if types := contentTypes(q.Types); ask[int](types, "-[NSArray count]") > 0 {
		tell(panel, "-[NSSavePanel setAllowedContentTypes:]", types)
	}
	folder := askClass("+[NSURL fileURLWithPath:isDirectory:]", nsString(q.Folder), true)
	tell(panel, "-[NSSavePanel setDirectoryURL:]", folder)
	if ask[int](panel, "-[NSSavePanel runModal]") != modalOK {
		return ""
	}
	return filePath(ask[objc.ID](panel, "-[NSSavePanel URL]"))
}

// contentTypes returns the system's types for file extensions. Ours come from Info.plist; it creates a dynamic type for
// any other extension.
func contentTypes(endings []string) objc.ID {
	list := askClass("+[NSMutableArray array]")
	for _, e := range endings {
		if t := askClass("+[UTType typeWithFilenameExtension:]", nsString(e)); t != 0 {
			tell(list, "-[NSMutableArray addObject:]", t)
		}
	}
	return list
}

// filePath returns the path of a file's URL.
func filePath(url objc.ID) string { return goString(ask[objc.ID](url, "-[NSURL path]")) }
