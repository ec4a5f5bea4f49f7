package app

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"assay/app/bundle"
)

// gitTimeout bounds how long a run waits for git, for instance on a slow file system.
const gitTimeout = 2 * time.Second

// commitOf returns the commit that a folder's git repository has checked out; nil if unknown. git is started only
// inside a repository: on a Mac without it, starting it would ask the user to install it.
func commitOf(ctx context.Context, folder string) *bundle.Commit {
	if folder == "" || !inRepository(folder) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "--no-optional-locks", "-c", "core.fsmonitor=false",
		"status", "--porcelain=v2", "--branch", "--untracked-files=no")
	cmd.Dir = folder
	text, err := cmd.Output()
	if err != nil {
		return nil
	}
	return parseStatus(string(text))
}

// inRepository reports whether a folder or one above it has a .git.
func inRepository(folder string) bool {
	for {
		if _, err := os.Stat(filepath.Join(folder, ".git")); err == nil {
			return true
		}
		above := filepath.Dir(folder)
		if above == folder {
			return false
		}
		folder = above
	}
}

// parseStatus reads what git status prints; nil without a commit.
func parseStatus(text string) *bundle.Commit {
	c := &bundle.Commit{}
	for _, line := range strings.Split(text, "\n") {
		if id, ok := strings.CutPrefix(line, "# branch.oid "); ok {
			c.ID = id
		} else if line != "" && !strings.HasPrefix(line, "#") {
			c.Modified = true
		}
	}
	if c.ID == "" || c.ID == "(initial)" {
		return nil
	}
	return c
}
