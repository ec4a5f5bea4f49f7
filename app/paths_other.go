//go:build !darwin

package app

const dataFolder = ".local/share/assay"
