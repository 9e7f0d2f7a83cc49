package cbor

import (
	"encoding/hex"
	"io"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// Diagnose returns the items of the CBOR sequence in data in diagnostic
// notation (RFC 8949, section 8), one a line, with no newline at the end. It is
// written from the bytes: order and duplicate keys show as they are, and what
// is not UTF-8 in a text string is shown as \xff. Bignums of up to 1024 bytes
// are written as integers.
func Diagnose(data []byte) (string, error) {
	n := notation{printer: printer{cursor: &cursor{buf: data, full: data}}}
	for {
		if err := n.begin(&Options{}); err == io.EOF {
			return string(n.out), nil
		} else if err != nil {
			return "", err
		}
		if len(n.out) > 0 {
			n.out = append(n.out, '\n')
		}
		if err := n.item(); err != nil {
			return "", err
		}
	}
}

// notation returns the diagnostic notation of the item at offset off, which
// was read before.
func (b *builder) notation(off int64) string {
	data := b.since(off)
	n := notation{printer: printer{cursor: &cursor{buf: data, full: data, max: b.max, end: noEnd}}}
	if err := n.item(); err != nil {
		return ""
	}
	return string(n.out)
}

// maxBignum is the most bytes of a bignum that is written as an integer, which
// takes quadratic time and has to hold it whole.
const maxBignum = 1024

// A printer writes what its cursor walks over.
type printer struct {
	*cursor
	w   io.Writer // takes out when it grows, if it is not nil
	out []byte
}

// flushSize is how much is collected before it is written, unless more of the
// input is to be waited for.
const flushSize = 4096

func (p *printer) flush(size int) error {
	if p.w == nil || len(p.out) <= size {
		return nil
	}
	_, err := p.w.Write(p.out)
	p.out = p.out[:0]
	if err != nil {
		return &writeError{err}
	}
	return nil
}

// A writeError is an error of the writer, whatever its type is.
type writeError struct{ err error }

func (e *writeError) Error() string { return e.err.Error() }

// flushItem reports whether an item whose frames are above floor has ended, and
// writes what is due.
func (p *printer) flushItem(floor int) (done bool, err error) {
	size := flushSize
	if done = len(p.frames) == floor && p.rest == 0; done || p.pos == len(p.buf) {
		size = 0
	}
	return done, p.flush(size)
}

// nextPiece returns at most n bytes of the rest of a string.
func (p *printer) nextPiece(n uint64) ([]byte, error) {
	if p.pos == len(p.buf) {
		if err := p.flush(0); err != nil {
			return nil, err
		}
	}
	s, err := p.piece(min(n, p.rest), p.restOff)
	p.rest -= uint64(len(s))
	return s, err
}

// print has item write the next item.
func (d *Decoder) print(p *printer, item func() error) error {
	if err := d.item(); err != nil {
		return err
	}
	d.pass(len(d.b.frames), 0)
	if err := item(); err != nil {
		if e, ok := err.(*writeError); ok {
			return e.err
		}
		p.flush(0)
		return d.failed(err)
	}
	d.passing = false
	d.settle()
	return nil
}

// WriteDiagnostic writes the next item to w in diagnostic notation, as
// [Diagnose] does, and never holds it whole. With an error it has written what
// it read before. An error of the reader or of w leaves the item in progress.
func (d *Decoder) WriteDiagnostic(w io.Writer) error {
	n := notation{printer: printer{cursor: &d.b.cursor, w: w}}
	return d.print(&n.printer, n.item)
}

// A notation writes items in diagnostic notation.
type notation struct {
	printer
	sep bool // an item was written in the innermost container
}

// item writes the next item.
func (n *notation) item() error {
	floor := len(n.frames)
	n.sep = false
	for {
		value := n.atValue()
		off := n.off()
		ib, arg, closed, err := n.next()
		if err != nil {
			return err
		}
		if closed {
			n.close(ib)
		} else {
			n.separate(value)
			if err := n.head(ib, arg, off); err != nil {
				return err
			}
		}
		if done, err := n.flushItem(floor); done || err != nil {
			return err
		}
	}
}

// atValue reports whether the next item is the value of a key.
func (n *notation) atValue() bool {
	if len(n.frames) == 0 {
		return false
	}
	top := &n.frames[len(n.frames)-1]
	return top.ib>>5 == majorMap && top.left%2 != 0
}

func (n *notation) separate(value bool) {
	switch {
	case !n.sep:
	case value:
		n.out = append(n.out, ": "...)
	default:
		n.out = append(n.out, ", "...)
	}
	n.sep = true
}

// close writes the end of the container that began with ib.
func (n *notation) close(ib byte) {
	switch ib >> 5 {
	case majorArray:
		n.out = append(n.out, ']')
	case majorMap:
		n.out = append(n.out, '}')
	default: // a tag, or a string of indefinite length
		n.out = append(n.out, ')')
	}
	n.sep = true
}

// head writes the head (ib, arg) at off and the body of its string.
func (n *notation) head(ib byte, arg uint64, off int64) error {
	switch ib >> 5 {
	case majorUint:
		n.out = strconv.AppendUint(n.out, arg, 10)
	case majorNegInt:
		n.out = bigNegative(arg).Append(n.out, 10)
	case majorBytes, majorText:
		return n.str(ib, arg, off)
	case majorArray:
		n.open(ib, '[')
	case majorMap:
		n.open(ib, '{')
	case majorTag:
		return n.tag(arg)
	case majorSimple:
		n.out = appendSimple(n.out, ib, arg)
	}
	return nil
}

func (n *notation) open(ib, bracket byte) {
	n.out = append(n.out, bracket)
	if isIndefinite(ib) {
		n.out = append(n.out, "_ "...)
	}
	n.sep = false
}

// appendSimple appends the item (ib, arg) of major type 7.
func appendSimple(dst []byte, ib byte, arg uint64) []byte {
	switch ib & infoMask {
	case 20:
		return append(dst, "false"...)
	case 21:
		return append(dst, "true"...)
	case 22:
		return append(dst, "null"...)
	case 25, 26, 27:
		return appendFloatNotation(dst, float(ib, arg))
	}
	return append(dst, Simple(arg).String()...)
}

// appendFloatNotation appends f so that it is read back as the same float and
// not as an integer.
func appendFloatNotation(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return appendExponent(dst, f)
	}
	dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	if f == math.Trunc(f) {
		dst = append(dst, ".0"...)
	}
	return dst
}

// appendExponent appends f in the form 1.0e+300 or 5.96e-8.
func appendExponent(dst []byte, f float64) []byte {
	s := strconv.AppendFloat(nil, f, 'e', -1, 64)
	dot := false
	for i, c := range s {
		switch {
		case c == '.':
			dot = true
		case c == 'e' && !dot:
			dst = append(dst, ".0"...)
		case c == '0' && (s[i-1] == '-' || s[i-1] == '+') && i > 1:
			continue // a leading zero of the exponent
		}
		dst = append(dst, c)
	}
	return dst
}

// tag writes a tag up to its content, or a whole bignum.
func (n *notation) tag(number uint64) error {
	if number == tagBignum || number == tagNegBignum {
		ib, err := n.peek()
		if err != nil {
			return err
		}
		if ib>>5 == majorBytes && !isIndefinite(ib) {
			return n.bignum(number)
		}
	}
	n.openTag(number)
	return nil
}

func (n *notation) openTag(number uint64) {
	n.out = append(strconv.AppendUint(n.out, number, 10), '(')
	n.sep = false
}

// bignum writes the tag 2 or 3 over the definite byte string that comes next.
func (n *notation) bignum(number uint64) error {
	off := n.off()
	ib, size, _, err := n.next()
	if err != nil {
		return err
	}
	if size > maxBignum {
		n.openTag(number)
		n.sep = true
		return n.str(ib, size, off)
	}
	n.rest, n.restOff = size, off // if the reader fails
	body, err := n.body(size, off)
	if err != nil {
		return err
	}
	n.rest = 0
	n.out = bignum(number, body).Append(n.out, 10)
	_, _, _, err = n.next() // closes the tag
	return err
}

// str writes the string (ib, size), or the beginning of an indefinite one.
func (n *notation) str(ib byte, size uint64, off int64) error {
	if isIndefinite(ib) {
		return n.openChunks(ib)
	}
	n.rest, n.restOff = size, off
	if ib>>5 == majorBytes {
		return n.byteString()
	}
	return n.text()
}

// openChunks writes the beginning of a string of indefinite length, or all of
// one without chunks, whose type would not show in parentheses (RFC 8949,
// section 8.1).
func (n *notation) openChunks(ib byte) error {
	next, err := n.peek()
	if err != nil {
		return err
	}
	if next != initialBreak {
		n.out = append(n.out, "(_ "...)
		n.sep = false
		return nil
	}
	if ib>>5 == majorBytes {
		n.out = append(n.out, "''_"...)
	} else {
		n.out = append(n.out, `""_`...)
	}
	_, _, _, err = n.next() // the break
	return err
}

func (n *notation) byteString() error {
	n.out = append(n.out, "h'"...)
	for n.rest > 0 {
		p, err := n.nextPiece(flushSize)
		if err != nil {
			return err
		}
		n.out = hex.AppendEncode(n.out, p)
		if err := n.flush(flushSize); err != nil {
			return err
		}
	}
	n.out = append(n.out, '\'')
	return nil
}

func (n *notation) text() error {
	n.out = append(n.out, '"')
	var text []byte // begins with the character that the last piece cut off
	for n.rest > 0 {
		p, err := n.nextPiece(flushSize)
		if err != nil {
			return err
		}
		text = append(text, p...)
		whole := len(text)
		if n.rest > 0 {
			whole -= cutRune(text)
		}
		n.out = appendQuoted(n.out, text[:whole])
		text = append(text[:0], text[whole:]...)
		if err := n.flush(flushSize); err != nil {
			return err
		}
	}
	n.out = append(n.out, '"')
	return nil
}

// cutRune returns how many bytes at the end of s begin a character of UTF-8
// that is not complete.
func cutRune(s []byte) int {
	for k := 1; k < utf8.UTFMax && k <= len(s); k++ {
		if tail := s[len(s)-k:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return k
		}
	}
	return 0
}

// appendQuoted appends text with what is not printable escaped as in JSON, and
// what is not UTF-8 as \xff.
func appendQuoted(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			dst = append(dst, '\\', 'x', hexDigits[text[0]>>4], hexDigits[text[0]&15])
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case strconv.IsPrint(r):
			dst = append(dst, text[:size]...)
		case r <= 0xffff:
			dst = appendUnit(dst, r)
		default:
			hi, lo := utf16.EncodeRune(r)
			dst = appendUnit(appendUnit(dst, hi), lo)
		}
		text = text[size:]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendUnit appends a unit of UTF-16 as \u00ff.
func appendUnit(dst []byte, u rune) []byte {
	return append(dst, '\\', 'u', hexDigits[u>>12&15], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}
