package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"assay/gpu/gputest"
)

// scrape returns what Prometheus would read at an address.
func scrape(t *testing.T, address string) string {
	t.Helper()
	transport := &http.Transport{DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// A monitor that serves Prometheus does so until it ends.
func TestPrometheusScrapesTheMonitor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	errOut, said := io.Pipe()
	printed, out := io.Pipe()
	exit := make(chan int, 1)
	go func() {
		code := Main(ctx, config(t, gputest.Script{}), []string{"monitor", "--json", "--interval", "50ms", "--prometheus", "localhost:0"}, out, said)
		out.Close()
		said.Close()
		exit <- code
	}()
	first, err := bufio.NewReader(errOut).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(strings.TrimPrefix(first, "Prometheus can scrape "))
	lines := bufio.NewScanner(printed)
	lines.Buffer(nil, 1<<20)
	lines.Scan() // the first reading
	body := scrape(t, address)
	for _, want := range []string{"assay_run_active 0", "assay_build_info", "assay_reading_timestamp_seconds", "assay_process_go_heap_bytes{"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in\n%s", want, body)
		}
	}
	cancel()
	go io.Copy(io.Discard, errOut) //nolint:errcheck // until it ends
	for lines.Scan() {
	}
	if code := <-exit; code != exitInterrupted {
		t.Errorf("exit %d", code)
	}
	if _, err := http.Get(address); err == nil { //nolint:bodyclose,noctx // there is none
		t.Error("it still answers")
	}
}

func TestPrometheusIsLocal(t *testing.T) {
	for _, command := range []string{"monitor", "run"} {
		code, _, errOut := assay(t, config(t, gputest.Script{}), command, "--prometheus", "0.0.0.0:9464")
		if code != exitUsage || !strings.Contains(errOut, "can be reached from other machines: want a loopback address") {
			t.Errorf("%s: exit %d: %s", command, code, errOut)
		}
	}
}
