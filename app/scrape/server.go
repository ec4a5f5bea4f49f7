// Package scrape serves the monitor's readings and a run's progress to Prometheus, on this machine only.
package scrape

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// DefaultAddress is the suggested address.
const DefaultAddress = "127.0.0.1:9464"

// Limits on what a client may use.
const (
	readTimeout  = 5 * time.Second
	writeTimeout = 10 * time.Second
	idleTimeout  = time.Minute
	closeTimeout = 2 * time.Second
	maxHeader    = 16 << 10
	maxRequests  = 4 // at a time
)

// Server answers scrapes until it is closed.
type Server struct {
	address string
	http    http.Server
	done    chan struct{}
}

// CheckAddress refuses what is not a loopback address with a port.
func CheckAddress(address string) error {
	_, err := loopback(address)
	return err
}

// loopback parses the address, with numbers.
func loopback(address string) (netip.AddrPort, error) {
	refuse := func(why string) (netip.AddrPort, error) {
		return netip.AddrPort{}, fmt.Errorf("%q %s: want a loopback address with a port, such as %s", address, why, DefaultAddress)
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return refuse("is not an address with a port")
	}
	if host == "localhost" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return refuse("has no numeric address")
	}
	if !ip.IsLoopback() {
		return refuse("can be reached from other machines")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return refuse("has no port from 0 to 65535")
	}
	return netip.AddrPortFrom(ip, uint16(n)), nil
}

// Serve starts to answer scrapes of a state at an address of this machine; port 0 takes a free one.
func Serve(address string, state func() State) (*Server, error) {
	at, err := loopback(address)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", at.String())
	if err != nil {
		return nil, fmt.Errorf("serve Prometheus: %w", err)
	}
	s := &Server{address: listener.Addr().String(), done: make(chan struct{})}
	s.http = http.Server{
		Handler: handler(state), ReadHeaderTimeout: readTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
	}
	go func() {
		defer close(s.done)
		_ = s.http.Serve(listener) // ends with Close
	}()
	return s, nil
}

// Address is where the server answers.
func (s *Server) Address() string { return s.address }

// Close ends the server, and requests in progress shortly afterward.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	<-s.done
	return err
}

// handler answers /metrics and refers all other paths to it.
func handler(state func() State) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collector{state})
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: maxRequests, Timeout: readTimeout}))
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Assay: its figures are at /metrics") })
	return local(mux)
}

// local refuses requests for another host: a web page could have its name resolve to this machine.
func local(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		ip, err := netip.ParseAddr(host)
		if host != "localhost" && (err != nil || !ip.IsLoopback()) {
			http.Error(w, "want a loopback address in Host", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
