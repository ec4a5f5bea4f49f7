//go:build !race

package ui

const underRace = false
