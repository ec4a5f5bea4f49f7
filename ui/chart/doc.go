// Package chart has the chart widgets: Live, Plot and Strip hand the pictures of
// internal/chart to Fyne, and pass it the pointer, the keyboard and the theme.
//
// They redraw only when Refresh is called, run no timers and no animations, and
// must be used only on the UI goroutine. Each has a Summary in words and follows
// the arrow keys while it has keyboard focus.
package chart
