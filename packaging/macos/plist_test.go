package main

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func infoPlist(t *testing.T) dict {
	t.Helper()
	f, err := os.Open("Info.plist")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := parsePlist(f)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// find returns the match of the pattern's group in a file.
func find(t *testing.T, path, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(read(t, path))
	if m == nil {
		t.Fatalf("%s has nothing like %s", path, pattern)
	}
	return m[1]
}

// TestInfoAgrees compares Info.plist with the rest of the project.
func TestInfoAgrees(t *testing.T) {
	info := infoPlist(t)
	const fyne = "../../FyneApp.toml"
	for key, want := range map[string]any{
		"CFBundleIdentifier":                   find(t, fyne, `(?m)^ID = "(.*)"`),
		"CFBundleName":                         find(t, fyne, `(?m)^Name = "(.*)"`),
		"CFBundleDisplayName":                  find(t, fyne, `(?m)^Name = "(.*)"`),
		"CFBundleExecutable":                   "assay",
		"CFBundlePackageType":                  "APPL",
		"CFBundleIconFile":                     "Assay",
		"CFBundleShortVersionString":           "@VERSION@",
		"CFBundleVersion":                      "@BUILD@",
		"LSMinimumSystemVersion":               find(t, "cc", `apple-macos([\d.]+)`),
		"LSApplicationCategoryType":            "public.app-category.developer-tools",
		"NSHumanReadableCopyright":             "Copyright © " + find(t, "../../LICENSE", `Copyright \(c\) (.*)`) + ". MIT license.",
		"MetalCaptureEnabled":                  true,
		"NSHighResolutionCapable":              true,
		"NSSupportsAutomaticGraphicsSwitching": true,
	} {
		if !reflect.DeepEqual(info[key], want) {
			t.Errorf("%s is %v, want %v", key, info[key], want)
		}
	}
	if find(t, "app.sh", `-mmacosx-version-min=([\d.]+)`) != info.text("LSMinimumSystemVersion") {
		t.Error("app.sh builds for another minimum macOS than Info.plist says")
	}
}

// TestDocumentTypes checks that every type that can be opened is declared, with the file extensions that the window opens.
func TestDocumentTypes(t *testing.T) {
	info := infoPlist(t)
	declared := map[string]dict{}
	for _, list := range []string{"UTExportedTypeDeclarations", "UTImportedTypeDeclarations"} {
		for _, d := range info[list].([]any) {
			declared[d.(dict).text("UTTypeIdentifier")] = d.(dict)
		}
	}
	endings := map[string]dict{}
	for _, d := range info["CFBundleDocumentTypes"].([]any) {
		document := d.(dict)
		for _, id := range document["LSItemContentTypes"].([]any) {
			tags, ok := declared[id.(string)]["UTTypeTagSpecification"].(dict)
			if !ok {
				t.Errorf("type %v is opened, but not declared", id)
				continue
			}
			for _, ending := range tags["public.filename-extension"].([]any) {
				endings[ending.(string)] = document
			}
		}
	}
	run := find(t, "../../app/bundle/bundle.go", `Type += "(\w+)"`)
	weights := []string{find(t, "../../app/documents.go", `WeightsType += "(\w+)"`), find(t, "../../app/documents.go", `GGUFType += "(\w+)"`)}
	if len(endings) != 1+len(weights) || endings[run] == nil {
		t.Fatalf("opens %v, want %s and %v", endings, run, weights)
	}
	if endings[run]["LSTypeIsPackage"] != true || endings[run].text("LSHandlerRank") != "Owner" {
		t.Errorf("a run is a package of ours, the list says %v", endings[run])
	}
	for _, ending := range weights {
		if d := endings[ending]; d == nil || d["LSTypeIsPackage"] != nil || d.text("LSHandlerRank") != "Alternate" {
			t.Errorf("weights are files of others, the list says %v of .%s", d, ending)
		}
	}
	for ending, d := range endings {
		if d.text("CFBundleTypeRole") != "Viewer" {
			t.Errorf(".%s: Assay views, the list says %v", ending, d)
		}
	}
	if got := declared["io.github.assay.run"]["UTTypeConformsTo"].([]any)[0]; got != "com.apple.package" {
		t.Errorf("a run conforms to %v first, want com.apple.package", got)
	}
}

func TestParsePlist(t *testing.T) {
	const head = `<?xml version="1.0"?><!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "x"><plist version="1.0">`
	got, err := parsePlist(strings.NewReader(head + `<dict><key>a</key><array><string>x &amp; y</string><true/></array>
		<!-- c --><key>b</key><dict><key>n</key><integer>7</integer></dict><key>e</key><array/></dict></plist>`))
	want := dict{"a": []any{"x & y", true}, "b": dict{"n": "7"}, "e": []any{}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for _, bad := range []string{
		"", "<plist><array/></plist>", "<dict><key>a</key></dict>", "<dict><string>a</string></dict>", "<dict><key>a</key><string>",
		"<dict><key>a</key><true/><key>a</key><true/></dict>", "<dict><key>a</key><data>AA==</data></dict>",
	} {
		if got, err := parsePlist(strings.NewReader(bad)); err == nil {
			t.Errorf("%s parses to %v", bad, got)
		}
	}
}

// TestCaskRemovesWhatTheAppLeaves compares the cask's list with the folders that the app uses.
func TestCaskRemovesWhatTheAppLeaves(t *testing.T) {
	cask := read(t, "../homebrew/assay.rb")
	folders := regexp.MustCompile(`"(Library/[^"]+)"`).FindAllStringSubmatch(read(t, "../../app/paths_darwin.go"), -1)
	if len(folders) != 4 {
		t.Fatalf("the app uses %q, want its data, logs, caches and settings", folders)
	}
	want := []string{
		`binary "#{appdir}/Assay.app/Contents/MacOS/` + infoPlist(t).text("CFBundleExecutable") + `"`,
		`"~/Library/Preferences/fyne/` + infoPlist(t).text("CFBundleIdentifier") + `"`,
	}
	for _, f := range folders {
		want = append(want, `"~/`+f[1]+`"`)
	}
	for _, w := range want {
		if !strings.Contains(cask, w) {
			t.Errorf("the cask lacks %s", w)
		}
	}
}
