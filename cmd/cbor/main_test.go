package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files, to be read by eye")

// bin is the command, built once for all tests.
var bin string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cbor")
	if err != nil {
		panic(err)
	}
	bin = filepath.Join(dir, "cbor.exe")
	out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput()
	if err != nil {
		panic(string(out))
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// runCbor runs the command with the input and returns what it wrote, and its
// exit status.
func runCbor(t *testing.T, input []byte, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(bin, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	if err := cmd.Run(); err != nil {
		if _, ok := err.(*exec.ExitError); !ok {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

const readings = "../../testdata/readings.cborseq"

func TestGolden(t *testing.T) {
	for name, args := range map[string][]string{
		"diag":     {"diag"},
		"indent":   {"diag", "-indent"},
		"json":     {"json"},
		"check":    {"check"},
		"annotate": {"annotate"},
	} {
		t.Run(name, func(t *testing.T) {
			stdout, stderr, status := runCbor(t, nil, append(args, readings)...)
			if status != exitOK {
				t.Errorf("status %d", status)
			}
			got := stdout
			if stderr != "" {
				got += "-- standard error --\n" + stderr
			}
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

// TestAnnotateKeepsBytes tests that the left sides of an annotation are the
// input, and nothing else.
func TestAnnotateKeepsBytes(t *testing.T) {
	input, err := os.ReadFile(readings)
	if err != nil {
		t.Fatal(err)
	}
	stdout, _, _ := runCbor(t, input, "annotate")
	var digits strings.Builder
	for line := range strings.Lines(stdout) {
		left, _, _ := strings.Cut(line, "--")
		digits.WriteString(strings.ReplaceAll(strings.TrimSpace(left), " ", ""))
	}
	got, err := hex.DecodeString(digits.String())
	if err != nil || !bytes.Equal(got, input) {
		t.Errorf("%v; got\n%x, want\n%x", err, got, input)
	}
}

// TestIndentKeepsText tests that -indent changes nothing but white space.
func TestIndentKeepsText(t *testing.T) {
	space := regexp.MustCompile(`\s+`)
	for _, input := range vectors(t) {
		if len(input) > 100 || len(input)%7 > 0 { // some of them: each starts the command twice
			continue
		}
		plain, _, status := runCbor(t, input, "diag")
		indented, _, _ := runCbor(t, input, "diag", "-indent")
		if status != exitOK {
			continue
		}
		if space.ReplaceAllString(plain, "") != space.ReplaceAllString(indented, "") {
			t.Errorf("%x: %s\n%s", input, plain, indented)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, tt := range []struct{ name, hex, want, notes string }{
		{"numbers", "8a 00 20 1bffffffffffffffff 3bffffffffffffffff c249010000000000000000 c349010000000000000000 f93c00 f98000 fb3e112e0be826d695 fb4415af1d78b58c40",
			"[0,-1,18446744073709551615,-18446744073709551616,18446744073709551616,-18446744073709551617,1.0,-0.0,1e-09,100000000000000000000.0]", ""},
		{"words", "83 f4 f5 f6", "[false,true,null]", ""},
		{"lost words", "85 f7 f0 f97e00 f97c00 f9fc00", "[null,null,null,null,null]",
			"undefined became null (first at offset 1)|simple values became null (first at offset 2)|NaN and infinities became null (first at offset 3)"},
		{"bytes", "84 43fbff01 d543fbff01 d643fbff d744fbff", "", ""}, // cut off: see below
		{"forms", "84 42fbff d542fbff d642fbff d742fbff", `["-_8","-_8","+/8=","FBFF"]`, "byte strings became text (first at offset 1)"},
		{"form of all within", "d7 82 41ab a1 61 61 d6 41ab", `["AB",{"a":"qw=="}]`, "byte strings became text (first at offset 2)"},
		{"chunks", "5f 41fb 40 42ff01 ff", `"-_8B"`, "byte strings became text (first at offset 0)"},
		{"text", "78 0a 22 5c 0a 0d 09 00 1f 7f c3a9", `"\"\\\n\r\t\u0000\u001f` + "\x7fé" + `"`, ""},
		{"keys", "a5 01 00 41ff 01 f4 02 8102 03 6122 04", `{"1":0,"h'ff'":1,"false":2,"[2]":3,"\"":4}`,
			"keys that are not text became text in diagnostic notation (first at offset 1)"},
		{"tags", "d9d9f7 82 c1 01 d825 01", "[1,1]", "tags were dropped (first at offset 4)"},
		{"long bignum", "c3 590401" + strings.Repeat("ff", 1025), `"~` + strings.Repeat("_", 1366) + `8"`,
			"bignums of more than 1024 bytes became text in base64url (first at offset 0)"},
	} {
		stdout, stderr, status := runCbor(t, []byte(tt.hex), "json", "-hex")
		if tt.want == "" {
			if status != exitData {
				t.Errorf("%s: status %d", tt.name, status)
			}
			continue
		}
		var notes strings.Builder
		for _, note := range strings.Split(tt.notes, "|") {
			if note != "" {
				notes.WriteString("cbor: standard input: " + note + "\n")
			}
		}
		if stdout != tt.want+"\n" || stderr != notes.String() || status != exitOK {
			t.Errorf("%s: status %d\ngot  %s\nwant %s\n%s", tt.name, status, stdout, tt.want, stderr)
		}
		if !json.Valid([]byte(stdout)) {
			t.Errorf("%s: not valid JSON", tt.name)
		}
	}
}

func TestInput(t *testing.T) {
	dir := t.TempDir()
	one := filepath.Join(dir, "one")
	if err := os.WriteFile(one, []byte{0x01}, 0o644); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "missing")
	for _, tt := range []struct {
		input          string
		args           []string
		stdout, stderr string
		status         int
	}{
		{"82 01\n\t02 \r\n", []string{"diag", "-hex"}, "[1, 2]\n", "", exitOK},
		{"gQE=\n", []string{"diag", "-base64"}, "[1]\n", "", exitOK},
		{"gQE", []string{"diag", "-base64"}, "[1]\n", "", exitOK},
		{"Qvv_\n", []string{"diag", "-base64url"}, "h'fbff'\n", "", exitOK},
		{"8201z", []string{"diag", "-hex"}, "[1\n", "cbor: standard input: not hex: byte 'z'\n", exitData},
		{"820", []string{"diag", "-hex"}, "[\n", "cbor: standard input: not hex: a digit is missing at the end\n", exitData},
		{"gQE=gQE=", []string{"diag", "-base64"}, "[1]\n", "cbor: standard input: data after the padding\n", exitData},
		{"", []string{"diag"}, "", "", exitOK},
		{"", []string{"check"}, "0 items, 0 bytes\n", "", exitOK},
		{"\x02", []string{"diag", one, "-", one}, "1\n2\n1\n", "", exitOK},
		{"\x02", []string{"check", one, "-"}, one + ": 1 item, 1 byte\n1 item, 1 byte\n", "", exitOK},
		{"", []string{"diag", missing, one}, "1\n", "cbor: " + missing + ": no such file or directory\n", exitData},
		{"", []string{"diag", dir}, "", "cbor: " + dir + ": is a directory\n", exitData},
		{"\x81", []string{"diag", "-", one}, "[\n1\n", "cbor: standard input: item 1: offset 1, /0: the input ends inside an item\n", exitData},
		{"", []string{"diag", "-hex", "-base64"}, "", "cbor diag: -hex, -base64 and -base64url exclude each other; see cbor help diag\n", exitUsage},
		{"", []string{"diag", "-depth", "0"}, "", "cbor diag: -depth must be positive; see cbor help diag\n", exitUsage},
		{"\x81\x81\x00", []string{"check", "-depth", "1"}, "",
			"cbor: standard input: item 1: offset 1, /0: more than 1 levels of arrays, maps and tags; see Options.MaxDepth\n", exitData},
		{"", []string{"json", "-indent"}, "", "cbor json: flag provided but not defined: -indent; see cbor help json\n", exitUsage},
		{"", []string{"print"}, "", "cbor: no command \"print\"; see cbor help\n", exitUsage},
		{"", []string{"help", "print"}, "", "cbor: no help on \"print\"\n", exitUsage},
		{"\xf7", []string{"json", "-quiet"}, "null\n", "", exitOK},
	} {
		stdout, stderr, status := runCbor(t, []byte(tt.input), tt.args...)
		if stdout != tt.stdout || stderr != tt.stderr || status != tt.status {
			t.Errorf("%q %q: status %d, want %d\nstdout %q\nwant   %q\nstderr %q\nwant   %q",
				tt.input, tt.args, status, tt.status, stdout, tt.stdout, stderr, tt.stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	if _, stderr, status := runCbor(t, nil); status != exitUsage || !strings.HasPrefix(stderr, "usage: cbor") {
		t.Errorf("without arguments: status %d, %q", status, stderr)
	}
	for _, args := range [][]string{{"help"}, {"-h"}, {"help", "diag"}, {"json", "-h"}} {
		if stdout, stderr, status := runCbor(t, nil, args...); status != exitOK || stderr != "" || !strings.HasPrefix(stdout, "usage: cbor") {
			t.Errorf("%q: status %d, %q %q", args, status, stdout, stderr)
		}
	}
}

// TestHelpExamples tests that the example of each command does what it says.
func TestHelpExamples(t *testing.T) {
	example := regexp.MustCompile(`(?s)^  \$ echo ([0-9a-f ]+) \| cbor ([a-z]+) -hex\n(.*)$`)
	for _, c := range commands {
		m := example.FindStringSubmatch(c.example)
		if m == nil || m[2] != c.name {
			t.Errorf("%s: example %q", c.name, c.example)
			continue
		}
		stdout, stderr, _ := runCbor(t, []byte(m[1]), c.name, "-hex", "-quiet")
		want := strings.ReplaceAll(strings.TrimPrefix(m[3], "  "), "\n  ", "\n")
		if stdout+stderr != want {
			t.Errorf("%s: got\n%s%swant\n%s", c.name, stdout, stderr, want)
		}
	}
}
