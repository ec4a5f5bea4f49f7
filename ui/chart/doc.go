// Package chart has the widgets of charts: Live, Plot and Strip hand the pictures
// of internal/chart to Fyne, and the pointer, the keyboard and the theme to it.
//
// They redraw only when Refresh is called, run no timers and no animations, and
// must be used on the UI goroutine only. Each has a Summary in words and follows
// the arrow keys while it has the keyboard.
package chart
