package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// onTerminal runs the command with standard output and standard error on a
// terminal and returns what it shows.
func onTerminal(t *testing.T, env string, args ...string) string {
	t.Helper()
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), "TERM=xterm", env)
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skip("no terminal: ", err)
	}
	defer tty.Close()
	var shown strings.Builder
	io.Copy(&shown, tty) // ends with an error when the terminal is closed
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v", args, err)
	}
	return shown.String()
}

const escapeByte = "\x1b["

func TestColor(t *testing.T) {
	os.Unsetenv("NO_COLOR")
	for _, args := range [][]string{{"diag"}, {"diag", "-indent"}, {"json"}, {"annotate"}} {
		args = append(args, readings)
		if got := onTerminal(t, "A=b", args...); !strings.Contains(got, escapeByte) {
			t.Errorf("%s: no colour in %q", args, got)
		}
		plain := onTerminal(t, "NO_COLOR=1", args...)
		if strings.Contains(plain, escapeByte) {
			t.Errorf("%s: colour in spite of NO_COLOR", args)
		}
		piped, notes, _ := runCbor(t, nil, args...)
		want := strings.ReplaceAll(piped+notes, "\n", "\r\n")
		if args[0] != "json" && plain != want { // the notes of json come between
			t.Errorf("%s on a terminal: %q, want %q", args, plain, want)
		}
	}
}

func TestProgress(t *testing.T) {
	long := filepath.Join(t.TempDir(), "long")
	f, err := os.Create(long)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(longFile); err != nil { // zeros: integers
		t.Fatal(err)
	}
	f.Close()
	const result = "33554432 items, 33554432 bytes"
	got := onTerminal(t, "A=b", "check", long)
	if !strings.Contains(got, "%") || !strings.Contains(got, "MB/s") || !strings.Contains(got, result) {
		t.Errorf("check of a long file shows %q", got)
	}
	got = onTerminal(t, "A=b", "check", "-quiet", long)
	if want := long + ": " + result + "\r\n"; got != want {
		t.Errorf("-quiet shows %q, want %q", got, want)
	}
}
