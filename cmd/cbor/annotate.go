package main

import (
	"bufio"
	"bytes"

	"github.com/streamcbor/cbor"
)

var annotateCommand = &command{
	name:  "annotate",
	brief: "prints items as hex dumps with comments",
	help: `Prints each item as a hex dump in the form of the examples in RFC 8949: a line
for each head, indented by depth, with its bytes on the left and what they mean
on the right. Long strings go on over several lines. Items are separated by an
empty line. Memory does not grow with the size of the input.
`,
	example: `  $ echo 82 01 61 61 | cbor annotate -hex
  82                                      -- Array of length 2
     01                                   -- 1
     61                                   -- Text string of length 1
        61                                -- "a"
`,
	start: func(r *run) handler { return &annotate{w: comments{out: r.out, paint: r.color}} },
}

type annotate struct {
	w     comments
	later bool // there was an item before
}

func (h *annotate) item(d *cbor.Decoder) error {
	if h.later {
		h.w.out.WriteByte('\n')
	}
	h.later = true
	return d.WriteAnnotated(&h.w)
}

func (h *annotate) end(*cbor.Decoder) {}

// comments passes an annotated hex dump on with its comments in another colour.
type comments struct {
	out    *bufio.Writer
	paint  bool
	inside bool // of a comment
}

func (c *comments) Write(p []byte) (int, error) {
	if !c.paint {
		return c.out.Write(p)
	}
	for rest := p; len(rest) > 0; {
		mark := byte('-') // begins the comment: left of it are digits and spaces
		if c.inside {
			mark = '\n'
		}
		i := bytes.IndexByte(rest, mark)
		if i < 0 {
			c.out.Write(rest)
			break
		}
		c.out.Write(rest[:i])
		if c.inside {
			faintColor.UnsetWriter(c.out)
		} else {
			faintColor.SetWriter(c.out)
		}
		c.out.WriteByte(mark)
		c.inside = !c.inside
		rest = rest[i+1:]
	}
	_, err := c.out.Write(nil) // an error of a bufio.Writer stays
	return len(p), err
}
