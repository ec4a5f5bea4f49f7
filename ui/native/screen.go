package native

import (
	"runtime"

	"fyne.io/fyne/v2"
	"github.com/go-gl/glfw/v3.3/glfw"
)

// titleBar is the height of a window's title bar on macOS.
const titleBar = 28

// ScreenSize returns the main screen's size for the content of a window, in the window's units. It is called on the UI
// goroutine with a window made by the system's driver, so that GLFW is initialized; Fyne itself does not report it.
func ScreenSize(w fyne.Window) fyne.Size {
	monitor := glfw.GetPrimaryMonitor()
	if monitor == nil {
		return fyne.NewSize(1e6, 1e6)
	}
	_, _, width, height := monitor.GetWorkarea()
	if runtime.GOOS == "darwin" {
		return fyne.NewSize(float32(width), float32(height-titleBar))
	}
	scale := max(0.1, w.Canvas().Scale())
	return fyne.NewSize(float32(width)/scale, float32(height)/scale)
}
