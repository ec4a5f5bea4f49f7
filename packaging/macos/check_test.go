package main

import (
	"bytes"
	"crypto/sha256"
	"debug/macho"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const testPage = 4096

// program is a made-up executable of one architecture: a header, the minimum macOS, three pages of code, and a signature if
// requested.
func program(cpu macho.Cpu, least uint32, signed bool) []byte {
	const codeSize = 3*testPage - 100
	commands := []uint32{loadBuildVersion, 24, 1, least, 14 << 16, 0}
	if signed {
		commands = append(commands, loadCodeSignature, 16, codeSize, 0) // the size is filled in below
	}
	count := uint32(1)
	if signed {
		count = 2
	}
	var b bytes.Buffer
	header := []uint32{macho.Magic64, uint32(cpu), 0, uint32(macho.TypeExec), count, uint32(4 * len(commands)), 0, 0}
	_ = binary.Write(&b, binary.LittleEndian, append(header, commands...)) // a buffer accepts everything
	for b.Len() < codeSize {
		b.WriteByte(byte(b.Len() * 7))
	}
	code := b.Bytes()
	if !signed {
		return code
	}
	size := len(signature(code))
	binary.LittleEndian.PutUint32(code[4*(len(header)+len(commands)-1):], uint32(size))
	return append(code, signature(code)...)
}

// signature is an ad-hoc one, as a linker creates it.
func signature(code []byte) []byte {
	const header = 44
	pages := (len(code) + testPage - 1) / testPage
	d := codeDirectory{
		Magic: magicCodeDirectory, Length: uint32(header + pages*sha256.Size), Version: 0x20000, Flags: flagAdhoc | flagLinkerSigned,
		HashOffset: header, CodeSlots: uint32(pages), CodeLimit: uint32(len(code)), HashSize: sha256.Size, HashType: sha256Hash, Shift: 12,
	}
	var blob bytes.Buffer
	_ = binary.Write(&blob, binary.BigEndian, d)
	blob.Write(make([]byte, header-blob.Len()))
	for i := 0; i < len(code); i += testPage {
		sum := sha256.Sum256(code[i:min(len(code), i+testPage)])
		blob.Write(sum[:])
	}
	const at = 20
	var out bytes.Buffer
	_ = binary.Write(&out, binary.BigEndian, []uint32{magicSignature, uint32(at + blob.Len()), 1, 0, at})
	return append(out.Bytes(), blob.Bytes()...)
}

// universal puts programs into one file.
func universal(programs ...[]byte) []byte {
	const align = 14 // 2^14 bytes
	var head, body bytes.Buffer
	_ = binary.Write(&head, binary.BigEndian, []uint32{macho.MagicFat, uint32(len(programs))})
	for _, p := range programs {
		body.Write(make([]byte, -body.Len()&(1<<align-1)))
		cpu := binary.LittleEndian.Uint32(p[4:])
		_ = binary.Write(&head, binary.BigEndian, []uint32{cpu, 0, uint32(1<<align + body.Len()), uint32(len(p)), align})
		body.Write(p)
	}
	return append(append(head.Bytes(), make([]byte, 1<<align-head.Len())...), body.Bytes()...)
}

const macOS12 = 12 << 16

func TestReadExecutable(t *testing.T) {
	arm, intel := program(macho.CpuArm64, macOS12, true), program(macho.CpuAmd64, macOS12|1<<8, false)
	bad := func(at int, from []byte) []byte {
		b := bytes.Clone(from)
		b[at] ^= 1
		return b
	}
	for _, c := range []struct {
		name string
		file []byte
		want []string // the slices, or a part of the error
	}{
		{"one", arm, []string{"arm64: macOS 12.0 or later, signed (ad hoc, by the linker), 3 pages verified"}},
		{"universal", universal(intel, arm), []string{
			"amd64: macOS 12.1 or later, not signed", "arm64: macOS 12.0 or later, signed (ad hoc, by the linker), 3 pages verified",
		}},
		{"changed", bad(2*testPage, arm), []string{"page 2 was changed after it was signed"}},
		{"changed within", universal(intel, bad(5000, arm)), []string{"page 1 was changed after it was signed"}},
		{"cut", universal(intel, arm)[:1<<15+5000], []string{"goes on after the end"}},
		{"signature cut", arm[:len(arm)-40], []string{"goes on after the end"}},
		{"other processor", program(macho.CpuPpc64, macOS12, false), []string{"want a program for arm64 or amd64"}},
		{"text", []byte("#!/bin/sh\n"), []string{"invalid magic number"}},
		{"empty", nil, []string{"error reading magic number"}},
	} {
		path := filepath.Join(t.TempDir(), "assay")
		if err := os.WriteFile(path, c.file, 0o600); err != nil {
			t.Fatal(err)
		}
		slices, err := readExecutable(path)
		var got []string
		for _, s := range slices {
			got = append(got, s.String())
		}
		if err != nil {
			got = []string{err.Error()}
		}
		if len(got) != len(c.want) || !strings.Contains(strings.Join(got, "\n"), strings.Join(c.want, "\n")) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestSignatureThatIsNone(t *testing.T) {
	code := program(macho.CpuArm64, macOS12, false)
	good := signature(code)
	for _, c := range []struct {
		name   string
		change func(b []byte)
		want   string
	}{
		{"no table", func(b []byte) { b[0] = 0 }, "no table of blobs"},
		{"too many blobs", func(b []byte) { b[8] = 0xff }, "blobs in"},
		{"blob outside", func(b []byte) { b[16] = 0xff }, "begins after the end"},
		{"no directory", func(b []byte) { b[20] = 0 }, "no code directory"},
		{"other hash", func(b []byte) { b[20+37] = 1 }, "hashes of type 1"},
		{"too few hashes", func(b []byte) { b[20+31] = 2 }, "2 hashes for 3 pages"},
		{"hashes outside", func(b []byte) { b[20+18] = 1 }, "after the end of the code directory"},
	} {
		b := bytes.Clone(good)
		c.change(b)
		if _, _, err := verifySignature(code, b); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if kind, pages, err := verifySignature(code, good); err != nil || kind != "ad hoc, by the linker" || pages != 3 {
		t.Errorf("the good one: %s, %d pages, %v", kind, pages, err)
	}
	if kind := (codeDirectory{Flags: flagRuntime}).kind(); kind != "with a certificate, hardened runtime" {
		t.Errorf("a Developer ID's is %q", kind)
	}
}

// bundle lays out an application.
func bundle(t *testing.T, version string, executable []byte) string {
	t.Helper()
	app := filepath.Join(t.TempDir(), "Assay.app")
	info := strings.NewReplacer("@VERSION@", version, "@BUILD@", "7").Replace(read(t, "Info.plist"))
	for name, data := range map[string]string{
		"Contents/Info.plist": info, "Contents/MacOS/assay": string(executable), "Contents/Resources/Assay.icns": "icns and so on",
	} {
		path := filepath.Join(app, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return app
}

func TestCheckBundle(t *testing.T) {
	both := universal(program(macho.CpuAmd64, macOS12, false), program(macho.CpuArm64, macOS12, true))
	lines, err := checkBundle(bundle(t, "1.2.3", both))
	if err != nil || len(lines) != 3 || lines[0] != "io.github.assay.Assay 1.2.3 (7), macOS 12.0 or later" {
		t.Errorf("%q, %v", lines, err)
	}
	for _, c := range []struct {
		name, version string
		executable    []byte
		spoil, want   string
	}{
		{"version", "@VERSION@", both, "", "no version is filled in"},
		{"unsigned", "1.2.3", program(macho.CpuArm64, macOS12, false), "", "the code for arm64 is not signed"},
		{"newer macOS", "1.2.3", program(macho.CpuAmd64, 13<<16, false), "", "wants macOS 13.0 or later, Info.plist says 12.0"},
		{"no icon", "1.2.3", both, "Contents/Resources/Assay.icns", "no such file"},
		{"no icon in the icon's file", "1.2.3", both, "icon", "is not an icon file"},
		{"no program", "1.2.3", both, "Contents/MacOS/assay", "no such file"},
		{"no list", "1.2.3", both, "Contents/Info.plist", "no such file"},
	} {
		app := bundle(t, c.version, c.executable)
		switch c.spoil {
		case "":
		case "icon":
			if err := os.WriteFile(filepath.Join(app, "Contents/Resources/Assay.icns"), []byte("PNG"), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.Remove(filepath.Join(app, c.spoil)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := checkBundle(app); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"icns"}, {"icns", "a"}, {"check"}, {"sign", "a"}} {
		if err := run(args); err == nil || !strings.Contains(err.Error(), "want: icns PICTURE ICNS") {
			t.Errorf("%q: %v", args, err)
		}
	}
}
