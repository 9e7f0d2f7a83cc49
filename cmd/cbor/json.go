package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"

	"github.com/streamcbor/cbor"
)

var jsonCommand = &command{
	name:  "json",
	brief: "converts items to JSON, one a line",
	help: `Converts a sequence to JSON lines, as RFC 8949, section 6.1 advises: byte
strings become text in base64url, or what the tags 21 to 23 around them ask for;
bignums become numbers; keys that are not text become text in diagnostic
notation; undefined, other simple values, NaN and infinities become null; tags
are dropped. What is lost is told on standard error, once for each kind. Keys
are not compared. Memory does not grow with the size of the input.
`,
	example: `  $ echo a2 61 61 d7 42 ab cd 02 c2 49 01 00 00 00 00 00 00 00 00 | cbor json -hex
  {"a":"ABCD","2":18446744073709551616}
`,
	start: func(r *run) handler {
		w := newNotation(r.out, false, r.color)
		return &jsonWriter{run: r, w: w, quoted: quoted{w: w}}
	},
}

// A jsonWriter converts items head by head.
type jsonWriter struct {
	run    *run
	d      *cbor.Decoder
	w      *notation
	quoted quoted // the last string
	out    []byte // scratch space of one token
	rest   []byte // of a byte string, not yet encoded
	told   [losses]bool
	tell   []string // what is to be told after the item
}

// The kinds of what JSON cannot hold.
const (
	lostBytes = iota
	lostTag
	lostKey
	lostUndefined
	lostSimple
	lostFloat
	lostBignum
	losses
)

var lossNames = [losses]string{
	lostBytes:     "byte strings became text",
	lostTag:       "tags were dropped",
	lostKey:       "keys that are not text became text in diagnostic notation",
	lostUndefined: "undefined became null",
	lostSimple:    "simple values became null",
	lostFloat:     "NaN and infinities became null",
	lostBignum:    "bignums of more than 1024 bytes became text in base64url",
}

// lost remembers that something at offset off was lost.
func (j *jsonWriter) lost(kind int, off int64) {
	if !j.told[kind] {
		j.told[kind] = true
		j.tell = append(j.tell, fmt.Sprintf("%s (first at offset %d)", lossNames[kind], off))
	}
}

func (j *jsonWriter) item(d *cbor.Decoder) error {
	j.d = d
	j.w.reset()
	err := j.value(toBase64URL)
	j.w.line()
	for _, msg := range j.tell {
		j.run.note(msg)
	}
	j.tell = j.tell[:0]
	return located(err)
}

func (j *jsonWriter) end(*cbor.Decoder) {}

// A bytesForm is the form that byte strings take.
type bytesForm int

const (
	toBase64URL bytesForm = iota // tag 21
	toBase64                     // tag 22
	toHex                        // tag 23
)

// value converts the next item. Byte strings in it take the given form.
func (j *jsonWriter) value(form bytesForm) error {
	off := j.d.InputOffset()
	kind, err := j.d.PeekKind()
	if err != nil {
		return notEOF(err, j.d)
	}
	switch kind {
	case cbor.KindBytes:
		j.lost(lostBytes, off)
		return j.byteString(form)
	case cbor.KindText:
		return j.text()
	case cbor.KindArray:
		return j.array(form)
	case cbor.KindMap:
		return j.object(form)
	case cbor.KindTag:
		return j.tag(form)
	case cbor.KindUndefined:
		j.lost(lostUndefined, off)
	case cbor.KindSimple:
		j.lost(lostSimple, off)
	}
	v, err := j.d.ReadValue()
	if err != nil {
		return err
	}
	j.scalar(v, off)
	_, err = j.w.Write(j.out)
	return err
}

// scalar puts the form of v, the item at off, into out.
func (j *jsonWriter) scalar(v any, off int64) {
	j.out = j.out[:0]
	switch v := v.(type) {
	case int64:
		j.out = strconv.AppendInt(j.out, v, 10)
	case uint64:
		j.out = strconv.AppendUint(j.out, v, 10)
	case *big.Int:
		j.out = v.Append(j.out, 10)
	case bool:
		j.out = strconv.AppendBool(j.out, v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			j.lost(lostFloat, off)
			j.out = append(j.out, "null"...)
		} else {
			j.out = appendFloat(j.out, v)
		}
	default:
		j.out = append(j.out, "null"...)
	}
}

// appendFloat appends f with a fraction or an exponent, so that it stays a float.
func appendFloat(dst []byte, f float64) []byte {
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if format == 'f' && !bytes.Contains(dst[n:], []byte(".")) {
		dst = append(dst, ".0"...)
	}
	return dst
}

func (j *jsonWriter) array(form bytesForm) error {
	err := j.w.WriteByte('[')
	if err != nil {
		return err
	}
	err = elements(j.d, func(i int64) error {
		if i > 0 {
			j.w.WriteByte(',')
		}
		return j.value(form)
	})
	if err != nil {
		return err
	}
	return j.w.WriteByte(']')
}

func (j *jsonWriter) object(form bytesForm) error {
	j.w.WriteByte('{')
	err := pairs(j.d, func(i int64) (string, error) {
		if i > 0 {
			j.w.WriteByte(',')
		}
		key, err := j.key()
		if err == nil {
			err = j.w.WriteByte(':')
		}
		return key, err
	}, func() error { return j.value(form) })
	if err != nil {
		return err
	}
	return j.w.WriteByte('}')
}

// key converts a key and returns its beginning, for the path of an error.
func (j *jsonWriter) key() (string, error) {
	off := j.d.InputOffset()
	kind, err := j.d.PeekKind()
	if err != nil {
		return "", notEOF(err, j.d)
	}
	if kind == cbor.KindText {
		err := j.text()
		return string(j.quoted.begin), err
	}
	j.lost(lostKey, off)
	j.quoted.begin = j.quoted.begin[:0]
	j.w.WriteByte('"')
	if err := j.d.WriteDiagnostic(&j.quoted); err != nil {
		return "", err
	}
	return string(j.quoted.begin), j.w.WriteByte('"')
}

// text converts a text string.
func (j *jsonWriter) text() error {
	j.quoted.begin = j.quoted.begin[:0]
	j.w.WriteByte('"')
	for p, err := range j.d.Chunks() {
		if err != nil {
			return err
		}
		if _, err := j.quoted.Write(p); err != nil {
			return err
		}
	}
	return j.w.WriteByte('"')
}

// byteString converts a byte string.
func (j *jsonWriter) byteString(form bytesForm) error {
	j.w.WriteByte('"')
	for p, err := range j.d.Chunks() {
		if err != nil {
			return err
		}
		j.encode(p, form)
	}
	j.endEncode(form)
	return j.w.WriteByte('"')
}

// encode writes p, the next part of a byte string, but for the bytes at its end
// that need the next part; they are in rest.
func (j *jsonWriter) encode(p []byte, form bytesForm) {
	if len(j.rest) > 0 {
		p = append(j.rest, p...)
	}
	whole := len(p) - len(p)%3 // base64 takes three bytes at once
	j.out = form.append(j.out[:0], p[:whole])
	j.w.Write(j.out)
	j.rest = append(j.rest[:0], p[whole:]...)
}

// endEncode writes what encode left.
func (j *jsonWriter) endEncode(form bytesForm) {
	j.out = form.append(j.out[:0], j.rest)
	j.w.Write(j.out)
	j.rest = j.rest[:0]
}

// append appends the form of p to dst.
func (f bytesForm) append(dst, p []byte) []byte {
	switch f {
	case toBase64:
		return base64.StdEncoding.AppendEncode(dst, p)
	case toBase64URL:
		return base64.RawURLEncoding.AppendEncode(dst, p)
	}
	n := len(dst)
	dst = hex.AppendEncode(dst, p)
	copy(dst[n:], bytes.ToUpper(dst[n:])) // RFC 8949, section 3.4.5.2
	return dst
}

// tag converts the content of a tag.
func (j *jsonWriter) tag(form bytesForm) error {
	off := j.d.InputOffset()
	number, err := j.d.ReadTag()
	if err != nil {
		return err
	}
	switch number {
	case 21:
		return j.value(toBase64URL)
	case 22:
		return j.value(toBase64)
	case 23:
		return j.value(toHex)
	case tagBignum, tagNegBignum:
		kind, err := j.d.PeekKind()
		if err != nil {
			return notEOF(err, j.d)
		}
		if kind == cbor.KindBytes {
			return j.bignum(number, off)
		}
	case tagSelfDescribe:
		return j.value(form)
	}
	j.lost(lostTag, off)
	return j.value(form)
}

const (
	tagSelfDescribe = 55799
	// maxBignum is the most bytes of a bignum that is written as a number,
	// which takes quadratic time.
	maxBignum = 1024
)

// bignum converts the content of the tag 2 or 3 at off.
func (j *jsonWriter) bignum(number uint64, off int64) error {
	r, err := j.d.BytesReader()
	if err != nil {
		return err
	}
	body, err := io.ReadAll(io.LimitReader(r, maxBignum+1))
	if err != nil {
		return err
	}
	if len(body) <= maxBignum {
		n := new(big.Int).SetBytes(body)
		if number == tagNegBignum {
			n.Not(n)
		}
		_, err := j.w.Write(n.Append(j.out[:0], 10))
		return err
	}
	j.lost(lostBignum, off)
	j.w.WriteByte('"')
	if number == tagNegBignum { // RFC 8949, section 6.1
		j.w.WriteByte('~')
	}
	buf := make([]byte, maxBignum)
	for err == nil {
		j.encode(body, toBase64URL)
		var n int
		n, err = r.Read(buf)
		body = buf[:n]
	}
	j.encode(body, toBase64URL)
	j.endEncode(toBase64URL)
	if err != io.EOF {
		return err
	}
	return j.w.WriteByte('"')
}

// quoted writes the inside of a JSON string and keeps its beginning.
type quoted struct {
	w     *notation
	begin []byte
}

func (q *quoted) Write(p []byte) (int, error) {
	q.begin = append(q.begin, p[:min(len(p), maxKey-len(q.begin))]...)
	done := 0
	for i, c := range p {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		q.w.Write(p[done:i])
		done = i + 1
		q.w.Write(escape(c))
	}
	_, err := q.w.Write(p[done:])
	return len(p), err
}

// escape returns the form of a byte that must not stand in a JSON string.
func escape(c byte) []byte {
	switch c {
	case '"', '\\':
		return []byte{'\\', c}
	case '\n':
		return []byte(`\n`)
	case '\r':
		return []byte(`\r`)
	case '\t':
		return []byte(`\t`)
	}
	return fmt.Appendf(nil, `\u%04x`, c)
}
