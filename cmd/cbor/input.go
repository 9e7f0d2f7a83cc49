package main

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// An input is a file, decoded from hex or base64 if it is text. Before each
// read, which may block, it flushes the output: what is known is seen at once.
type input struct {
	io.Reader
	run   *run
	close func()
	bar   *progressbar.ProgressBar // or nil
}

// open opens the file, or standard input for -.
func (r *run) open(name string) (*input, error) {
	f := os.Stdin
	in := &input{run: r, close: func() {}}
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, bare(err)
		}
		in.close = func() { f.Close() }
	}
	info, err := f.Stat()
	if err != nil {
		in.close()
		return nil, err
	}
	if info.IsDir() {
		in.close()
		return nil, errors.New("is a directory")
	}
	if info.Mode().IsRegular() && r.wantsBar(info.Size()) {
		in.bar = newBar(info.Size(), name)
	}
	in.Reader = r.decode(&source{f, in})
	return in, nil
}

// Close closes the file. It may be called twice.
func (in *input) Close() {
	if in.bar != nil {
		in.bar.Exit() // clears it
		in.bar = nil
	}
	in.close()
	in.close = func() {}
}

// source is the bytes of the file.
type source struct {
	r  io.Reader
	in *input
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.in.run.out.Flush(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(p)
	if s.in.bar != nil {
		s.in.bar.Add(n)
	}
	return n, bare(err)
}

// bare returns the error without the name of its file.
func bare(err error) error {
	var pe *os.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// longFile is the size in bytes from which on a progress bar is shown.
const longFile = 32 << 20

// wantsBar reports whether a file of this size gets a progress bar: on a
// terminal that does not show the output at the same time.
func (r *run) wantsBar(size int64) bool {
	stdout, stderr := int(os.Stdout.Fd()), int(os.Stderr.Fd())
	return !r.quiet && size >= longFile && term.IsTerminal(stderr) &&
		(r.cmd == checkCommand || !term.IsTerminal(stdout))
}

func newBar(size int64, name string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(size,
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionShowBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
	)
}

// decode returns a reader of the bytes that the text in r stands for, or r.
func (r *run) decode(src io.Reader) io.Reader {
	switch {
	case r.hex:
		return &named{hex.NewDecoder(&digits{r: src}), "hex"}
	case r.base64:
		return &named{base64.NewDecoder(base64.RawStdEncoding, &digits{r: src, pad: '='}), "base64"}
	case r.base64url:
		return &named{base64.NewDecoder(base64.RawURLEncoding, &digits{r: src, pad: '='}), "base64url"}
	}
	return src
}

// digits is a reader without the white space, and the padding at the end, of
// the reader r.
type digits struct {
	r      io.Reader
	pad    byte // 0 for none
	padded bool // the padding has begun
}

func (d *digits) Read(p []byte) (int, error) {
	n, err := d.r.Read(p)
	kept := p[:0]
	for _, c := range p[:n] {
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		case c == d.pad && c != 0:
			d.padded = true
		case d.padded:
			return len(kept), errors.New("data after the padding")
		default:
			kept = append(kept, c)
		}
	}
	return len(kept), err
}

// named is a reader whose errors of the encoding have its name.
type named struct {
	r    io.Reader
	name string
}

func (n *named) Read(p []byte) (int, error) {
	k, err := n.r.Read(p)
	var inHex hex.InvalidByteError
	var inBase64 base64.CorruptInputError
	switch {
	case errors.As(err, &inHex):
		err = fmt.Errorf("not %s: byte %#q", n.name, rune(inHex))
	case errors.As(err, &inBase64):
		err = fmt.Errorf("not %s: digit %d", n.name, int64(inBase64)+1)
	case err == io.ErrUnexpectedEOF:
		err = fmt.Errorf("not %s: a digit is missing at the end", n.name)
	}
	return k, err
}
