package ui

import (
	"maps"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"assay/app"
)

func TestMetadataAgreesWithThePackager(t *testing.T) {
	var f struct{ Migrations map[string]bool }
	if _, err := toml.DecodeFile("../FyneApp.toml", &f); err != nil {
		t.Fatal(err)
	}
	if got := metadata().Migrations; len(got) == 0 || !maps.Equal(got, f.Migrations) {
		t.Errorf("Fyne is told of the migrations %v, FyneApp.toml has %v", got, f.Migrations)
	}
}

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
