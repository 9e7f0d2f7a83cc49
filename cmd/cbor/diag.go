package main

import (
	"errors"
	"flag"

	"github.com/streamcbor/cbor"
)

var diagCommand = &command{
	name:  "diag",
	brief: "prints items in diagnostic notation",
	help: `Prints a sequence in diagnostic notation (RFC 8949, section 8), one item a
line. Data is shown as it is: order, duplicate keys, the chunks of strings of
indefinite length; what is not UTF-8 in a text string is shown as \xff.
Memory does not grow with the size of the input.
`,
	example: `  $ echo a2 61 61 c1 1a 65 53 f1 00 61 62 42 01 02 | cbor diag -hex
  {"a": 1(1700000000), "b": h'0102'}
`,
	flags: func(fs *flag.FlagSet, s *settings) {
		fs.BoolVar(&s.indent, "indent", false, "one entry of an array or map a line")
	},
	start: func(r *run) handler {
		return &diag{w: newNotation(r.out, r.indent, r.color)}
	},
}

type diag struct{ w *notation }

func (h *diag) item(d *cbor.Decoder) error {
	h.w.reset()
	err := d.WriteDiagnostic(h.w)
	if err != nil {
		h.w.line()
		return at(err, h.w.path())
	}
	return h.w.line()
}

func (h *diag) end(*cbor.Decoder) {}

// at returns err with the place in the item where it happened, if the error
// does not have it.
func at(err error, path string) error {
	var e *cbor.DecodeError
	if !errors.As(err, &e) || e.Path != "" {
		return err
	}
	return &cbor.DecodeError{Offset: e.Offset, Path: path, Err: e.Err}
}
