package uitest

import (
	"sync"

	"assay/app/scrape"
)

// Exporter is what Prometheus could scrape, without a socket.
type Exporter struct {
	mu sync.Mutex
	at string
}

// Serve is part of desk.ExporterService.
func (e *Exporter) Serve(address string) (string, error) {
	if err := scrape.CheckAddress(address); err != nil {
		return "", err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = address
	return address, nil
}

// Stop is part of desk.ExporterService.
func (e *Exporter) Stop() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.at = ""
	return nil
}

// At returns where it is served; empty: nowhere.
func (e *Exporter) At() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.at
}
