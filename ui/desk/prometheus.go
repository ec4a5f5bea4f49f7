package desk

import (
	"cmp"
	"strconv"

	"assay/app/scrape"
)

// Names of the choices for Prometheus.
const (
	choiceScrape  = "prometheus"
	choiceAddress = "prometheus.address"
)

// Scrapes reports whether Prometheus may scrape, and at which address.
func (s Settings) Scrapes() (on bool, address string) {
	kept, _ := s.Kept(choiceScrape)
	at, _ := s.Kept(choiceAddress)
	return kept == strconv.FormatBool(true), cmp.Or(at, scrape.DefaultAddress)
}

// SetScrapes lets Prometheus scrape at an address, now and after later starts, or not. done is called with what is wrong,
// if anything: then it is off.
func (d *Desk) SetScrapes(on bool, address string, done func(at string, err error)) {
	d.Settings.SetChoice(choiceAddress, address)
	d.Settings.SetChoice(choiceScrape, strconv.FormatBool(on))
	d.Background(func() func() {
		var at string
		var err error
		if on {
			at, err = d.Session.Exporter.Serve(address)
		} else {
			err = d.Session.Exporter.Stop()
		}
		return func() {
			if err != nil {
				d.Settings.SetChoice(choiceScrape, strconv.FormatBool(false))
			}
			done(at, err)
		}
	})
}

// recallScrapes serves again if scrapes were on when the window was last open.
func (d *Desk) recallScrapes() {
	if on, address := d.Settings.Scrapes(); on {
		d.Background(func() func() {
			if _, err := d.Session.Exporter.Serve(address); err != nil {
				return func() { d.Fail("Prometheus cannot scrape", err) }
			}
			return nil
		})
	}
}
