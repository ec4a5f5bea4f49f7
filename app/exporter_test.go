package app

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"assay/app/bundle"
	"assay/gpu/gputest"
)

// While a run is in progress, its engine, its progress and its pool are exported; afterward, that there is none.
func TestExporterFollowsARun(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	at, err := s.Exporter().Serve("127.0.0.1:0")
	if err != nil || s.Exporter().Address() != at {
		t.Fatalf("%q, %v", at, err)
	}
	told := make(chan string, 1)
	leave := s.Subscribe(func(u Update) {
		if _, ok := u.(ResultUpdate); ok && len(told) == 0 {
			told <- ""
		}
	})
	defer leave()
	ask := func() string {
		answer, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request(t, at))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		body, _ := io.ReadAll(answer.Body)
		return string(body)
	}
	done := make(chan error, 1)
	go func() {
		_, err := s.Runs().Do(t.Context(), Request{Jobs: []bundle.Job{small(t, s)}, Quick: true})
		done <- err
	}()
	<-told
	body := ask()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`workload="batching"`, `engine="fake"`, "assay_run_active 1", "assay_run_progress_ratio"} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in\n%s", want, body)
		}
	}
	if body = ask(); !strings.Contains(body, "assay_run_active 0\n") || !strings.Contains(body, "assay_runs_total 1\n") || strings.Contains(body, "assay_run_info") {
		t.Errorf("after the run\n%s", body)
	}
	if err := s.Exporter().Stop(); err != nil || s.Exporter().Address() != "" {
		t.Errorf("%v", err)
	}
}

func request(t *testing.T, address string) *http.Request {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
