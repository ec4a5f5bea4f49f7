package runpage

import (
	"testing"

	"assay/ui/kit"
)

// TestTheMovingSettingIsDropped moves a setting that is not measured after all: it is no longer shown.
func TestTheMovingSettingIsDropped(t *testing.T) {
	p := open(t, kit.AlwaysDark)
	for i, c := range []struct {
		name string
		drop func()
	}{
		{"live tuning is turned off", func() { p.desk.SetLive(false); p.desk.SetLive(true) }},
		{"the page is left", p.desk.LeaveTuning},
		{"a run starts", p.desk.StartRun},
	} {
		rowNamed(t, p, "max_size").Range.OnChanged(6, float64(9-i))
		if p.desk.Model.Tuning().Next == nil {
			t.Fatalf("before %s: nothing moves", c.name)
		}
		c.drop()
		if next := p.desk.Model.Tuning().Next; next != nil {
			t.Errorf("after %s: next is %v", c.name, next.Params)
		}
	}
}
