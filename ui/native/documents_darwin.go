package native

import (
	"log"

	"github.com/ebitengine/purego/objc"
)

// The Apple event "open documents": kCoreEventClass, kAEOpenDocuments; keyDirectObject, which holds its files; and
// typeAEList, their type.
const (
	coreEventClass = 'a'<<24 | 'e'<<16 | 'v'<<8 | 't'
	openDocuments  = 'o'<<24 | 'd'<<16 | 'o'<<8 | 'c'
	directObject   = '-'<<24 | '-'<<16 | '-'<<8 | '-'
	listType       = 'l'<<24 | 'i'<<16 | 's'<<8 | 't'
)

// Methods of our class, called by the system.
const (
	takeNote  = "takeNotification:"
	takeEvent = "handleAppleEvent:withReplyEvent:"
)

// willLaunch is the notification, by its constant's name, before which AppKit installs its own handlers and after which
// the first event comes: Apple's documentation says to replace handlers there.
const willLaunch = "NSApplicationWillFinishLaunchingNotification"

// WatchDocuments calls f, on the main thread, with the files that the Finder or open(1) asks this app to open. GLFW
// does not deliver them. It must be called before the window is made, which launches the application.
func WatchDocuments(f func([]string)) {
	install := func(self objc.ID, _ objc.SEL, _ objc.ID) {
		manager := askClass("+[NSAppleEventManager sharedAppleEventManager]")
		tell(manager, "-[NSAppleEventManager setEventHandler:andSelector:forEventClass:andEventID:]",
			self, objc.RegisterName(takeEvent), uint32(coreEventClass), uint32(openDocuments))
	}
	take := func(_ objc.ID, _ objc.SEL, event, _ objc.ID) {
		if paths := eventFiles(event); len(paths) > 0 {
			f(paths)
		}
	}
	class, err := objc.RegisterClass("AssayDocuments", objc.GetClass("NSObject"), nil, nil, []objc.MethodDef{
		{Cmd: objc.RegisterName(takeNote), Fn: install}, {Cmd: objc.RegisterName(takeEvent), Fn: take},
	})
	if err != nil {
		log.Println("documents from the Finder will not be opened:", err)
		return
	}
	watcher := ask[objc.ID](objc.ID(class), "+[NSObject new]") // lives as long as the process
	pooled(func() {
		center := askClass("+[NSNotificationCenter defaultCenter]")
		tell(center, "-[NSNotificationCenter addObserver:selector:name:object:]",
			watcher, objc.RegisterName(takeNote), nsString(willLaunch), objc.ID(0))
	})
}

// eventFiles returns the paths of an event's files. A list of descriptors counts from 1.
func eventFiles(event objc.ID) (paths []string) {
	pooled(func() {
		files := ask[objc.ID](event, "-[NSAppleEventDescriptor paramDescriptorForKeyword:]", uint32(directObject))
		list := ask[objc.ID](files, "-[NSAppleEventDescriptor coerceToDescriptorType:]", uint32(listType)) // even for a single one
		for i := 1; i <= ask[int](list, "-[NSAppleEventDescriptor numberOfItems]"); i++ {
			item := ask[objc.ID](list, "-[NSAppleEventDescriptor descriptorAtIndex:]", i)
			if path := filePath(ask[objc.ID](item, "-[NSAppleEventDescriptor fileURLValue]")); path != "" {
				paths = append(paths, path)
			}
		}
	})
	return paths
}
