package app

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"assay/app/bundle"
	"assay/internal/imported"
	"assay/internal/kept"
	"assay/internal/regular"
	"assay/workloads"
)

// Files in the folder of the runs.
const (
	referencesFile = "references.json"
	baselinesFile  = "baselines.json"
	maxKept        = 16 << 20 // bytes of one file
)

// References are the imported files of external figures, sorted by name.
func (l *Library) References() ([]imported.File, error) {
	var list []imported.File
	err := l.kept(referencesFile).Read(&list)
	return list, err
}

// Import reads a file of llama-bench, MLX, google-benchmark or hyperfine and keeps its figures, replacing a file of the same name.
// All kept files together are limited to 16 MiB; a file that exceeds this is refused.
func (l *Library) Import(path string) (imported.File, error) {
	data, err := regular.Read(path, "a file of results", imported.MaxBytes)
	if err != nil {
		return imported.File{}, err
	}
	f := imported.File{Name: filepath.Base(path), Imported: time.Now().Round(time.Second)}
	if strings.HasPrefix(f.Name, baselinePrefix) {
		return f, fmt.Errorf("%s: a name that begins with %q means a baseline; rename the file", path, baselinePrefix)
	}
	if f.Rows, err = imported.Parse(data); err != nil {
		return imported.File{}, fmt.Errorf("read %s: %w", path, err)
	}
	file := l.kept(referencesFile)
	err = file.Change(func() error {
		list, err := l.References()
		if err != nil {
			return err
		}
		return file.Write(with(list, f))
	})
	if err != nil {
		return imported.File{}, fmt.Errorf("import %s: %w", path, err)
	}
	return f, nil
}

// with returns the list with a file added, replacing one of the same name, sorted by name.
func with(list []imported.File, f imported.File) []imported.File {
	list = append(slices.DeleteFunc(slices.Clone(list), func(o imported.File) bool { return o.Name == f.Name }), f)
	slices.SortFunc(list, func(a, b imported.File) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// without returns the list without the file of that name; false: there is none.
func without(list []imported.File, name string) (rest []imported.File, found bool) {
	rest = slices.DeleteFunc(slices.Clone(list), func(f imported.File) bool { return f.Name == name })
	return rest, len(rest) < len(list)
}

// RemoveReference forgets the figures of a file. Runs they were placed beside keep them.
func (l *Library) RemoveReference(name string) error {
	file := l.kept(referencesFile)
	return file.Change(func() error {
		list, err := l.References()
		if err != nil {
			return err
		}
		rest, found := without(list, name)
		if !found {
			return fmt.Errorf("no file %q was imported", name)
		}
		return file.Write(rest)
	})
}

// PutBeside places figures beside the run in a folder and returns all figures there: those of an imported file by name or, with
// "baseline:NAME", a baseline's figures for the same workloads. The bundle has a copy of them.
func (l *Library) PutBeside(dir, name string) ([]imported.File, error) {
	f, err := l.figures(dir, name)
	if err != nil {
		return nil, err
	}
	list, err := bundle.ReadReferences(dir)
	if err != nil {
		return nil, err
	}
	list = with(list, f)
	return list, bundle.WriteReferences(dir, list)
}

// TakeFromBeside removes figures from beside a run and returns the others.
func (l *Library) TakeFromBeside(dir, name string) ([]imported.File, error) {
	list, err := bundle.ReadReferences(dir)
	if err != nil {
		return nil, err
	}
	rest, found := without(list, name)
	if !found {
		return list, fmt.Errorf("no figures of %q are beside the run in %s", name, dir)
	}
	return rest, bundle.WriteReferences(dir, rest)
}

// Beside returns the figures beside the run in a folder.
func (l *Library) Beside(dir string) ([]imported.File, error) { return bundle.ReadReferences(dir) }

// figures returns those of a name, for the run in a folder.
func (l *Library) figures(dir, name string) (imported.File, error) {
	if named, ok := strings.CutPrefix(name, baselinePrefix); ok {
		return l.baselineFigures(dir, named)
	}
	list, err := l.References()
	if err != nil {
		return imported.File{}, err
	}
	at := slices.IndexFunc(list, func(f imported.File) bool { return f.Name == name })
	if at < 0 {
		return imported.File{}, fmt.Errorf("no file %q was imported", name)
	}
	return list[at], nil
}

// baselineFigures returns the figures of a named baseline for the workloads of the run in a folder. A baseline of the run's own
// device comes first.
func (l *Library) baselineFigures(dir, named string) (imported.File, error) {
	f := imported.File{Name: baselinePrefix + named, Imported: time.Now().Round(time.Second)}
	run, _, err := bundle.LoadThinned(context.Background(), dir)
	if err != nil {
		return f, err
	}
	b, err := l.FindBaseline(named, &run.Meta.Engine)
	if err != nil {
		if b, err = l.FindBaseline(named, nil); err != nil {
			return f, err
		}
	}
	base, _, err := bundle.LoadThinned(context.Background(), b.Run)
	if err != nil {
		return f, fmt.Errorf("baseline %s: %w", named, err)
	}
	if base.Meta.ID == run.Meta.ID {
		return f, fmt.Errorf("the run is baseline %s itself", named)
	}
	context := "run " + base.Meta.ID
	if on := &base.Meta.Engine; on.Device != run.Meta.Engine.Device || on.Engine != run.Meta.Engine.Engine {
		context += fmt.Sprintf(" on %s (%s engine)", on.Device, on.Engine)
	}
	for i := range base.Results {
		if r := &base.Results[i]; ran(run, r.Workload) && r.Status == workloads.OK && r.Time().Median > 0 && len(f.Rows) < imported.MaxRows {
			row := ownRow(context, r)
			if len(run.Meta.Jobs) > 1 {
				row.Name = r.Workload + ", " + row.Name
			}
			f.Rows = append(f.Rows, row)
		}
	}
	if len(f.Rows) == 0 {
		return f, fmt.Errorf("baseline %s has no verified result of the run’s workloads", named)
	}
	return f, nil
}

func ran(r *bundle.Run, workload string) bool {
	return slices.ContainsFunc(r.Meta.Jobs, func(j bundle.Job) bool { return j.Workload == workload })
}

// ownRow returns a result of an earlier run as a reference row.
func ownRow(context string, r *workloads.Result) imported.Row {
	t := r.Time()
	row := imported.Row{
		Source: imported.Own, Name: strings.Join(slices.DeleteFunc([]string{r.Case, r.Variant}, func(s string) bool { return s == "" }), ", "),
		Seconds: t.Median, Samples: len(r.Samples), Context: context,
	}
	if t.Bounded() {
		row.Lo, row.Hi = t.Lo, t.Hi
	}
	return row
}

// kept returns a file in the runs' folder.
func (l *Library) kept(name string) kept.File {
	return kept.File{Path: filepath.Join(l.dir, name), What: "a file of Assay", Limit: maxKept}
}
