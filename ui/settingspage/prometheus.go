package settingspage

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"assay/ui/kit"
)

const scrapeAbout = "Lets Prometheus on this machine scrape every reading of the monitor, the pool and the progress of runs, at /metrics of this " +
	"loopback address. When off, Assay opens no network socket."

// scrapeRow shows whether Prometheus may scrape, and where.
func (p *settingsPage) scrapeRow() fyne.CanvasObject {
	p.scrapeNote = kit.NewCaption(scrapeAbout, 5)
	p.address = kit.NewEntry()
	p.scrape = kit.NewCheck("Serve", func(bool) { p.setScrapes() })
	p.address.OnSubmitted = func(string) { p.setScrapes() }
	return kit.NewRow(kit.NewHeading("Prometheus"), p.scrapeNote,
		kit.Row(8, p.scrape, container.New(kit.ScaledWidth{Width: 150}, p.address)))
}

// setScrapes serves at the entered address, or stops serving.
func (p *settingsPage) setScrapes() {
	if p.quiet {
		return
	}
	p.desk.SetScrapes(p.scrape.Checked, p.address.Text, func(at string, err error) {
		words, color := scrapeAbout, kit.ColorSecondary
		switch {
		case err != nil:
			words, color = "Not served: "+err.Error()+".", theme.ColorNameError
		case at != "":
			words += " Served at http://" + at + "/metrics."
		}
		p.scrapeNote.SetColored(words, color)
		p.showScrapes()
		p.page.Refresh()
	})
}

// showScrapes writes the settings into the controls.
func (p *settingsPage) showScrapes() {
	quiet := p.quiet
	p.quiet = true
	defer func() { p.quiet = quiet }()
	on, address := p.desk.Settings.Scrapes()
	p.scrape.SetChecked(on)
	p.address.SetText(address)
}
