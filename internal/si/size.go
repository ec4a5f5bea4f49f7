package si

// Size is how many bytes a binary unit of sizes is, such as KiB; 0 if it is none.
func Size(unit string) float64 {
	u := Find("iB")
	for exp := 1; exp <= u.Highest; exp++ {
		if u.Name(exp) == unit {
			return u.Power(exp)
		}
	}
	return 0
}
