package drill

import (
	"strings"
	"testing"

	"assay/monitor"
)

// Plausible values are believed, so a sensor that lies with plausible values fails the drill: the drill can fail.
func TestLiesThatAreBelieved(t *testing.T) {
	for _, c := range []struct {
		lies []lie
		want string
	}{
		{[]lie{{monitor.Throttling, []float64{0.9}}}, "raised the alert “Throttled”"},
		{[]lie{{monitor.Temperature, []float64{41}}}, "is in the bundle as a value: host.temperature of 41 °C"},
	} {
		s := setup()
		s.Config.RunsDir = t.TempDir()
		s.Config.AlertFile = s.Config.RunsDir + "/alerts.json"
		if _, err := (&stage{s, s.Config.RunsDir}).besideLies(t.Context(), c.lies); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.lies, err, c.want)
		}
	}
}
