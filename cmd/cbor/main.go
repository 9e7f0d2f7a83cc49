// Cbor looks at CBOR data items (RFC 8949) and sequences of them (RFC 8742) in
// files, on standard input and on live streams, of any size.
//
// Usage:
//
//	cbor <command> [flags] [file ...]
//
// The commands are diag, json, check and annotate; "cbor help <command>" tells
// about each. Without a file, or for the file -, they read standard input.
//
// The exit status is 0; 1 for bad data or a file that cannot be read; 2 for
// wrong usage.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/fatih/color"
	"github.com/streamcbor/cbor"
)

const (
	exitOK = iota
	exitData
	exitUsage
)

// A command is what comes after the name of the program.
type command struct {
	name    string
	brief   string
	help    string // what it does
	example string
	flags   func(*flag.FlagSet, *settings) // its own flags, if there are any
	start   func(*run) handler
}

// A handler is called for one item after the other.
type handler interface {
	// item reads the next item from d.
	item(d *cbor.Decoder) error
	// end is called after the last item, but not after an error.
	end(d *cbor.Decoder)
}

// Settings are what the flags say.
type settings struct {
	hex, base64, base64url bool
	quiet                  bool
	depth                  int
	indent                 bool
}

// A run is one call of a command.
type run struct {
	cmd *command
	settings
	name  string // of the input, in messages
	out   *bufio.Writer
	color bool // on standard output
	bad   bool // something went wrong
}

// In the order in which help lists them.
var commands = []*command{diagCommand, jsonCommand, checkCommand, annotateCommand}

func main() { os.Exit(Main(os.Args[1:])) }

// Main runs the command in args and returns the exit status.
func Main(args []string) int {
	if len(args) == 0 {
		usage(os.Stderr)
		return exitUsage
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		return help(args[1:])
	}
	cmd := find(args[0])
	if cmd == nil {
		fmt.Fprintf(os.Stderr, "cbor: no command %q; see cbor help\n", args[0])
		return exitUsage
	}
	r := &run{
		cmd:   cmd,
		out:   bufio.NewWriterSize(color.Output, 64<<10),
		color: !color.NoColor,
	}
	flags := r.flagSet()
	switch err := flags.Parse(args[1:]); {
	case err == flag.ErrHelp:
		return help([]string{cmd.name})
	case err != nil:
		fmt.Fprintf(os.Stderr, "cbor %s: %v; see cbor help %s\n", cmd.name, err, cmd.name)
		return exitUsage
	}
	if err := r.settings.check(); err != nil {
		fmt.Fprintf(os.Stderr, "cbor %s: %v; see cbor help %s\n", cmd.name, err, cmd.name)
		return exitUsage
	}
	files := flags.Args()
	if len(files) == 0 {
		files = []string{"-"}
	}
	for _, file := range files {
		r.file(file)
	}
	if err := r.out.Flush(); err != nil {
		r.name = "standard output"
		r.complain(bare(err))
	}
	if r.bad {
		return exitData
	}
	return exitOK
}

func find(name string) *command {
	for _, c := range commands {
		if c.name == name {
			return c
		}
	}
	return nil
}

func (r *run) flagSet() *flag.FlagSet {
	fs := flag.NewFlagSet(r.cmd.name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // Main and help write
	fs.BoolVar(&r.hex, "hex", false, "the input is text in base16; white space is passed over")
	fs.BoolVar(&r.base64, "base64", false, "the input is text in base64, with padding or without")
	fs.BoolVar(&r.base64url, "base64url", false, "likewise in base64url")
	fs.BoolVar(&r.quiet, "quiet", false, "no progress bar and no notes")
	fs.IntVar(&r.depth, "depth", cbor.DefaultMaxDepth, "accept `n` levels of arrays, maps and tags")
	if r.cmd.flags != nil {
		r.cmd.flags(fs, &r.settings)
	}
	return fs
}

func (s *settings) check() error {
	n := 0
	for _, set := range []bool{s.hex, s.base64, s.base64url} {
		if set {
			n++
		}
	}
	if n > 1 {
		return errors.New("-hex, -base64 and -base64url exclude each other")
	}
	if s.depth <= 0 {
		return errors.New("-depth must be positive")
	}
	return nil
}

// help writes the help on the command in args, or on all of them.
func help(args []string) int {
	if len(args) == 0 {
		usage(os.Stdout)
		return exitOK
	}
	cmd := find(args[0])
	if cmd == nil || len(args) > 1 {
		fmt.Fprintf(os.Stderr, "cbor: no help on %q\n", strings.Join(args, " "))
		return exitUsage
	}
	fs := (&run{cmd: cmd}).flagSet()
	fmt.Printf("usage: cbor %s [flags] [file ...]\n\n%s\nExample:\n\n%s\nFlags:\n\n", cmd.name, cmd.help, cmd.example)
	fs.SetOutput(os.Stdout)
	fs.PrintDefaults()
	return exitOK
}

func usage(w io.Writer) {
	fmt.Fprint(w, "usage: cbor <command> [flags] [file ...]\n\n",
		"Looks at CBOR data items (RFC 8949) and sequences of them (RFC 8742).\n",
		"Without a file, or for the file -, it reads standard input.\n\n")
	for _, c := range commands {
		fmt.Fprintf(w, "  %-10s%s\n", c.name, c.brief)
	}
	fmt.Fprint(w, "  help      tells about a command\n\n",
		"The exit status is 0; 1 for bad data or a file that cannot be read; 2 for\nwrong usage.\n")
}

// file runs the command on one file.
func (r *run) file(name string) {
	r.name = name
	in, err := r.open(name)
	if err != nil {
		r.complain(err)
		return
	}
	defer in.Close()
	d := cbor.Options{MaxDepth: r.depth}.NewDecoder(in)
	h := r.cmd.start(r)
	items, err := each(d, h)
	if err == io.EOF {
		in.Close()
		h.end(d)
		return
	}
	if werr := r.out.Flush(); werr != nil { // also what stopped each
		in.Close()
		r.name = "standard output"
		r.complain(bare(werr))
		os.Exit(exitData)
	}
	in.Close()
	r.complain(describe(err, items))
}

// each calls h for each item and returns how many there were before an error,
// which is io.EOF at the end.
func each(d *cbor.Decoder, h handler) (items int64, err error) {
	for {
		if _, err := d.PeekKind(); err != nil {
			return items, err
		}
		if err := h.item(d); err != nil {
			return items, err
		}
		items++
	}
}

// complain writes about a fault of the input to standard error.
func (r *run) complain(err error) {
	r.bad = true
	r.tell(err.Error())
}

// note writes what the user should know, unless that is not wanted.
func (r *run) note(msg string) {
	if !r.quiet {
		r.tell(msg)
	}
}

func (r *run) tell(msg string) {
	r.out.Flush() // what came first is to be seen first
	name := r.name
	if name == "-" {
		name = "standard input"
	}
	fmt.Fprintf(os.Stderr, "cbor: %s: %s\n", name, msg)
}

// describe returns err with the number of the item in its sequence.
func describe(err error, items int64) error {
	var e *cbor.DecodeError
	if !errors.As(err, &e) {
		return err
	}
	msg := fmt.Sprintf("item %d: offset %d", items+1, e.Offset)
	if e.Path != "" {
		msg += ", " + e.Path
	}
	if e.Err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%s: the input ends inside an item", msg)
	}
	return fmt.Errorf("%s: %w", msg, e.Err)
}
