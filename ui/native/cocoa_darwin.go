package native

import (
	"strings"

	"github.com/ebitengine/purego/objc"
)

// Objective-C without cgo. A method is written as in Apple's documentation, "-[NSSavePanel runModal]", so that a test can
// compare each with Apple's headers; a message to nil does nothing and returns 0.

// ask sends a message and returns its result.
func ask[T any](to objc.ID, method string, args ...any) T {
	_, name := parts(method)
	return objc.Send[T](to, objc.RegisterName(name), args...)
}

// tell sends a message without a result, or ignores it.
func tell(to objc.ID, method string, args ...any) {
	_, name := parts(method)
	to.Send(objc.RegisterName(name), args...)
}

// askClass sends a message to the class itself; a missing class returns 0.
func askClass(method string, args ...any) objc.ID {
	class, name := parts(method)
	return objc.ID(objc.GetClass(class)).Send(objc.RegisterName(name), args...)
}

// parts splits "-[Class name]".
func parts(method string) (class, name string) {
	class, name, _ = strings.Cut(strings.Trim(method, "+-[]"), " ")
	return class, name
}

// nsString returns an NSString, in the autorelease pool.
func nsString(s string) objc.ID { return askClass("+[NSString stringWithUTF8String:]", s) }

// goString returns the text of an NSString; empty for nil.
func goString(s objc.ID) string {
	if s == 0 {
		return ""
	}
	return ask[string](s, "-[NSString UTF8String]")
}

// pooled runs f and then drains the autorelease pool. It must stay on one thread, as code on the UI goroutine does.
func pooled(f func()) {
	pool := askClass("+[NSAutoreleasePool new]")
	defer tell(pool, "-[NSAutoreleasePool drain]")
	f()
}
