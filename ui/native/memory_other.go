//go:build !linux && !darwin

package native

func trimC() {}

func dropCode() {}
