//go:build !linux

package main

// limitHeap does nothing: here, containers have no limits of their own.
func limitHeap() {}
