package app

import "testing"

func TestIsDocument(t *testing.T) {
	for name, want := range map[string]bool{
		"a.safetensors": true, "a.gguf": true, "gguf": false, "a.": false, "./B.SAFETENSORS": true, "runs/x.assayrun": true, "runs/x.assayrun/": true,
		"run": false, "--help": false, "a.csv": false, "safetensors": false, "assayrun": false, "": false,
	} {
		if IsDocument(name) != want {
			t.Errorf("IsDocument(%q) is %v", name, !want)
		}
	}
}
