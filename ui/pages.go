package ui

import (
	"assay/ui/aboutpage"
	"assay/ui/abpage"
	"assay/ui/advisorpage"
	"assay/ui/alertspage"
	"assay/ui/desk"
	"assay/ui/historypage"
	"assay/ui/kernelspage"
	"assay/ui/kit"
	"assay/ui/machinepage"
	"assay/ui/memorypage"
	"assay/ui/monitorpage"
	"assay/ui/resultspage"
	"assay/ui/runpage"
	"assay/ui/settingspage"
	"assay/ui/watchpage"
	"assay/ui/weightspage"
)

// Names of the pages that the menu leads to.
const (
	pageSettings = "settings"
	pageAbout    = "about"
)

// pages lists the pages in the order of the rail.
func pages() []desk.Page {
	return []desk.Page{
		{Name: desk.PageRun, Title: "Run", Icon: kit.BarsIcon(), Build: runpage.New},
		{Name: desk.PageMonitor, Title: "Monitor", Icon: kit.PulseIcon(), Build: monitorpage.New},
		{Name: desk.PageResults, Title: "Results", Icon: kit.TableIcon(), Build: resultspage.New},
		{Name: desk.PageAB, Title: "A/B", Icon: kit.TwoWaysIcon(), Build: abpage.New},
		{Name: desk.PageMemory, Title: "Memory", Icon: kit.MemoryIcon(), Build: memorypage.New},
		{Name: desk.PageWatch, Title: "Watch", Icon: kit.EyeIcon(), Build: watchpage.New},
		{Name: "kernels", Title: "Kernels", Icon: kit.CodeIcon(), Build: kernelspage.New},
		{Name: desk.PageWeights, Title: "Weights", Icon: kit.ScalesIcon(), Build: weightspage.New},
		{Name: desk.PageHistory, Title: "History", Icon: kit.ClockBackIcon(), Build: historypage.New},
		{Name: "machine", Title: "Machine", Icon: kit.MachineIcon(), Build: machinepage.New},
		{Name: "advisor", Title: "Advisor", Icon: kit.BulbIcon(), Build: advisorpage.New},
		{Name: "alerts", Title: "Alerts", Icon: kit.BellIcon(), Build: alertspage.New},
		{Name: pageSettings, Title: "Settings", Icon: kit.SlidersIcon(), Build: settingspage.New},
		{Name: pageAbout, Title: "About", Icon: kit.CircledIIcon(), Build: aboutpage.New},
	}
}
