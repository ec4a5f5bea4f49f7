package aboutpage

import (
	"path"
	"regexp"
	"runtime/debug"
	"strings"

	"fyne.io/fyne/v2"

	"assay/ui/kit"
)

// license is a license of modules that Assay is built from.
type license struct {
	name    string
	modules []string
}

// licenses lists every module in Assay's builds for all systems, by license. A test compares it with the build.
func licenses() []license {
	return []license{
		{"BSD 3-Clause", []string{
			"fyne.io/fyne/v2", "github.com/aclements/go-moremath", "github.com/fsnotify/fsnotify", "github.com/fyne-io/image",
			"github.com/fyne-io/oksvg", "github.com/go-gl/glfw/v3.3/glfw", "github.com/go-text/render",
			"github.com/go-text/typesetting", "github.com/munnerz/goautoneg", "github.com/pmezard/go-difflib", "github.com/shirou/gopsutil/v3",
			"github.com/spf13/pflag", "github.com/srwiley/oksvg", "github.com/srwiley/rasterx", "github.com/tklauser/go-sysconf",
			"golang.org/x/image", "golang.org/x/net", "golang.org/x/perf", "golang.org/x/sys", "golang.org/x/term",
			"golang.org/x/text", "go.starlark.net", "google.golang.org/protobuf",
		}},
		{"BSD 2-Clause", []string{"github.com/godbus/dbus/v5"}},
		{"MIT", []string{
			"github.com/BurntSushi/toml", "github.com/beorn7/perks", "github.com/cespare/xxhash/v2", "github.com/fredbi/uri", "github.com/go-gl/gl", "github.com/jeandeaual/go-locale",
			"github.com/jedib0t/go-pretty/v6", "github.com/jsummers/gobmp", "github.com/mattn/go-runewidth",
			"github.com/nicksnyder/go-i18n/v2", "github.com/rivo/uniseg", "github.com/stretchr/testify",
			"github.com/wcharczuk/go-chart/v2", "github.com/x448/float16", "github.com/yuin/goldmark", "gopkg.in/yaml.v3",
		}},
		{"Apache 2.0", []string{
			"fyne.io/systray", "github.com/ebitengine/purego", "github.com/google/renameio/v2", "github.com/prometheus/client_golang", "github.com/prometheus/client_model",
			"github.com/prometheus/common", "github.com/prometheus/procfs", "github.com/rymdport/portal",
			"github.com/spf13/cobra", "github.com/tklauser/numcpus", "go.yaml.in/yaml/v2",
		}},
		{"ISC", []string{"github.com/davecgh/go-spew", "github.com/nfnt/resize"}},
		{"Mozilla Public License 2.0", []string{"github.com/shoenig/go-m1cpu"}},
		{"FreeType", []string{"github.com/golang/freetype"}},
	}
}

// licenseRows are the licenses, each with the modules under it and their versions in this build.
func licenseRows() []fyne.CanvasObject {
	versions := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			versions[m.Path] = m.Version
		}
	}
	var rows []fyne.CanvasObject
	for _, l := range licenses() {
		var names []string
		for _, m := range l.modules {
			names = append(names, strings.TrimSpace(short(m)+" "+versions[m]))
		}
		rows = append(rows, kit.NewRow(kit.NewHeading(l.name), kit.NewCaption(strings.Join(names, ", "), 12), nil))
	}
	return rows
}

var majorVersion = regexp.MustCompile(`/v\d+$`)

// short is a module's path without the most common host and without its major version.
func short(module string) string {
	return path.Clean(majorVersion.ReplaceAllString(strings.TrimPrefix(module, "github.com/"), ""))
}
