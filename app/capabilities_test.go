package app

import (
	"context"
	"errors"
	"slices"
	"testing"

	"assay/gpu"
	"assay/gpu/gputest"
)

// A value that a device does not report has a reason, and is never 0.
func TestCapabilitiesAreKnownOrNot(t *testing.T) {
	for _, i := range []gpu.Info{
		{}, {GPU: true}, {GPU: true, Family: 9, Cores: 40, Unified: true, MaxBuffer: 1 << 34, Features: []string{"simdgroup_matrix"}}, {GPU: true, Compute: 90, Bandwidth: 4.8e12},
	} {
		for _, c := range Capabilities(&i) {
			if c.Title == "Times" {
				continue
			}
			if (c.Value == "") == (c.Why == "") || c.Value == "0" {
				t.Errorf("%+v: %+v", i, c)
			}
		}
	}
	if got := Capabilities(&gpu.Info{GPU: true, Compute: 90})[0].Value; got != "9.0" {
		t.Errorf("compute capability %q", got)
	}
}

// Missing values that people look for are mentioned, for the devices concerned.
func TestUnmeasuredIsSaid(t *testing.T) {
	for _, c := range []struct {
		of   gpu.Info
		want []string
	}{
		{gpu.Info{GPU: true, Family: 9}, []string{"Compute on the neural engine", "Occupancy"}},
		{gpu.Info{GPU: true, Compute: 86}, []string{"Occupancy"}},
		{gpu.Info{GPU: true, Compute: 90}, nil},
		{gpu.Info{Cores: 8}, nil},
	} {
		var got []string
		for _, one := range Capabilities(&c.of) {
			if one.Title == "Compute on the neural engine" || one.Title == "Occupancy" {
				got = append(got, one.Title)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}

// Drills have the device to themselves: nothing is measured meanwhile, and none starts during a run.
func TestApart(t *testing.T) {
	s, _ := session(t, gputest.Script{})
	ran := false
	if err := s.Apart(t.Context(), func(context.Context) { ran = true }); err != nil || !ran {
		t.Fatalf("ran: %v, %v", ran, err)
	}
	run, err := s.device.Acquire(t.Context(), UseRun)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Release()
	if err := s.Apart(t.Context(), nil); !errors.Is(err, ErrBusy) {
		t.Errorf("during a run: %v", err)
	}
}
