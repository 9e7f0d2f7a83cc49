package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/streamcbor/cbor"
)

// vectors returns the inputs of the shared test vectors.
func vectors(t *testing.T) (inputs [][]byte) {
	files, _ := filepath.Glob("../../../shared/vectors/*.jsonl")
	if len(files) == 0 {
		t.Skip("../shared/vectors is not there")
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var row struct{ Hex string }
			if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
				t.Fatal(err)
			}
			b, err := hex.DecodeString(row.Hex)
			if err != nil {
				t.Fatal(err)
			}
			inputs = append(inputs, b)
		}
	}
	return inputs
}

// first runs the command on the first item of the input and returns its error.
func first(cmd *command, input []byte) error {
	r := &run{cmd: cmd, out: bufio.NewWriter(io.Discard), settings: settings{quiet: true, depth: cbor.DefaultMaxDepth}}
	d := cbor.NewDecoder(bytes.NewReader(input))
	if _, err := d.PeekKind(); err != nil {
		return err
	}
	return cmd.start(r).item(d)
}

// TestCheckLikeDecode tests that check finds the fault that Decode finds.
func TestCheckLikeDecode(t *testing.T) {
	inputs := vectors(t)
	for _, b := range inputs[:len(inputs):len(inputs)] {
		if len(b) < 200 {
			for n := range b {
				inputs = append(inputs, b[:n])
			}
		}
	}
	for _, b := range inputs {
		_, _, want := cbor.DecodeFirst(b)
		got := first(checkCommand, b)
		if got != nil && want != nil {
			if errors.Is(want, cbor.ErrDuplicateKey) != errors.Is(got, cbor.ErrDuplicateKey) {
				continue // Decode may tell of another fault in the map first
			}
			if errors.Is(want, io.ErrUnexpectedEOF) && errors.Is(got, cbor.ErrInvalidUTF8) {
				continue // check reads text in pieces and may not come to its end
			}
		}
		compareFaults(t, b, got, want)
	}
}

// TestPaths tests that diag and json find the place of a fault that Decode
// finds, where that is one of the form of the data.
func TestPaths(t *testing.T) {
	for _, b := range vectors(t) {
		for n := range min(len(b), 120) {
			_, _, want := cbor.DecodeFirst(b[:n])
			if !errors.Is(want, io.ErrUnexpectedEOF) && !errors.Is(want, cbor.ErrMalformed) {
				continue
			}
			compareFaults(t, b[:n], first(diagCommand, b[:n]), want)
			if got := first(jsonCommand, b[:n]); !errors.Is(got, cbor.ErrInvalidUTF8) {
				compareFaults(t, b[:n], got, want)
			}
		}
	}
}

func compareFaults(t *testing.T, input []byte, got, want error) {
	t.Helper()
	var g, w *cbor.DecodeError
	if !errors.As(got, &g) || !errors.As(want, &w) {
		if got != want {
			t.Errorf("%x: got %v, want %v", input, got, want)
		}
		return
	}
	if g.Offset != w.Offset || g.Path != w.Path || category(got) != category(want) {
		t.Errorf("%x:\ngot  %v\nwant %v", input, got, want)
	}
}

// category returns the category of an error of the input.
func category(err error) error {
	for _, c := range []error{
		cbor.ErrMalformed, cbor.ErrTrailingData, cbor.ErrInvalidUTF8, cbor.ErrDuplicateKey, cbor.ErrInvalidTag,
		cbor.ErrMapKey, cbor.ErrLimit, cbor.ErrType, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, c) {
			return c
		}
	}
	return nil
}

func TestFaults(t *testing.T) {
	deep := strings.Repeat("81", 300) + "00"
	for _, tt := range []struct {
		name, cmd, hex string
		stdout, stderr string // stderr without "cbor: standard input: " and the newline
	}{
		{"cut off", "diag", "01 82 01", "1\n[1\n", "item 2: offset 3, /1: the input ends inside an item"},
		{"cut off string", "diag", "a1 61 61 43 01", "{\"a\": h'01\n", "item 1: offset 3, /a: the input ends inside an item"},
		{"second item", "json", "f6 a1 01 ff", "null\n{\"1\":\n", "item 2: offset 3, /1: not well-formed: break"},
		{"escaped path", "diag", "a1 63 61 2f 7e 81", "{\"a/~\": [\n", "item 1: offset 6, /a~1~0/0: the input ends inside an item"},
		{"UTF-8 shown", "diag", "62 61 ff", "\"a\\xff\"\n", ""},
		{"UTF-8", "json", "81 61 ff", "[\"\n", "item 1: offset 1, /0: text string is not valid UTF-8"},
		{"UTF-8 checked", "check", "00 81 61 ff", "", "item 2: offset 2, /0: text string is not valid UTF-8"},
		{"time", "check", "81 c0 61 61", "", "item 1: offset 1, /0: content of tag 0 is not a date and time"},
		{"tag", "check", "81 c2 01", "", "item 1: offset 1, /0: invalid tag content: tag 2 needs a byte string"},
		{"duplicate", "check", "81 a2 20 01 3800 02", "", "item 1: offset 4, /0/-1: duplicate map key"},
		{"duplicate arrays", "check", "a2 81 a2 01 02 03 04 00 81 a2 03 04 1801 02 00", "",
			"item 1: offset 8, /[{3: 4, 1: 2}]: duplicate map key"},
		{"no duplicates", "check", "a6 01 00 f93c00 00 f6 00 f7 00 4101 00 6101 00", "1 item, 17 bytes\n", ""},
		{"reserved", "annotate", "82 01 1c", "82                                      -- Array of length 2\n" +
			"   01                                   -- 1\n", "item 1: offset 2: not well-formed: reserved additional information 28"},
		{"depth", "check", deep, "", "item 1: offset 256, " + strings.Repeat("/0", 256) + ": more than 256 levels"},
		{"claim", "check", "5b 00000003ffffffff 00", "", "item 1: offset 0: the input ends inside an item"},
	} {
		stdout, stderr, status := runCbor(t, []byte(tt.hex), tt.cmd, "-hex")
		wantStatus, prefix := exitOK, ""
		if tt.stderr != "" {
			wantStatus, prefix = exitData, "cbor: standard input: "+tt.stderr
		}
		if stdout != tt.stdout || status != wantStatus || !strings.HasPrefix(stderr, prefix) || tt.stderr == "" && stderr != "" {
			if tt.cmd == "json" && strings.Contains(stderr, prefix) && stdout == tt.stdout && status == wantStatus {
				continue // behind notes
			}
			t.Errorf("%s: status %d\nstdout %q\nwant   %q\nstderr %q\nwant   %q", tt.name, status, stdout, tt.stdout, stderr, prefix)
		}
	}
}
