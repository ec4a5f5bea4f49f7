package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"assay/app/bundle"
	"assay/monitor/target"
)

// How a program is ended: how long it has after each signal before the next one, and how often Assay checks meanwhile.
const (
	endTimeout = 5 * time.Second
	endPoll    = 20 * time.Millisecond
)

// command is a program that Assay started, the leader of its own process group.
type command struct {
	cmd     *exec.Cmd
	exited  chan struct{} // closed when it has ended and its output was read
	signals chan os.Signal
	markers []*marker     // of its output
	timeout time.Duration // endTimeout
	err     error         // of waiting
	tty     int           // the terminal in whose foreground the group is; -1: none
	ended   sync.Once
}

// programName returns the file name of a command; empty without one.
func programName(command []string) string {
	if len(command) == 0 {
		return ""
	}
	return filepath.Base(command[0])
}

// startCommand starts the command of a request. It calls mark for each mark in the output.
func startCommand(r *WatchRequest, mark func(text string)) (*command, error) {
	cmd := exec.Command(r.Command[0], r.Command[1:]...)
	if r.Stdin != nil {
		cmd.Stdin = r.Stdin
	}
	c := &command{cmd: cmd, exited: make(chan struct{}), signals: make(chan os.Signal, 8), timeout: endTimeout, tty: foreground(r.Stdin)}
	cmd.Stdout, cmd.Stderr = c.marking(r.Stdout, r.Mark, mark), c.marking(r.Stderr, r.Mark, mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 2 * time.Second // its children may hold its output open
	if c.tty >= 0 {
		cmd.SysProcAttr.Foreground, cmd.SysProcAttr.Ctty = true, c.tty
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", r.Command[0], err)
	}
	signal.Notify(c.signals, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGWINCH, syscall.SIGCONT)
	go c.forward()
	go c.wait()
	return c, nil
}

// foreground returns the terminal of an input if Assay is in its foreground; -1 if not.
func foreground(in *os.File) int {
	if in == nil {
		return -1
	}
	fd := int(in.Fd())
	if group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP); err != nil || group != unix.Getpgrp() {
		return -1
	}
	return fd
}

func (c *command) pid() int { return c.cmd.Process.Pid }

// forward passes signals on to the program's group.
func (c *command) forward() {
	for {
		select {
		case s := <-c.signals:
			if number, ok := s.(syscall.Signal); ok {
				_ = syscall.Kill(-c.pid(), number) // it may have ended
			}
		case <-c.exited:
			signal.Stop(c.signals)
			return
		}
	}
}

func (c *command) wait() {
	c.err = c.cmd.Wait()
	for _, m := range c.markers {
		m.end()
	}
	if c.tty >= 0 { // take the terminal back: that would stop a background process unless it ignores the signal
		signal.Ignore(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(c.tty, unix.TIOCSPGRP, unix.Getpgrp())
		signal.Reset(syscall.SIGTTOU)
	}
	close(c.exited)
}

// end ends the program's group: with an interrupt as from the keyboard, then with stronger signals. The leader may end first:
// what a shell put into the background ignores interrupts.
func (c *command) end() {
	c.ended.Do(func() {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			_ = syscall.Kill(-c.pid(), s)
			if c.gone() {
				break
			}
		}
		<-c.exited
	})
}

// gone waits until no process of the program's group is left; false if it runs out of time.
func (c *command) gone() bool {
	over := time.After(c.timeout)
	for c.alive() {
		select {
		case <-over:
			return false
		case <-time.After(endPoll):
		}
	}
	return true
}

// alive reports whether a process of the program's group is left. The kernel counts zombies, which remain if nobody reaps
// orphans, as in a container without an init; the process list leaves them out.
func (c *command) alive() bool {
	if syscall.Kill(-c.pid(), 0) != nil {
		return false
	}
	all, err := target.List()
	return err != nil || slices.ContainsFunc(all, func(p target.Process) bool { return p.Group == c.pid() })
}

// outcome says how a program ended by itself.
func (c *command) outcome() watchEnd {
	end := watchEnd{state: bundle.Finished, tail: true}
	status, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled():
		end.why = fmt.Sprintf("the program was ended by the signal %q", status.Signal())
		code := 128 + int(status.Signal())
		end.code = &code
	default:
		code := c.cmd.ProcessState.ExitCode()
		end.why, end.code = fmt.Sprintf("the program exited with code %d", code), &code
	}
	if c.err != nil && errors.Is(c.err, exec.ErrWaitDelay) {
		end.why += ", while a child of it held its output open"
	}
	return end
}

// marking passes output on and finds marks in its lines. Without a pattern, the program writes directly to Assay's file.
func (c *command) marking(to io.Writer, pattern *regexp.Regexp, mark func(text string)) io.Writer {
	if pattern == nil {
		return to
	}
	if to == nil {
		to = io.Discard
	}
	m := &marker{to: to, pattern: pattern, mark: mark}
	c.markers = append(c.markers, m)
	return m
}

// maxLine is how much of a line is searched for a mark.
const maxLine = 16 << 10

// marker is a writer that finds marks.
type marker struct {
	to      io.Writer
	pattern *regexp.Regexp
	mark    func(text string)
	line    []byte // of the current line
	redrawn bool   // a carriage return ended what came before in this line
	drawn   string // the mark before it
}

// Write is part of io.Writer.
func (m *marker) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		i := bytes.IndexAny(rest, "\r\n")
		if i < 0 {
			m.add(rest)
			break
		}
		m.add(rest[:i])
		m.endLine(rest[i] == '\r')
		rest = rest[i+1:]
	}
	return m.to.Write(p)
}

func (m *marker) add(part []byte) {
	m.line = append(m.line, part[:min(len(part), maxLine-len(m.line))]...)
}

// endLine looks for a mark in a line. A progress bar ends its line with a carriage return and redraws it many times: it is marked
// only when the mark changes. An empty text before a carriage return, or between it and a line end, is not a line.
func (m *marker) endLine(redraws bool) {
	if len(m.line) > 0 || !redraws && !m.redrawn {
		if found := m.pattern.Find(m.line); found != nil && (!m.redrawn || string(found) != m.drawn) {
			m.drawn = string(found)
			m.mark(m.drawn)
		}
	}
	if m.redrawn = redraws; !redraws {
		m.drawn = ""
	}
	m.line = m.line[:0]
}

// end treats a last line without an end as a line.
func (m *marker) end() {
	if len(m.line) > 0 {
		m.endLine(false)
	}
}

// SplitCommand splits a command line at spaces, as a shell does, without a shell's variables and patterns: quotes hold spaces,
// and a backslash outside of single quotes takes the next character literally.
func SplitCommand(line string) ([]string, error) {
	var words []string
	var word []rune
	begun, escaped, quote := false, false, rune(0)
	for _, c := range line {
		switch {
		case escaped:
			word, escaped = append(word, c), false
		case c == '\\' && quote != '\'':
			escaped, begun = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word = append(word, c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case unicode.IsSpace(c):
			if begun {
				words, word, begun = append(words, string(word)), nil, false
			}
		default:
			word, begun = append(word, c), true
		}
	}
	switch {
	case quote != 0:
		return nil, fmt.Errorf("a quote (%c) is not closed", quote)
	case escaped:
		return nil, errors.New("nothing follows the last backslash")
	case begun:
		words = append(words, string(word))
	}
	return words, nil
}
