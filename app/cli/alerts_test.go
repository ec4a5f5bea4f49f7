package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/app"
	"assay/gpu/gputest"
)

func alertsConfig(t *testing.T) app.Config {
	t.Helper()
	c := config(t, gputest.Script{})
	c.AlertFile = filepath.Join(t.TempDir(), "assay", "alerts.json")
	return c
}

func TestAlertsAreListedSetAndReset(t *testing.T) {
	c := alertsConfig(t)
	step := func(want string, args ...string) {
		t.Helper()
		code, out, errOut := assay(t, c, append([]string{"alerts"}, args...)...)
		if flat := strings.Join(strings.Fields(out), " "); code != 0 || !strings.Contains(flat, want) {
			t.Errorf("%v: exit %d, want %q: %s%s", args, code, want, out, errOut)
		}
	}
	step("memory.full Memory almost full warning host.memory_used_ratio Raised at 90 % or more for 2 s, cleared at 85 % or less for 5 s")
	step("memory.full (critical): Raised at 80 % or more for 10 s, cleared at 75 % or less for 5 s",
		"set", "memory.full", "--raise", "80%", "--for", "10s", "--severity", "critical")
	step("pool.reuse (info): off", "set", "pool.reuse", "--state", "off")
	step("gpu-hot (warning): Raised at 80 °C or more", "set", "gpu-hot", "--metric", "host.temperature.gpu", "--raise", "80 °C")
	step("gpu-hot", "list")
	step(c.AlertFile, "list")
	code, out, _ := assay(t, c, "alerts", "list", "--json")
	var rules []map[string]string
	if err := json.Unmarshal([]byte(out), &rules); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s", code, err, out)
	}
	for _, r := range rules {
		if r["rule"] == "memory.full" && (r["raise"] != "80 %" || r["clear"] != "75 %" || r["for"] != "10 s" || r["state"] != "on") {
			t.Errorf("%v", r)
		}
	}
	step("Reset.", "reset", "memory.full", "gpu-hot")
	if _, out, _ = assay(t, c, "alerts"); strings.Contains(out, "gpu-hot") || !strings.Contains(out, "90 %") || !strings.Contains(out, "off") {
		t.Errorf("after a reset of two rules: %s", out)
	}
	step("Reset.", "reset")
	if _, out, _ = assay(t, c, "alerts"); strings.Contains(out, "yes") || strings.Contains(out, c.AlertFile) {
		t.Errorf("after a reset of all: %s", out)
	}
}

func TestBadAlertsAreRefused(t *testing.T) {
	c := alertsConfig(t)
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"set", "memory.full", "--raise", "150%"}, "rule memory.full: raise: must be between 0 and 100 % (you entered \"150%\")"},
		{[]string{"set", "memory.ful", "--raise", "50%"}, `no rule "memory.ful" (did you mean "memory.full"?)`},
		{[]string{"set", "memory.full"}, "want what to change"},
		{[]string{"reset", "nothing"}, `no rule "nothing"`},
		{[]string{"what"}, "alerts has no command"},
	} {
		if code, out, errOut := assay(t, c, append([]string{"alerts"}, test.args...)...); code != exitUsage || !strings.Contains(errOut, test.want) {
			t.Errorf("%v: exit %d: %s%s", test.args, code, out, errOut)
		}
	}
	if _, err := os.Stat(c.AlertFile); err == nil {
		t.Error("a refused value was kept")
	}
}

// A damaged file is reported, and the defaults apply.
func TestDamagedAlertFileIsTold(t *testing.T) {
	c := alertsConfig(t)
	if err := os.MkdirAll(filepath.Dir(c.AlertFile), 0o700); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]string{
		"{":                                "alert rules: read",
		`{"schema": 9}`:                    "schema 9",
		`{"schema": 1, "rules": {"a":{}}}`: "rule a: metric",
	} {
		if err := os.WriteFile(c.AlertFile, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errOut := assay(t, c, "alerts"); code != 0 || !strings.Contains(errOut, want) || !strings.Contains(out, "90 %") {
			t.Errorf("%s: exit %d: %s%s", content, code, out, errOut)
		}
	}
}
