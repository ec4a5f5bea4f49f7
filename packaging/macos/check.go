package main

import (
	"bytes"
	"debug/macho"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// checkBundle checks an application bundle and describes it line by line: everything that Info.plist refers to exists, each
// architecture of the executable has the same minimum version of macOS as Info.plist, and signatures are valid.
func checkBundle(app string) (lines []string, err error) {
	contents := filepath.Join(app, "Contents")
	f, err := os.Open(filepath.Join(contents, "Info.plist"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := parsePlist(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	lines = append(lines, fmt.Sprintf("%s %s (%s), macOS %s or later", info.text("CFBundleIdentifier"),
		info.text("CFBundleShortVersionString"), info.text("CFBundleVersion"), info.text("LSMinimumSystemVersion")))
	icon := filepath.Join(contents, "Resources", info.text("CFBundleIconFile")+".icns")
	if data, err := os.ReadFile(icon); err != nil {
		return lines, err
	} else if !bytes.HasPrefix(data, []byte("icns")) {
		return lines, fmt.Errorf("%s is not an icon file", icon)
	}
	if strings.Contains(info.text("CFBundleShortVersionString")+info.text("CFBundleVersion"), "@") {
		return lines, errors.New("no version is filled in in Info.plist")
	}
	slices, err := readExecutable(filepath.Join(contents, "MacOS", info.text("CFBundleExecutable")))
	for _, s := range slices {
		lines = append(lines, s.String())
	}
	if err != nil {
		return lines, err
	}
	return lines, checkSlices(slices, info.text("LSMinimumSystemVersion"))
}

// checkSlices checks the architectures of an executable. Apple silicon runs no arm64 code without a signature.
func checkSlices(slices []slice, minVersion string) error {
	for _, s := range slices {
		switch {
		case s.minVersion != minVersion:
			return fmt.Errorf("the code for %s wants macOS %s or later, Info.plist says %s", s.arch, s.minVersion, minVersion)
		case s.signature == "" && s.arch == "arm64":
			return errors.New("the code for arm64 is not signed")
		}
	}
	return nil
}

// slice is one architecture of an executable.
type slice struct {
	arch       string
	minVersion string // version of macOS
	signature  string // in words; empty for none
	pages      int    // of code that the signature covers
}

func (s slice) String() string {
	if s.signature == "" {
		return fmt.Sprintf("%s: macOS %s or later, not signed", s.arch, s.minVersion)
	}
	return fmt.Sprintf("%s: macOS %s or later, signed (%s), %d pages verified", s.arch, s.minVersion, s.signature, s.pages)
}

// readExecutable reads the architectures of an executable, universal or not.
func readExecutable(path string) ([]slice, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	fat, err := macho.NewFatFile(bytes.NewReader(data))
	if errors.Is(err, macho.ErrNotFat) {
		s, err := readSlice(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return []slice{s}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []slice
	for _, arch := range fat.Arches {
		end := uint64(arch.Offset) + uint64(arch.Size)
		if end > uint64(len(data)) {
			return nil, fmt.Errorf("%s: the code for %s goes on after the end of the file", path, arch.Cpu)
		}
		s, err := readSlice(data[arch.Offset:end])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// Load commands that debug/macho does not know.
const (
	loadCodeSignature = 0x1d
	loadBuildVersion  = 0x32
)

// readSlice reads the code of one architecture.
func readSlice(data []byte) (slice, error) {
	f, err := macho.NewFile(bytes.NewReader(data))
	if err != nil {
		return slice{}, err
	}
	s := slice{arch: map[macho.Cpu]string{macho.CpuArm64: "arm64", macho.CpuAmd64: "amd64"}[f.Cpu]}
	if s.arch == "" || f.Type != macho.TypeExec {
		return s, fmt.Errorf("%s %s, want a program for arm64 or amd64", f.Cpu, f.Type)
	}
	for _, l := range f.Loads {
		raw := l.Raw()
		switch command := f.ByteOrder.Uint32(raw); {
		case command == loadBuildVersion && len(raw) >= 16:
			v := f.ByteOrder.Uint32(raw[12:])
			s.minVersion = fmt.Sprintf("%d.%d", v>>16, v>>8&0xff)
		case command == loadCodeSignature && len(raw) >= 16:
			at, size := uint64(f.ByteOrder.Uint32(raw[8:])), uint64(f.ByteOrder.Uint32(raw[12:]))
			if at+size > uint64(len(data)) {
				return s, fmt.Errorf("the signature for %s goes on after the end of the code", s.arch)
			}
			if s.signature, s.pages, err = verifySignature(data, data[at:at+size]); err != nil {
				return s, fmt.Errorf("the signature for %s: %w", s.arch, err)
			}
		}
	}
	return s, nil
}
