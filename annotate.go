package cbor

import (
	"encoding/hex"
	"io"
	"strconv"
)

const (
	annotationColumn = 40 // of the comments, unless the bytes reach beyond it
	annotationWidth  = 16 // bytes of a string in one line
	annotationLevels = 64 // that are indented
)

// An annotation writes an item as a commented hex dump, in the form of the
// examples of RFC 8949, section 3.2.
type annotation struct {
	printer
	floor int // frames that were open before
}

// item writes the next item.
func (a *annotation) item() error {
	a.floor = len(a.frames)
	for {
		off := a.off()
		depth := len(a.frames) - a.floor
		ib, arg, closed, err := a.next()
		switch {
		case err != nil:
			return err
		case closed:
			if a.off() > off {
				a.line(depth, "FF")
				a.comment(`"break"`)
			}
		default:
			head := a.buf[a.pos-int(a.off()-off) : a.pos]
			a.line(depth, upperHex(head))
			a.out = appendMeaning(a.out, ib, arg)
			a.out = append(a.out, '\n')
			if isString(ib) {
				a.rest, a.restOff = arg, off
				if err := a.body(depth+1, ib>>5 == majorText); err != nil {
					return err
				}
			}
		}
		if done, err := a.flushItem(a.floor); done || err != nil {
			return err
		}
	}
}

// body writes the body of a string.
func (a *annotation) body(depth int, text bool) error {
	var line []byte // begins with the character that the last line cut off
	for a.rest > 0 {
		p, err := a.nextPiece(uint64(annotationWidth - len(line)))
		if err != nil {
			return err
		}
		line = append(line, p...)
		if len(line) < annotationWidth && a.rest > 0 {
			continue
		}
		n := len(line)
		if text && a.rest > 0 {
			n -= cutRune(line)
		}
		a.line(depth, hex.EncodeToString(line[:n]))
		if text {
			a.out = append(appendQuoted(append(a.out, '"'), line[:n]), "\"\n"...)
		} else {
			a.comment("bytes")
		}
		line = append(line[:0], line[n:]...)
		if err := a.flush(flushSize); err != nil {
			return err
		}
	}
	return nil
}

// line begins a line with bytes in hexadecimal.
func (a *annotation) line(depth int, bytes string) {
	n := 3 * min(depth, annotationLevels)
	for range n {
		a.out = append(a.out, ' ')
	}
	a.out = append(a.out, bytes...)
	for n += len(bytes); n < annotationColumn-1; n++ {
		a.out = append(a.out, ' ')
	}
	a.out = append(a.out, " -- "...)
}

func (a *annotation) comment(s string) { a.out = append(append(a.out, s...), '\n') }

func upperHex(b []byte) string {
	const digits = "0123456789ABCDEF"
	s := make([]byte, 0, 2*9)
	for _, c := range b {
		s = append(s, digits[c>>4], digits[c&15])
	}
	return string(s)
}

// appendMeaning appends what the head (ib, arg) means.
func appendMeaning(dst []byte, ib byte, arg uint64) []byte {
	major := ib >> 5
	if isIndefinite(ib) {
		dst = append(dst, "Start indefinite-length "...)
		return append(dst, kindOf(ib).String()...)
	}
	switch major {
	case majorUint:
		return strconv.AppendUint(dst, arg, 10)
	case majorNegInt:
		return bigNegative(arg).Append(dst, 10)
	case majorBytes:
		dst = append(dst, "Byte string of length "...)
	case majorText:
		dst = append(dst, "Text string of length "...)
	case majorArray:
		dst = append(dst, "Array of length "...)
	case majorMap:
		dst = append(dst, "Map of length "...)
	case majorTag:
		dst = append(dst, "Tag "...)
	default:
		return appendSimple(dst, ib, arg)
	}
	return strconv.AppendUint(dst, arg, 10)
}

// WriteAnnotated writes the next item to w as a commented hex dump, with a line
// for each head and one or more for the body of a string; nothing is left out
// and nothing held whole. A line is indented by three spaces a level, for 64
// levels, and ends in a newline. With an error it has written what it read
// before. An error of the reader or of w leaves the item in progress.
func (d *Decoder) WriteAnnotated(w io.Writer) error {
	a := annotation{printer: printer{cursor: &d.b.cursor, w: w}}
	return d.print(&a.printer, a.item)
}
