package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/streamcbor/cbor"
)

var checkCommand = &command{
	name:  "check",
	brief: "says whether the input is well-formed and valid",
	help: `Reads a sequence and prints the count of its items and bytes, or the first
fault with its offset and path: what is not well-formed, text that is not UTF-8,
a key that a map has twice, a tag whose content it does not allow. Nothing is
held in memory but the keys of the maps that are open, and of long keys only a
hash.
`,
	example: `  $ echo a2 01 61 61 18 01 61 62 | cbor check -hex
  cbor: standard input: item 1: offset 4, /1: duplicate map key
`,
	start: func(r *run) handler { return &check{run: r, strict: cbor.Options{MaxDepth: r.depth}} },
}

// A check goes over items head by head and builds no values but keys and the
// content of some tags.
type check struct {
	run    *run
	strict cbor.Options
	d      *cbor.Decoder
	count  int64
}

func (h *check) item(d *cbor.Decoder) error {
	h.d = d
	h.count++
	return located(h.value())
}

func (h *check) end(d *cbor.Decoder) {
	if h.run.name != "-" {
		fmt.Fprintf(h.run.out, "%s: ", h.run.name)
	}
	fmt.Fprintf(h.run.out, "%s, %s\n", plural(h.count, "item"), plural(d.InputOffset(), "byte"))
}

func plural(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return decimal(n) + " " + noun + "s"
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// value reads the next item.
func (h *check) value() error {
	kind, err := h.d.PeekKind()
	if err != nil {
		return notEOF(err, h.d)
	}
	switch kind {
	case cbor.KindText:
		for _, err := range h.d.Chunks() {
			if err != nil {
				return err
			}
		}
		return nil
	case cbor.KindArray:
		return elements(h.d, func(int64) error { return h.value() })
	case cbor.KindMap:
		return h.mapping()
	case cbor.KindTag:
		return h.tag()
	default:
		return h.d.Skip()
	}
}

// notEOF returns err unless it is io.EOF, which is due between items only.
func notEOF(err error, d *cbor.Decoder) error {
	if err == io.EOF {
		return &cbor.DecodeError{Offset: d.InputOffset(), Err: io.ErrUnexpectedEOF}
	}
	return err
}

// mapping reads a map and finds keys that it has twice.
func (h *check) mapping() error {
	seen := map[string]struct{}{}
	return pairs(h.d, func(int64) (string, error) {
		off := h.d.InputOffset()
		k, name, err := h.key()
		if err != nil {
			return "", err
		}
		if _, ok := seen[k]; ok {
			return "", within(&cbor.DecodeError{Offset: off, Err: cbor.ErrDuplicateKey}, name())
		}
		seen[k] = struct{}{}
		return name(), nil
	}, h.value)
}

// The tags whose content is checked (RFC 8949, section 3.4, and the IANA
// registry of tags).
const (
	tagTime        = 0
	tagEpoch       = 1
	tagBignum      = 2
	tagNegBignum   = 3
	tagAnyMap      = 259
	maxTimeContent = 4096 // bytes; no date and time is as long
)

// tag reads a tag and its content, which is judged at its end.
func (h *check) tag() error {
	off := h.d.InputOffset()
	number, err := h.d.ReadTag()
	if err != nil {
		return err
	}
	kind, err := h.d.PeekKind()
	if err != nil {
		return notEOF(err, h.d)
	}
	want := ""
	switch number {
	case tagTime:
		if kind == cbor.KindText {
			return h.timeText(off)
		}
		want = "a text string"
	case tagEpoch:
		if kind == cbor.KindUint || kind == cbor.KindNegInt || kind == cbor.KindFloat {
			return h.epoch(off)
		}
		want = "a number"
	case tagBignum, tagNegBignum:
		if kind != cbor.KindBytes {
			want = "a byte string"
		}
	case tagAnyMap:
		if kind != cbor.KindMap {
			want = "a map"
		}
	}
	if err := h.value(); err != nil || want == "" {
		return err
	}
	return invalidTag(off, fmt.Errorf("%w: tag %d needs %s", cbor.ErrInvalidTag, number, want))
}

func invalidTag(off int64, err error) error { return &cbor.DecodeError{Offset: off, Err: err} }

// timeText reads the content of the tag 0 at off, a text string.
func (h *check) timeText(off int64) error {
	var text []byte
	for p, err := range h.d.Chunks() {
		if err != nil {
			return err
		}
		if len(text) <= maxTimeContent {
			text = append(text, p...)
		}
	}
	if len(text) > maxTimeContent {
		return invalidTag(off, fmt.Errorf("%w: text of tag 0 is too long for a date and time", cbor.ErrInvalidTag))
	}
	item := append([]byte{0xc0, 0x79, byte(len(text) >> 8), byte(len(text))}, text...)
	return h.judge(item, off)
}

// epoch reads the content of the tag 1 at off, a number.
func (h *check) epoch(off int64) error {
	raw, err := h.d.ReadRaw()
	if err != nil {
		return err
	}
	return h.judge(append([]byte{0xc1}, raw...), off)
}

// judge returns the error of a tagged item as one about the tag at off.
func (h *check) judge(item []byte, off int64) error {
	_, err := cbor.Decode(item)
	var e *cbor.DecodeError
	if errors.As(err, &e) {
		return invalidTag(off, e.Err)
	}
	return err
}
