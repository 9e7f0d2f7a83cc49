package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// timed runs f and fails the test if it takes longer than any machine needs.
func timed(t *testing.T, name string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s: not done after a minute", name)
	}
}

// TestLive tests that output appears while the input still comes.
func TestLive(t *testing.T) {
	cmd := exec.Command(bin, "diag")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for _, step := range []struct{ in, out string }{
		{"\x82\x01\x02", "[1, 2]\n"},
		{"\x9f\x61a", "[_ \"a\""},
		{"\x42\x01", ", h'01"}, // a string that is not there yet
		{"\x02\xff", "02']\n"},
	} {
		if _, err := io.WriteString(in, step.in); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(step.out))
		timed(t, step.out, func() { io.ReadFull(out, got) })
		if string(got) != step.out {
			t.Fatalf("after %q: got %q, want %q", step.in, got, step.out)
		}
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestBrokenPipe tests that the command ends when its reader has seen enough.
func TestBrokenPipe(t *testing.T) {
	for _, name := range []string{"diag", "json", "annotate"} {
		cmd := exec.Command(bin, name)
		cmd.Stdin = neverEnds{}
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout = w
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		w.Close()
		if line, err := bufio.NewReaderSize(r, 16).ReadString('\n'); err != nil || line == "" {
			t.Errorf("%s: %q, %v", name, line, err)
		}
		r.Close()
		timed(t, name, func() { cmd.Wait() })
		if cmd.ProcessState.Success() || strings.Contains(stderr.String(), "panic") {
			t.Errorf("%s: %v, %s", name, cmd.ProcessState, &stderr)
		}
	}
}

// neverEnds is a reader of small items.
type neverEnds struct{}

func (neverEnds) Read(p []byte) (int, error) {
	return copy(p, bytes.Repeat([]byte{0x01}, len(p))), nil
}

// TestHostile tests that no small input takes long or ends in a panic.
func TestHostile(t *testing.T) {
	var claims []byte
	for range 100_000 {
		claims = binary.BigEndian.AppendUint32(append(claims, 0x9a), 1<<31)
	}
	for _, tt := range []struct{ name, input string }{
		{"nested arrays", strings.Repeat("\x81", 1_000_000)},
		{"nested maps", strings.Repeat("\xa1\x01", 1_000_000)},
		{"nested maps as keys", strings.Repeat("\xa1", 1_000_000)},
		{"nested tags", strings.Repeat("\xc1", 1_000_000)},
		{"nested indefinite arrays", strings.Repeat("\x9f", 1_000_000)},
		{"nested claims", string(claims)},
		{"long string", "\x5b\x7f\xff\xff\xff\xff\xff\xff\xff\x00"},
		{"long text", "\x7b\x7f\xff\xff\xff\xff\xff\xff\xff\x00"},
		{"long key", "\xa1\x7b\x7f\xff\xff\xff\xff\xff\xff\xff\x00"},
		{"long bignum", "\xc2\x5b\x7f\xff\xff\xff\xff\xff\xff\xff\x00"},
		{"long time", "\xc0\x7b\x7f\xff\xff\xff\xff\xff\xff\xff0"},
		{"long array", "\x9b\xff\xff\xff\xff\xff\xff\xff\xff\x00"},
		{"long map", "\xbb\x80\x00\x00\x00\x00\x00\x00\x00"},
		{"empty chunks", "\x5f" + strings.Repeat("\x40", 200_000)},
		{"break", "\xff"},
	} {
		for _, c := range commands {
			for _, depth := range []string{"256", "100000"} {
				if c == annotateCommand && depth != "256" {
					continue // indented by depth, its output is quadratic
				}
				name := tt.name + ", " + c.name + ", depth " + depth
				timed(t, name, func() {
					_, stderr, status := runCbor(t, []byte(tt.input), c.name, "-depth", depth)
					if status != exitData || !strings.HasPrefix(stderr, "cbor: standard input:") {
						t.Errorf("%s: status %d, %.200q", name, status, stderr)
					}
				})
			}
		}
	}
}
