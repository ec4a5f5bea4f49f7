package ui

import (
	"testing"
	"time"

	"assay/app"
)

func TestSetInterval(t *testing.T) {
	for _, c := range []struct {
		words string
		want  time.Duration
		ok    bool
	}{
		{"", time.Minute, true},
		{"250ms", 250 * time.Millisecond, true},
		{"50ms", 50 * time.Millisecond, true},
		{"49ms", 0, false},
		{"-1s", 0, false},
		{"4", 0, false},
		{"soon", 0, false},
	} {
		config := app.Config{Interval: time.Minute}
		err := setInterval(&config, c.words)
		if (err == nil) != c.ok || c.ok && config.Interval != c.want {
			t.Errorf("%q: interval %v, error %v", c.words, config.Interval, err)
		}
	}
}
