package workloads

import "assay/internal/metric"

// Metrics of the energy used by the work of a result, in runs that measure it.
const (
	Energy         metric.Name = "energy_j"
	EnergyBeyond   metric.Name = "energy_above_idle_j"
	EnergyPerItem  metric.Name = "energy_per_item_j"
	EnergyPerOp    metric.Name = "energy_per_flop_j"
	ItemsPerJoule  metric.Name = "items_per_j"
	OpsPerJoule    metric.Name = "flops_per_j"
	LoadPower      metric.Name = "load_power_w"
	IdlePower      metric.Name = "idle_power_w"
	SustainedTime  metric.Name = "sustained_time_s"
	SustainedSpeed metric.Name = "sustained_speed"
	EnergyBusy     metric.Name = "energy_busy"
	EnergyWindows  metric.Name = "energy_windows"
	EnergySource   metric.Name = "energy_source"
)

// energies lists them.
func energies() metric.List {
	return metric.List{
		{
			Name: Energy, Title: "Energy", Missing: "measured with --energy auto, or Energy in Settings, where power is measured", Unit: "J", Shape: metric.Interval, Better: metric.Less, Shown: true, Spare: 6,
			About: "Energy of a repetition without pauses, by a counter of the device or machine; includes idle power.",
		},
		{
			Name: EnergyBeyond, Title: "Energy above idle", Unit: "J", Shape: metric.Interval, Better: metric.Less,
			About: "Energy of a repetition beyond what the idle device uses in the same time, measured before and after.",
		},
		{
			Name: EnergyPerItem, Title: "Energy per item", Unit: "J", Shape: metric.Interval, Better: metric.Less, Shown: true, Spare: 7,
			About: "Energy per item processed, such as a token or a row.", Of: Energy, Per: Items,
		},
		{
			Name: EnergyPerOp, Title: "Energy per operation", Unit: "J", Shape: metric.Interval, Better: metric.Less,
			About: "Energy per arithmetic operation.", Of: Energy, Per: Ops,
		},
		{
			Name: ItemsPerJoule, Title: "Items/J", Unit: "1/J", Shape: metric.Interval, Better: metric.More,
			About: "Items processed per joule.", Of: Items, Per: Energy,
		},
		{
			Name: OpsPerJoule, Title: "Operations/J", Unit: "FLOP/J", Shape: metric.Interval, Better: metric.More,
			About: "Arithmetic operations per joule, which is throughput per watt.", Of: Ops, Per: Energy,
		},
		{
			Name: LoadPower, Title: "Power under load", Missing: "part of measuring energy", Unit: "W", Shape: metric.Interval, Better: metric.Less,
			About: "Mean power while the work ran without a pause, by the energy counter.",
		},
		{
			Name: IdlePower, Title: "Idle power", Unit: "W", Shape: metric.Interval, Better: metric.Less,
			About: "Mean power before and after with nothing running, by the energy counter; the bounds are the two readings.",
		},
		{
			Name: SustainedTime, Title: "Sustained time", Unit: "s", Shape: metric.Interval, Better: metric.Less,
			About: "Time of a repetition without a pause, by the host’s clock, while energy was measured.",
		},
		{
			Name: SustainedSpeed, Title: "Sustained speed", Unit: "×", Shape: metric.Interval, Better: metric.More,
			About: "Time of a repetition in samples divided by that without a pause; less than 1 where the device slows down or waits for the host.",
			Of:    Time, Per: SustainedTime,
		},
		{
			Name: EnergyBusy, Title: "Device busy", Unit: "ratio", Shape: metric.Scalar, Better: metric.More,
			About: "Share of the time in which the device worked while energy was measured.",
		},
		{
			Name: EnergyWindows, Title: "Energy windows", Shape: metric.Count,
			About: "Windows of seconds over which energy was measured, interleaved with the other variants’.",
		},
		{
			Name: EnergySource, Title: "Energy counter", Shape: metric.Text,
			About: "What was counted, by which counter, and what disturbed it; or why energy is not available.",
		},
	}
}
