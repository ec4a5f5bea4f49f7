package view

import (
	"assay/monitor"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
)

func SeverityWord(s monitor.Severity) string {
	switch s {
	case monitor.SeverityCritical:
		return "Critical"
	case monitor.SeverityWarning:
		return "Warning"
	}
	return "Note"
}

func SeverityColor(s monitor.Severity) fyne.ThemeColorName {
	switch s {
	case monitor.SeverityCritical:
		return theme.ColorNameError
	case monitor.SeverityWarning:
		return theme.ColorNameWarning
	}
	return theme.ColorNamePrimary
}

func SeverityIcon(a monitor.Alert) fyne.Resource {
	switch {
	case !a.Active():
		return theme.NewDisabledResource(theme.ConfirmIcon())
	case a.Severity == monitor.SeverityCritical:
		return theme.NewErrorThemedResource(theme.ErrorIcon())
	case a.Severity == monitor.SeverityWarning:
		return theme.NewWarningThemedResource(theme.WarningIcon())
	}
	return theme.NewPrimaryThemedResource(theme.InfoIcon())
}

// Worst is the highest severity of a list.
func Worst(list []monitor.Alert) monitor.Severity {
	severity := monitor.SeverityInfo
	for _, a := range list {
		switch {
		case a.Severity == monitor.SeverityCritical:
			return a.Severity
		case a.Severity == monitor.SeverityWarning:
			severity = a.Severity
		}
	}
	return severity
}
