package si

// Size returns the number of bytes of a binary unit, such as KiB; 0 if it is not one.
func Size(unit string) float64 {
	u := Find("iB")
	for exp := 1; exp <= u.Highest; exp++ {
		if u.Name(exp) == unit {
			return u.Power(exp)
		}
	}
	return 0
}
