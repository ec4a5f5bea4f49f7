package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// The list of cuda.py names kernels that exist, with calls that they accept.
func TestListOfPeers(t *testing.T) {
	text, err := os.ReadFile("../../../../scripts/peers/cuda.json")
	if err != nil {
		t.Fatal(err)
	}
	var jobs []job
	if err := json.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	for _, j := range jobs {
		k, params, err := j.kernel()
		if err == nil {
			err = k.Check(params)
		}
		if err != nil {
			t.Errorf("%s: %s %s: %v", j.Label, j.Kernel, j.Key, err)
		}
	}
}

func TestPreferred(t *testing.T) {
	j := job{Kernel: "softmax_f16", Params: json.RawMessage(`{"Rows": 2, "Cols": 4096}`), Preferred: true}
	if _, _, err := j.kernel(); err != nil {
		t.Fatal(err)
	}
	if j.Kernel != "softmax_registers_f16" || !strings.Contains(j.Key, "whole=1") {
		t.Errorf("%s %s, want rows in registers by code for whole ones", j.Kernel, j.Key)
	}
}
