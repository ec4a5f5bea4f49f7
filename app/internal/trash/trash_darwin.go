package trash

import (
	"errors"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
	"github.com/ebitengine/purego/objc"
)

// foundation is the framework of NSFileManager. A window or the Metal engine has already loaded it.
const foundation = "/System/Library/Frameworks/Foundation.framework/Foundation"

// put uses NSFileManager, which finds the trash of the item's volume and a free name in it.
func put(path string) (Item, error) {
	if _, err := purego.Dlopen(foundation, purego.RTLD_LAZY|purego.RTLD_GLOBAL); err != nil {
		return Item{}, err
	}
	runtime.LockOSThread() // an autorelease pool belongs to its thread
	defer runtime.UnlockOSThread()
	pool := objc.ID(objc.GetClass("NSAutoreleasePool")).Send(objc.RegisterName("new"))
	defer pool.Send(objc.RegisterName("drain"))

	text := objc.ID(objc.GetClass("NSString")).Send(objc.RegisterName("stringWithUTF8String:"), path)
	url := objc.ID(objc.GetClass("NSURL")).Send(objc.RegisterName("fileURLWithPath:"), text)
	manager := objc.ID(objc.GetClass("NSFileManager")).Send(objc.RegisterName("defaultManager"))
	var result, failure objc.ID
	moved := objc.Send[bool](manager, objc.RegisterName("trashItemAtURL:resultingItemURL:error:"), url,
		unsafe.Pointer(&result), unsafe.Pointer(&failure))
	if !moved {
		return Item{}, errors.New(describe(failure))
	}
	return Item{Original: path, Trashed: textOf(result.Send(objc.RegisterName("path")))}, nil
}

// describe is the text of an NSError.
func describe(failure objc.ID) string {
	if failure == 0 {
		return "no reason given"
	}
	return textOf(failure.Send(objc.RegisterName("localizedDescription")))
}

// textOf is the text of an NSString; empty for nil.
func textOf(s objc.ID) string {
	if s == 0 {
		return ""
	}
	return objc.Send[string](s, objc.RegisterName("UTF8String"))
}
