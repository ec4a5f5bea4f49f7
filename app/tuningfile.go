package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"assay/internal/kept"
	"assay/internal/regular"
	"assay/shaders"
)

// Limits of a file of tuned choices, which may come from elsewhere.
const (
	tuningSchema   = 1
	maxTuningFile  = 16 << 20
	maxTunings     = 20_000
	maxTuningsText = 4000
)

type tuningFile struct {
	Schema  int          `json:"schema"`
	Tunings []KeptTuning `json:"tunings"`
}

// readTunings reads a file and refuses what no search would have written.
func readTunings(path string) ([]KeptTuning, error) {
	data, err := regular.Read(path, "a file of tuned choices", maxTuningFile)
	if err != nil {
		return nil, err
	}
	var file tuningFile
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read tuned choices: %s: %w", path, err)
	}
	if file.Schema < 1 || file.Schema > tuningSchema {
		return nil, fmt.Errorf("read tuned choices: %s has schema %d, this version of Assay reads %d", path, file.Schema, tuningSchema)
	}
	if err := checkTunings(file.Tunings); err != nil {
		return nil, fmt.Errorf("read tuned choices: %s: %w", path, err)
	}
	return file.Tunings, nil
}

// checkTunings applies to reading and writing alike, so that whatever is written can be read again.
func checkTunings(list []KeptTuning) error {
	if len(list) > maxTunings {
		return fmt.Errorf("%d entries, want at most %d", len(list), maxTunings)
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return fmt.Errorf("entry %d: %w", i+1, err)
		}
	}
	return nil
}

func tuningAt(path string) kept.File {
	return kept.File{Path: path, What: "a file of tuned choices", Limit: maxTuningFile}
}

// check refuses an entry that cannot be used: it would become a kernel.
func (k *KeptTuning) check() error {
	for _, text := range []string{k.On.Engine, k.On.Device, k.On.Features, k.On.System, k.On.Program, k.Op, k.Type, k.Params, k.Default, k.Impl, k.Sources[0], k.Sources[1], k.Run, k.Operands} {
		if len(text) > maxTuningsText {
			return fmt.Errorf("a text of %d bytes, want at most %d", len(text), maxTuningsText)
		}
	}
	k.Unused = ""
	if k.Op == "" || k.Type == "" || k.Default == "" {
		return errors.New("no op, type or default")
	}
	if !k.Kept() {
		return nil
	}
	for _, v := range []float64{k.Gain.Median, k.Gain.Lo, k.Gain.Hi} {
		if !(v > 1 && v < 1e6) || math.IsNaN(v) {
			return fmt.Errorf("gain %g, want above 1", v)
		}
	}
	return k.checkChoice()
}

// checkChoice refuses values of tunables that the implementation does not have; a choice that this version lacks is not used.
func (k *KeptTuning) checkChoice() error {
	kernel, known := kernelOf(k.Op + "/" + k.Impl + "/" + k.Type)
	if !known {
		return nil
	}
	for name, v := range k.Tunables {
		has := func(t shaders.Tunable) bool { return t.Name == name && slices.Contains(t.Values, v) }
		if !slices.ContainsFunc(kernel.Impl.Tunables, has) {
			return fmt.Errorf("%s has no tunable %s of %d", kernel.ID(), name, v)
		}
	}
	return nil
}

func writeTunings(path string, list []KeptTuning) error {
	if list == nil {
		list = []KeptTuning{}
	}
	if err := checkTunings(list); err != nil {
		return fmt.Errorf("write tuned choices: %s: %w", path, err)
	}
	return tuningAt(path).Write(tuningFile{tuningSchema, list})
}
