//go:build !linux

package main

// limitHeap does nothing: there are no containers with limits of their own here.
func limitHeap() {}
