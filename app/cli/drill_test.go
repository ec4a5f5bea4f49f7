package cli

import "testing"

func TestChosenDrills(t *testing.T) {
	all, err := chosenDrills(nil)
	if err != nil || len(all) < 8 {
		t.Errorf("without names: %d drills, %v", len(all), err)
	}
	two, err := chosenDrills([]string{"killed", "hung"})
	if err != nil || len(two) != 2 || two[0].Name != "hung" || two[1].Name != "killed" {
		t.Errorf("%+v, %v", two, err)
	}
	_, err = chosenDrills([]string{"kiled"})
	mustBeUsage(t, err)
}

func mustBeUsage(t *testing.T, err error) {
	t.Helper()
	if _, ok := err.(usageError); !ok {
		t.Errorf("%v is not an error in the command line", err)
	}
}
