package view

import (
	"assay/internal/severity"
	"assay/monitor"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

func SeverityWord(s severity.Level) string {
	switch s {
	case severity.Critical:
		return "Critical"
	case severity.Warning:
		return "Warning"
	}
	return "Note"
}

func SeverityColor(s severity.Level) fyne.ThemeColorName {
	switch s {
	case severity.Critical:
		return theme.ColorNameError
	case severity.Warning:
		return theme.ColorNameWarning
	}
	return theme.ColorNamePrimary
}

func SeverityIcon(a monitor.Alert) fyne.Resource {
	switch {
	case !a.Active():
		return theme.NewDisabledResource(theme.ConfirmIcon())
	case a.Severity == severity.Critical:
		return theme.NewErrorThemedResource(theme.ErrorIcon())
	case a.Severity == severity.Warning:
		return theme.NewWarningThemedResource(theme.WarningIcon())
	}
	return theme.NewPrimaryThemedResource(theme.InfoIcon())
}

// Worst returns the highest severity in a list.
func Worst(list []monitor.Alert) severity.Level {
	worst := severity.Info
	for _, a := range list {
		if a.Severity.Rank() > worst.Rank() {
			worst = a.Severity
		}
	}
	return worst
}
