package workloads_test

import (
	"fmt"
	"testing"

	"assay/workloads"
)

func TestConditions(t *testing.T) {
	heated := func(n int) *workloads.Curve {
		c := &workloads.Curve{Subject: workloads.Subject{Name: "Products in f32", Plural: true}, Axis: workloads.Axis{Name: "elapsed", Title: "Elapsed", Unit: "s"}}
		for i := range n {
			r := workloads.Result{ID: fmt.Sprint(i), Status: workloads.OK, Settings: []workloads.Setting{{Name: "elapsed", Value: float64(i)}}}
			r.Values.SetNumber(workloads.Hottest, 40+2*float64(i))
			if i != 3 { // read late
				r.Values.SetNumber(workloads.Process, 80e6+1e6*float64(i))
			}
			if i >= 12 {
				r.Values.SetNumber(workloads.Throttled, 0.2)
			}
			c.Results = append(c.Results, r)
		}
		return c
	}
	found := heated(15).Conditions()
	const want = "Products in f32, first third of the series to the last: temperature from 44.0 °C to 64.0 °C, Assay’s memory from 81.5 MB to 92.0 MB; Assay’s memory changed by 60.0 MB/min; the clock was throttled in 3 of 15 windows."
	if len(found) != 1 || found[0].Sentence() != want {
		t.Errorf("found %+v\n%s", found, want)
	}
	if found := heated(14).Conditions(); found != nil {
		t.Errorf("too few windows have the finding %+v", found)
	}
	c := heated(15)
	for i := range c.Results {
		c.Results[i].Values = workloads.Result{}.Values
	}
	if found := c.Conditions(); found != nil {
		t.Errorf("nothing known has the finding %+v", found)
	}
}
