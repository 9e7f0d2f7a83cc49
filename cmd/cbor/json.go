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
	start: func(r *run) handler { return &jsonWriter{run: r, w: newNotation(r.out, false, r.color)} },
}

// A jsonWriter converts items head by head.
type jsonWriter struct {
	run  *run
	d    *cbor.Decoder
	w    *notation
	out  []byte // scratch space of one token
	told [losses]bool
	tell []string // what is to be told after the item
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
	return err
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
		_, err := j.text()
		return err
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
		return j.text()
	}
	j.lost(lostKey, off)
	q := &quoted{w: j.w}
	j.w.WriteByte('"')
	if err := j.d.WriteDiagnostic(q); err != nil {
		return "", err
	}
	return string(q.begin), j.w.WriteByte('"')
}

// text converts a text string and returns its beginning.
func (j *jsonWriter) text() (string, error) {
	q := &quoted{w: j.w}
	j.w.WriteByte('"')
	for p, err := range j.d.Chunks() {
		if err != nil {
			return "", err
		}
		if _, err := q.Write(p); err != nil {
			return "", err
		}
	}
	return string(q.begin), j.w.WriteByte('"')
}

// byteString converts a byte string.
func (j *jsonWriter) byteString(form bytesForm) error {
	r, err := j.d.BytesReader()
	if err != nil {
		return err
	}
	j.w.WriteByte('"')
	if err := encode(j.w, r, form); err != nil {
		return err
	}
	return j.w.WriteByte('"')
}

// encode writes the bytes of r in the given form.
func encode(w io.Writer, r io.Reader, form bytesForm) error {
	var enc io.WriteCloser
	switch form {
	case toBase64:
		enc = base64.NewEncoder(base64.StdEncoding, w)
	case toBase64URL:
		enc = base64.NewEncoder(base64.RawURLEncoding, w)
	default:
		enc = upperHex{w}
	}
	if _, err := io.Copy(enc, r); err != nil {
		return err
	}
	return enc.Close()
}

// upperHex writes in base16 with capital letters, as tag 23 means.
type upperHex struct{ w io.Writer }

func (u upperHex) Write(p []byte) (int, error) {
	_, err := u.w.Write(bytes.ToUpper(hex.AppendEncode(nil, p)))
	return len(p), err
}

func (upperHex) Close() error { return nil }

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
	if err := encode(j.w, io.MultiReader(bytes.NewReader(body), r), toBase64URL); err != nil {
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
