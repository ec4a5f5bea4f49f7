package ui

import (
	"assay/ui/alertspage"
	"assay/ui/desk"
	"assay/ui/kit"
	"assay/ui/monitorpage"
	"assay/ui/runpage"
)

// pages lists the pages in the order of the rail.
func pages() []desk.Page {
	return []desk.Page{
		{Name: desk.PageRun, Title: "Run", Icon: kit.BarsIcon(), Build: runpage.New},
		{Name: desk.PageMonitor, Title: "Monitor", Icon: kit.PulseIcon(), Build: monitorpage.New},
		{Name: desk.PageAlerts, Title: "Alerts", Icon: kit.BellIcon(), Build: alertspage.New},
	}
}
