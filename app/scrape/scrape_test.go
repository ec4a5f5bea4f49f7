package scrape

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"assay/internal/severity"
	"assay/monitor"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// get returns the answer of a server, which needs no other host.
func get(t *testing.T, s *Server, path, host string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+s.Address()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Host, r.Close = host, true
	answer, err := (&http.Transport{}).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(data)
}

func serve(t *testing.T, s State) *Server {
	t.Helper()
	server, err := Serve("127.0.0.1:0", func() State { return s })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

func reading(metric string, v float64, text monitor.State) monitor.Reading {
	r := monitor.Template(metric, "test")
	r.Value, r.Text, r.Status, r.Provenance = v, text, monitor.OK, monitor.Measured
	return r
}

func TestScrape(t *testing.T) {
	missing := monitor.Template(monitor.PowerGPU, "test")
	missing.Status, missing.Reason = monitor.Unavailable, "no GPU"
	sensor := reading(monitor.Temperature+".nvme-1", 41, "")
	s := serve(t, State{
		Version: "1.2.3",
		Snapshot: monitor.Snapshot{Time: time.Unix(1700000000, 0), Readings: []monitor.Reading{
			reading(monitor.HostMemory, 5e9, ""), reading(monitor.HostMemoryFull, 0.25, ""), reading(monitor.EngineBytes, 3e9, ""),
			reading(monitor.PoolWasted, 7, ""), reading(monitor.Throttling, 0.5, ""), reading(monitor.ThermalState, 0, monitor.Serious),
			reading(monitor.GPUClockLimit, 0, "power cap"), reading(monitor.QueueDepth, 2, ""), sensor, missing,
		}},
		Alerts: []monitor.Alert{{ID: "memory.full", Severity: severity.Warning}},
		Run:    &Run{ID: "r1", Workload: "batching", Engine: "cpu", Device: `a "b"`, Fraction: 0.75, Left: 12, Results: 3},
		Runs:   4,
	})
	status, body := get(t, s, "/metrics", s.Address())
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, body)
	}
	for _, want := range []string{
		`assay_build_info{version="1.2.3"} 1`,
		`assay_host_memory_used_bytes{provenance="measured"} 5e+09`,
		`assay_host_memory_used_ratio{provenance="measured"} 0.25`,
		`assay_engine_bandwidth_bytes_per_second{provenance="measured"} 3e+09`,
		`assay_pool_wasted_bytes{provenance="measured"} 7`,
		`assay_host_throttling_ratio{provenance="measured"} 0.5`,
		`assay_host_thermal_state{provenance="measured",state="serious"} 1`,
		`assay_host_thermal_state{provenance="measured",state="nominal"} 0`,
		`assay_gpu_clock_limit{provenance="measured",state="power cap"} 1`,
		`assay_engine_queue_depth{provenance="measured"} 2`,
		`assay_host_temperature_nvme_1_celsius{provenance="measured"} 41`,
		`assay_alert_active{alert="memory.full",severity="warning"} 1`,
		`assay_alerts_active 1`,
		`assay_run_info{device="a \"b\"",engine="cpu",run="r1",workload="batching"} 1`,
		`assay_run_progress_ratio 0.75`, `assay_run_left_seconds 12`, `assay_run_results 3`, `assay_runs_total 4`, `assay_run_active 1`,
		"# HELP assay_host_memory_used_bytes Memory used: Memory not available without swapping.",
		"assay_reading_timestamp_seconds 1.7e+09",
	} {
		if !strings.Contains(body, want+"\n") {
			t.Errorf("%s is missing in\n%s", want, body)
		}
	}
	if strings.Contains(body, "power_gpu") {
		t.Errorf("what is not available is there:\n%s", body)
	}
}

// Every metric of the catalog has a unique name that ends in its unit, and can be exported.
func TestEveryMetricCanBeTold(t *testing.T) {
	snap := monitor.Snapshot{Time: time.Now()}
	names := map[string]string{}
	for _, m := range monitor.Catalog() {
		n := name(m.ID, m.Unit)
		if other := names[n]; other != "" {
			t.Errorf("%s and %s are both %s", m.ID, other, n)
		}
		names[n] = m.ID
		if suffix := suffixes()[m.Unit]; !strings.HasSuffix(n, suffix) || strings.Contains(m.Unit, "/") && suffix == "" {
			t.Errorf("%s in %s is %s", m.ID, m.Unit, n)
		}
		r := reading(m.ID, 1, "")
		if m.States != nil {
			r.Text = m.States[0]
		}
		snap.Readings = append(snap.Readings, r)
	}
	_, body := get(t, serve(t, State{Snapshot: snap}), "/metrics", "localhost")
	for n, id := range names {
		if !strings.Contains(body, "\n"+n+"{") {
			t.Errorf("%s, %s, is not told", n, id)
		}
	}
}

// Only this machine may ask: other addresses are refused with a message that says what is wanted, and so are names that resolve
// to it.
func TestOnlyThisMachineIsServed(t *testing.T) {
	for _, address := range []string{"0.0.0.0:9464", ":9464", "192.168.1.2:9464", "example.org:9464", "[::]:1", "127.0.0.1", "127.0.0.1:x", "127.0.0.1:70000", "", "10.0.0.1:80"} {
		s, err := Serve(address, func() State { return State{} })
		if err == nil || !strings.Contains(err.Error(), "want a loopback address with a port, such as 127.0.0.1:9464") {
			t.Errorf("%q: %v", address, err)
		}
		if s != nil {
			s.Close() //nolint:errcheck // it must not be there
		}
	}
	for _, address := range []string{"127.0.0.1:1", "localhost:80", "[::1]:9", "127.1.2.3:0"} {
		if err := CheckAddress(address); err != nil {
			t.Error(err)
		}
	}
	s := serve(t, State{})
	if status, _ := get(t, s, "/metrics", "rebound.example.org"); status != http.StatusForbidden {
		t.Errorf("a name of the web: status %d", status)
	}
	if status, _ := get(t, s, "/", "localhost"); status != http.StatusOK {
		t.Errorf("the front page: status %d", status)
	}
	if _, err := Serve(s.Address(), func() State { return State{} }); err == nil || !strings.Contains(err.Error(), "serve Prometheus") {
		t.Errorf("an address in use: %v", err)
	}
}

// A closed server is gone, whatever connections clients hold open.
func TestServerEnds(t *testing.T) {
	s, err := Serve("127.0.0.1:0", func() State { return State{} })
	if err != nil {
		t.Fatal(err)
	}
	silent, err := net.Dial("tcp", s.Address())
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	began := time.Now()
	_ = s.Close() // it waits for the silent client as long as it may
	if d := time.Since(began); d > closeTimeout+3*time.Second {
		t.Errorf("it took %v", d)
	}
	if c, err := net.Dial("tcp", s.Address()); err == nil {
		c.Close()
		t.Error("it still answers")
	}
}
