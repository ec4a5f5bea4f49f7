package linux

import (
	"archive/tar"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"assay/app"
)

// details are the properties of the app in FyneApp.toml.
type details struct {
	Details     struct{ Name, ID, Version string }
	LinuxAndBSD struct {
		GenericName, Comment string
		Categories, Keywords []string
	}
}

func readDetails(t *testing.T) details {
	t.Helper()
	var d details
	if _, err := toml.DecodeFile("../../FyneApp.toml", &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// entry reads the keys of a desktop entry.
func entry(t *testing.T, path string) map[string]string {
	t.Helper()
	keys := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.*)$`).FindAllStringSubmatch(read(t, path), -1) {
		keys[m[1]] = m[2]
	}
	return keys
}

// list formats a list for desktop entries: a semicolon after each item.
func list(items []string) string { return strings.Join(items, ";") + ";" }

func TestDesktopEntryAgrees(t *testing.T) {
	d := readDetails(t)
	got := entry(t, d.Details.ID+".desktop")
	for key, want := range map[string]string{
		"Name": d.Details.Name, "GenericName": d.LinuxAndBSD.GenericName, "Comment": d.LinuxAndBSD.Comment,
		"Categories": list(d.LinuxAndBSD.Categories), "Keywords": list(d.LinuxAndBSD.Keywords),
		"Icon": d.Details.ID, "StartupWMClass": d.Details.Name, "Exec": "assay %F", "Terminal": "false",
	} {
		if got[key] != want {
			t.Errorf("%s is %q, want %q", key, got[key], want)
		}
	}
}

// TestDocumentTypes: the types that the desktop entry names are declared, and the window opens files of them.
func TestDocumentTypes(t *testing.T) {
	id := readDetails(t).Details.ID
	var declared struct {
		Types []struct {
			Name  string `xml:"type,attr"`
			Globs []struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
		} `xml:"mime-type"`
	}
	if err := xml.Unmarshal([]byte(read(t, id+".xml")), &declared); err != nil {
		t.Fatal(err)
	}
	var names, files []string
	for _, d := range declared.Types {
		names = append(names, d.Name)
		for _, g := range d.Globs {
			files = append(files, g.Pattern)
			if !app.IsDocument(strings.Replace(g.Pattern, "*", "a", 1)) {
				t.Errorf("%s is declared, and the window opens no %s", d.Name, g.Pattern)
			}
		}
	}
	if got := entry(t, id+".desktop")["MimeType"]; got != list(names) {
		t.Errorf("the desktop entry has the types %q, declared are %q", got, names)
	}
	for _, extension := range app.WeightsTypes() {
		if want := "*." + extension; !slices.Contains(files, want) {
			t.Errorf("declared are %q, want %s too", files, want)
		}
	}
}

// needsDebian skips a test where the tools of dpkg are not installed; scripts/deps.sh installs them for CI.
func needsDebian(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"dpkg-deb", "dpkg-shlibdeps"} {
		_, err := exec.LookPath(tool)
		switch {
		case err == nil:
		case os.Getenv("CI") != "" && runtime.GOOS == "linux":
			t.Fatal(err)
		default:
			t.Skip(err)
		}
	}
}

// program is a small system program, which is packed instead of Assay.
const program = "/bin/true"

// makePackage packs the program into a new folder, and returns the output.
func makePackage(t *testing.T, name string) (folder, said string) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("packages for Linux are made on Linux")
	}
	folder = t.TempDir()
	cmd := exec.Command("sh", "package.sh", name, program, "LICENSE", folder)
	cmd.Env = append(os.Environ(), "SOURCE_DATE_EPOCH=1790000000")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("package.sh: %v\n%s", err, out)
	}
	return folder, string(out)
}

// archived lists the files of an archive below its one folder, each with its mode, sorted.
func archived(t *testing.T, path, folder string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			slices.Sort(files)
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		name, ok := strings.CutPrefix(h.Name, folder+"/")
		if mode := fs.FileMode(h.Mode); !ok || h.Uid != 0 || mode.Perm()&0o755 != mode.Perm() {
			t.Errorf("%s: %s, owner %d, mode %v", path, h.Name, h.Uid, mode)
		}
		if h.Typeflag == tar.TypeReg {
			files = append(files, name)
		}
	}
}

func TestArchive(t *testing.T) {
	d := readDetails(t).Details
	base := "_" + d.Version + "_linux_" + runtime.GOARCH
	windowOnly := []string{
		"share/applications/" + d.ID + ".desktop", "share/icons/hicolor/256x256/apps/" + d.ID + ".png",
		"share/icons/hicolor/scalable/apps/" + d.ID + ".svg", "share/mime/packages/" + d.ID + ".xml",
	}
	for name, more := range map[string][]string{"assay": windowOnly, "assay-headless": nil} {
		want := append([]string{"bin/assay", "share/man/man1/assay.1.gz"}, more...)
		for _, doc := range []string{"CHANGELOG.md.gz", "LICENSES.gz", "changelog.gz", "copyright"} {
			want = append(want, "share/doc/"+name+"/"+doc)
		}
		slices.Sort(want)
		folder, _ := makePackage(t, name)
		if got := archived(t, filepath.Join(folder, name+base+".tar.gz"), name+base); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", name, got, want)
		}
	}
}

// TestPackage checks the control file of a .deb, and that the same files give the same bytes.
func TestPackage(t *testing.T) {
	needsDebian(t)
	folder, said := makePackage(t, "assay-headless")
	debs, _ := filepath.Glob(filepath.Join(folder, "*.deb"))
	if len(debs) != 1 {
		t.Fatalf("made %q, want one .deb: %s", debs, said)
	}
	fields, err := exec.Command("dpkg-deb", "--field", debs[0]).Output()
	if err != nil {
		t.Fatal(err)
	}
	d := readDetails(t)
	for _, want := range []string{
		"Package: assay-headless\n", "Version: " + d.Details.Version + "\n", "Conflicts: assay\n", "Replaces: assay\n", "\nDepends: libc6 (>= ",
		strings.Fields(d.LinuxAndBSD.Comment)[0],
	} {
		if !strings.Contains(string(fields), want) {
			t.Errorf("the package lacks %q:\n%s", want, fields)
		}
	}
	again, _ := makePackage(t, "assay-headless")
	if read(t, debs[0]) != read(t, filepath.Join(again, filepath.Base(debs[0]))) {
		t.Error("two packages of the same files differ")
	}
}
