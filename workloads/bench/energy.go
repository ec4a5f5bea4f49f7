package bench

import (
	"math"

	"assay/internal/metric"
	"assay/workloads"
	"assay/workloads/measure"
)

// powered sets the measured energy, or why it is not available.
func powered(v *metric.Values, e *measure.Energy) {
	if e.Why != "" {
		v.SetText(workloads.EnergySource, "not available: "+e.Why)
	}
	if e.Windows == 0 {
		return
	}
	v.SetText(workloads.EnergySource, e.About)
	v.Set(workloads.Energy, e.PerRep)
	v.Set(workloads.LoadPower, e.Watts)
	v.Set(workloads.SustainedTime, e.Seconds)
	v.SetNumber(workloads.EnergyBusy, e.Busy)
	v.SetNumber(workloads.EnergyWindows, float64(e.Windows))
	if !math.IsNaN(e.Idle.Median) {
		v.Set(workloads.IdlePower, e.Idle)
		v.Set(workloads.EnergyBeyond, e.AboveIdle)
	}
}

// paced sets the duty cycle, and its effect.
func paced(v *metric.Values, u *measure.DutyUse) {
	if !u.Limited() {
		return
	}
	v.SetNumber(workloads.Duty, u.WorkedShare())
	counted(v, workloads.DutyLimit, u.Share)
	counted(v, workloads.PowerCap, u.Cap)
	if !math.IsNaN(u.Power.Median) {
		v.Set(workloads.DutyPower, u.Power)
	}
}
