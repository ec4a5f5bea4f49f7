package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"assay/app"
	"assay/app/bundle"
	"assay/internal/severity"
	"assay/internal/si"
)

// corruptCache damages the compiled kernels that an engine keeps or, if it keeps none, the self-tests that a run reads.
func corruptCache(ctx context.Context, s *stage) (string, error) {
	if s.keepsKernels() {
		saw, err := s.corruptKernels(ctx)
		if !errors.Is(err, errNoneKept) {
			return saw, err
		}
	}
	return s.corruptSelfTests(ctx)
}

// keepsKernels reports whether the engine has a cache of compiled kernels.
func (s *stage) keepsKernels() bool {
	session, err := app.New(s.Config)
	if err != nil {
		return false
	}
	defer session.Close() //nolint:errcheck // it ran nothing
	cache, err := session.Kernels().Cache(s.Engine)
	return err == nil && cache.Missing == ""
}

// runOnce makes a run in a separate session, which has read no file yet.
func (s *stage) runOnce(ctx context.Context, c app.Config) (*bundle.Run, error) {
	request, err := s.request()
	if err != nil {
		return nil, err
	}
	session, err := app.New(c)
	if err != nil {
		return nil, err
	}
	run, err := session.Runs().Do(ctx, request)
	if err = errors.Join(err, session.Close()); err != nil {
		return nil, err
	}
	return run, wholly(run)
}

// wholly refuses a run with a result that was not measured.
func wholly(run *bundle.Run) error {
	if n := measured(run); n == 0 || n < len(run.Results) {
		return fmt.Errorf("%d of %d results were measured", n, len(run.Results))
	}
	return nil
}

// corruptSelfTests truncates the file of self-tests between two runs.
func (s *stage) corruptSelfTests(ctx context.Context) (string, error) {
	c := s.Config
	c.SelfTest = true
	first, err := s.runOnce(ctx, c)
	if err != nil {
		return "", fmt.Errorf("the run before the fault: %w", err)
	}
	file := filepath.Join(s.dir, app.SelfTestsFile)
	damaged, err := cutOff(file)
	if err != nil {
		return "", err
	}
	second, err := s.runOnce(ctx, c)
	if err != nil {
		return "", fmt.Errorf("the run after the fault: %w", err)
	}
	if _, err := toldOf(second, "Self-test", "damaged"); err != nil {
		return "", err
	}
	var made []bundle.SelfTest
	text, err := os.ReadFile(file)
	if err = errors.Join(err, json.Unmarshal(text, &made)); err != nil || len(made) == 0 {
		return "", fmt.Errorf("%s was not recreated: %w", app.SelfTestsFile, err)
	}
	if aside, err := os.ReadFile(file + ".damaged"); err != nil || string(aside) != string(damaged) {
		return "", errors.New("what was left of the damaged file is lost")
	}
	if err := stillThere(first); err != nil {
		return "", err
	}
	return fmt.Sprintf("This engine keeps no compiled kernels on disk, so the file of self-tests was cut off. The next run reported it, repeated the self-test and kept it; it measured all %d results, and the %d of the run before are unharmed",
		len(second.Results), len(first.Results)), nil
}

// cutOff drops the second half of a file and returns the first.
func cutOff(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	half := text[:len(text)/2]
	return half, os.WriteFile(path, half, 0o600)
}

// toldOf returns the warning with that title and that word in it, which a run must have.
func toldOf(run *bundle.Run, title, word string) (string, error) {
	for _, e := range run.Events {
		if e.Title == title && e.Severity == severity.Warning && strings.Contains(e.Text, word) {
			return e.Text, nil
		}
	}
	return "", errors.New("the run does not say that something is damaged")
}

// stillThere refuses a run whose bundle no longer has all results.
func stillThere(run *bundle.Run) error {
	loaded, err := bundle.Load(run.Dir)
	switch {
	case err != nil:
		return fmt.Errorf("the bundle of the run before cannot be read: %w", err)
	case len(loaded.Results) != len(run.Results):
		return fmt.Errorf("the run before has %d of %d results", len(loaded.Results), len(run.Results))
	}
	return nil
}

// errNoneKept is the error of an engine that had nothing to keep: all kernels of the run are built in.
var errNoneKept = errors.New("no kernel was kept")

// corruptKernels damages all compiled kernels between two runs. The runs are processes whose home is the drill's folder, so that
// the user's cache is not touched.
func (s *stage) corruptKernels(ctx context.Context) (string, error) {
	if err := s.runAtHome(ctx); err != nil {
		return "", fmt.Errorf("the run before the fault: %w", err)
	}
	before, err := s.cacheAtHome(ctx)
	if err != nil {
		return "", err
	}
	if len(before.Entries) == 0 {
		return "", errNoneKept
	}
	if err := spoil(before.Folder); err != nil {
		return "", err
	}
	spoiled, err := s.cacheAtHome(ctx)
	if err != nil {
		return "", err
	}
	if n := len(spoiled.Faulty()); n != len(before.Entries) {
		return "", fmt.Errorf("of %d damaged kernels %d were noticed", len(before.Entries), n)
	}
	if err := s.runAtHome(ctx); err != nil {
		return "", fmt.Errorf("the run after the fault: %w", err)
	}
	after, err := s.cacheAtHome(ctx)
	if err != nil {
		return "", err
	}
	made := wholeAgain(&spoiled, &after)
	if made == 0 {
		return "", fmt.Errorf("none of %s was compiled again", si.Counted(len(before.Entries), "damaged kernel"))
	}
	return s.unharmedByCache(len(before.Entries), made)
}

// wholeAgain counts the damaged kernels that are intact by now: those that the run requested.
func wholeAgain(spoiled, after *app.KernelCache) (n int) {
	for _, id := range spoiled.Faulty() {
		if slices.ContainsFunc(after.Entries, func(k app.CachedKernel) bool { return k.ID == id && k.Fault == "" }) {
			n++
		}
	}
	return n
}

// unharmedByCache compares the run before the fault with the one after it.
func (s *stage) unharmedByCache(damaged, made int) (string, error) {
	dirs, err := filepath.Glob(filepath.Join(s.dir, "*"+bundle.Extension))
	if err != nil || len(dirs) != 2 {
		return "", errors.Join(fmt.Errorf("%d runs in the folder, want 2", len(dirs)), err)
	}
	var runs []*bundle.Run
	for _, dir := range dirs {
		run, err := bundle.Load(dir)
		if err != nil {
			return "", fmt.Errorf("the bundle cannot be read: %w", err)
		}
		if err := wholly(run); err != nil {
			return "", err
		}
		runs = append(runs, run)
	}
	slices.SortFunc(runs, func(a, b *bundle.Run) int { return a.Meta.Started.Compare(b.Meta.Started) })
	said, err := toldOf(runs[1], app.CacheDamagedTitle, "compiled again")
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("All compiled kernels in the cache were damaged: %d. The next run reported: “%s”. What it uses is intact again (%d), and all %d results of the run before and %d of that after were measured",
		damaged, said, made, len(runs[0].Results), len(runs[1].Results)), nil
}

// runAtHome makes a run in a separate process, with its home in the drill's folder.
func (s *stage) runAtHome(ctx context.Context) error {
	out, err := s.atHome(s.command(ctx)).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, lastLine(string(out)))
	}
	return nil
}

// cacheAtHome lists and verifies the kernels that such processes keep.
func (s *stage) cacheAtHome(ctx context.Context) (cache app.KernelCache, err error) {
	cmd := s.atHome(exec.CommandContext(ctx, s.Program, "kernel", "cache", "--engine", s.Engine, "--verify", "--json"))
	out, err := cmd.Output()
	if json.Unmarshal(out, &cache) == nil && cache.Engine != "" { // even if its exit status says that some are damaged
		return cache, nil
	}
	return cache, fmt.Errorf("the cache was not listed: %w", err)
}

// atHome sets the drill's folder as a command's home.
func (s *stage) atHome(cmd *exec.Cmd) *exec.Cmd {
	home := filepath.Join(s.dir, "home")
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "XDG_") || strings.HasPrefix(v, "HOME=") })
	cmd.Env = append(cmd.Env, "HOME="+home)
	return cmd
}

// spoil flips a byte in the middle of each compiled kernel in a folder; the metadata stays as it is.
func spoil(folder string) error {
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) == ".json" || filepath.Ext(path) == ".sum" {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || len(text) == 0 {
			return err
		}
		text[len(text)/2] ^= 0xff
		return os.WriteFile(path, text, 0o600)
	})
}
