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
	"sync"
	"syscall"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"assay/app/bundle"
)

// endTimeout is how long a program that is ended has after an interrupt, and again after a request to terminate.
const endTimeout = 5 * time.Second

// command is a program that Assay has started, the leader of a process group of its own.
type command struct {
	cmd     *exec.Cmd
	exited  chan struct{} // closed when it has ended and its output is read
	signals chan os.Signal
	err     error // of waiting
	tty     int   // the terminal that the group has in the foreground; -1: none
	ended   sync.Once
}

// programName is the file's name of a command; empty without one.
func programName(command []string) string {
	if len(command) == 0 {
		return ""
	}
	return filepath.Base(command[0])
}

// startCommand starts the command of a request. Each mark in its output goes to mark.
func startCommand(r *WatchRequest, mark func(text string)) (*command, error) {
	cmd := exec.Command(r.Command[0], r.Command[1:]...)
	if r.Stdin != nil {
		cmd.Stdin = r.Stdin
	}
	cmd.Stdout, cmd.Stderr = marking(r.Stdout, r.Mark, mark), marking(r.Stderr, r.Mark, mark)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 2 * time.Second // its children may hold its output open
	c := &command{cmd: cmd, exited: make(chan struct{}), signals: make(chan os.Signal, 8), tty: foreground(r.Stdin)}
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

// foreground is the terminal of an input, if Assay is in its foreground; -1: it is none.
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
	if c.tty >= 0 { // take the terminal back; a process in the background that does so is stopped, unless it ignores that
		signal.Ignore(syscall.SIGTTOU)
		_ = unix.IoctlSetPointerInt(c.tty, unix.TIOCSPGRP, unix.Getpgrp())
		signal.Reset(syscall.SIGTTOU)
	}
	close(c.exited)
}

// end ends the program's group: with an interrupt as from the keyboard, then less politely.
func (c *command) end() {
	c.ended.Do(func() {
		for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			_ = syscall.Kill(-c.pid(), s)
			select {
			case <-c.exited:
				return
			case <-time.After(endTimeout):
			}
		}
		<-c.exited
	})
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

// marking passes output on and finds marks in its lines. Without a pattern the program writes to the same file as Assay.
func marking(to io.Writer, pattern *regexp.Regexp, mark func(text string)) io.Writer {
	if pattern == nil {
		return to
	}
	if to == nil {
		to = io.Discard
	}
	return &marker{to: to, pattern: pattern, mark: mark}
}

// maxLine is how much of a line is searched for a mark.
const maxLine = 16 << 10

// marker is a writer that finds marks.
type marker struct {
	to      io.Writer
	pattern *regexp.Regexp
	mark    func(text string)
	line    []byte // so far
}

// Write is part of io.Writer.
func (m *marker) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		part, after, whole := bytes.Cut(rest, []byte("\n"))
		m.line = append(m.line, part[:min(len(part), maxLine-min(maxLine, len(m.line)))]...)
		if rest = after; !whole {
			break
		}
		if found := m.pattern.Find(m.line); found != nil {
			m.mark(string(found))
		}
		m.line = m.line[:0]
	}
	return m.to.Write(p)
}

// SplitCommand splits a command line at spaces, as a shell does, without its variables and patterns: quotes hold spaces, and a
// backslash outside of single quotes takes the next character as it is.
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
