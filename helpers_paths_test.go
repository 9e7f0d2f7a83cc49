package cbor_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/streamcbor/cbor"
)

// errFlaky is the error of a reader that can be called again.
var errFlaky = errors.New("try again")

// A flakyReader reads a few bytes after each error, and returns 0, nil before it.
type flakyReader struct {
	r    io.Reader
	turn int
}

func (f *flakyReader) Read(p []byte) (int, error) {
	f.turn++
	switch f.turn % 3 {
	case 1:
		return 0, nil
	case 2:
		return 0, errFlaky
	}
	return f.r.Read(p[:min(len(p), 3)])
}

// readers are the ways in which a stream arrives.
var readers = []struct {
	name string
	wrap func(io.Reader) io.Reader
}{
	{"whole", func(r io.Reader) io.Reader { return r }},
	{"one byte", iotest.OneByteReader},
	{"half", iotest.HalfReader},
	{"data with EOF", iotest.DataErrReader},
	{"flaky", func(r io.Reader) io.Reader { return &flakyReader{r: r} }},
}

// again calls f until its error is not errFlaky.
func again(f func() error) error {
	for {
		if err := f(); err != errFlaky {
			return err
		}
	}
}

// decoders calls f with the name and a new Decoder for each way to read data.
func decoders(o cbor.Options, data []byte, f func(name string, d *cbor.Decoder)) {
	f("memory", o.NewDecoderBytes(data))
	for _, r := range readers {
		if r.name == "flaky" && len(data) > 1024 {
			continue // the work of reading an item again is quadratic
		}
		f(r.name, o.NewDecoder(r.wrap(bytes.NewReader(data))))
	}
}

// A result is what one path made of an input that should hold one item.
type result struct {
	path  string
	value any
	err   error
}

// valuePaths returns what each path that builds values makes of data.
func valuePaths(o cbor.Options, data []byte) (results []result) {
	add := func(path string, v any, err error) {
		results = append(results, result{path, v, err})
	}
	v, err := o.Decode(data)
	add("Decode", v, err)

	v, rest, err := o.DecodeFirst(data)
	if err == nil && len(rest) > 0 {
		v, err = nil, trailing(len(data)-len(rest))
	}
	add("DecodeFirst", v, err)

	v, err = nil, io.EOF
	items := 0
	for w, e := range o.DecodeSequence(data) {
		if items++; items > 1 {
			v, err = nil, trailing(firstLen(o, data))
			break
		}
		v, err = w, e
	}
	add("DecodeSequence", v, err)

	decoders(o, data, func(name string, d *cbor.Decoder) {
		var v any
		err := again(func() (err error) { v, err = d.ReadValue(); return err })
		if err == nil {
			err = atEnd(d)
		}
		if err != nil {
			v = nil
		}
		add("ReadValue "+name, v, err)
	})
	return results
}

// walkPaths returns what each path that builds no values makes of data.
func walkPaths(o cbor.Options, data []byte) (results []result) {
	add := func(path string, err error) {
		results = append(results, result{path: path, err: err})
	}
	o.InvalidUTF8 = cbor.AllowInvalidUTF8 // for the pull methods
	add("Wellformed", o.Wellformed(data))
	decoders(o, data, func(name string, d *cbor.Decoder) {
		err := again(d.Skip)
		if err == nil {
			err = atEnd(d)
		}
		add("Skip "+name, err)
	})
	decoders(o, data, func(name string, d *cbor.Decoder) {
		var raw cbor.RawMessage
		err := again(func() (err error) { raw, err = d.ReadRaw(); return err })
		if err == nil {
			if err = atEnd(d); err == nil && !bytes.Equal(raw, data) {
				err = errors.New("ReadRaw returned other bytes")
			}
		}
		add("ReadRaw "+name, err)
	})
	decoders(o, data, func(name string, d *cbor.Decoder) {
		err := pull(d)
		if err == nil {
			err = atEnd(d)
		}
		add("pull "+name, err)
	})
	return results
}

// trailing returns the error for data behind the item of n bytes.
func trailing(n int) error {
	return &cbor.DecodeError{Offset: int64(n), Err: cbor.ErrTrailingData}
}

func firstLen(o cbor.Options, data []byte) int {
	_, rest, _ := o.DecodeFirst(data)
	return len(data) - len(rest)
}

// atEnd returns ErrTrailingData if d is not at the end of its input. What comes
// there need not be well-formed.
func atEnd(d *cbor.Decoder) error {
	off := d.InputOffset()
	err := again(func() (err error) { _, err = d.PeekKind(); return err })
	if err == io.EOF {
		return nil
	}
	return trailing(int(off))
}

// pull reads the next item by the methods for single heads.
func pull(d *cbor.Decoder) error {
	var kind cbor.Kind
	err := again(func() (err error) { kind, err = d.PeekKind(); return err })
	if err != nil {
		return err
	}
	switch kind {
	case cbor.KindArray:
		err = again(func() error { _, err := d.ReadArrayHeader(); return err })
		return pullRest(d, err)
	case cbor.KindMap:
		err = again(func() error { _, err := d.ReadMapHeader(); return err })
		return pullRest(d, err)
	case cbor.KindTag:
		if err := again(func() error { _, err := d.ReadTag(); return err }); err != nil {
			return err
		}
		return pull(d)
	case cbor.KindNegInt:
		err = again(func() error { _, err := d.ReadInt64(); return err })
		if errors.Is(err, cbor.ErrType) { // below int64
			err = again(func() error { _, err := d.ReadFloat64(); return err })
		}
		if errors.Is(err, cbor.ErrType) {
			err = again(d.Skip)
		}
		return err
	}
	return again(func() error { return pullScalar(d, kind) })
}

func pullScalar(d *cbor.Decoder, kind cbor.Kind) (err error) {
	switch kind {
	case cbor.KindUint:
		_, err = d.ReadUint64()
	case cbor.KindBytes:
		_, err = d.ReadBytes()
	case cbor.KindText:
		_, err = d.ReadTextBytes()
	case cbor.KindBool:
		_, err = d.ReadBool()
	case cbor.KindNull, cbor.KindUndefined:
		err = d.ReadNull()
	case cbor.KindSimple:
		_, err = d.ReadSimple()
	case cbor.KindFloat:
		_, err = d.ReadFloat64()
	default:
		err = errors.New("an item cannot begin with " + kind.String())
	}
	return err
}

// pullRest reads the items of the array or map whose header was read.
func pullRest(d *cbor.Decoder, err error) error {
	for err == nil {
		for d.More() && err == nil {
			err = pull(d)
		}
		if err == nil {
			if err = d.ReadEnd(); err != errFlaky {
				return err
			}
			err = nil
		}
	}
	return err
}

// A fault is an expected error of the input. The zero fault is none.
type fault struct {
	category error
	off      int
	path     string
}

// wellformed reports whether a walk over the input does not see the fault.
func (f fault) wellformed() bool {
	switch f.category {
	case cbor.ErrMalformed, cbor.ErrLimit, cbor.ErrTrailingData, io.ErrUnexpectedEOF:
		return false
	}
	return true
}

var categories = []error{cbor.ErrMalformed, cbor.ErrTrailingData, cbor.ErrInvalidUTF8, cbor.ErrDuplicateKey,
	cbor.ErrInvalidTag, cbor.ErrMapKey, cbor.ErrLimit, cbor.ErrType, io.ErrUnexpectedEOF, io.EOF}

// checkFault checks the error of one path.
func checkFault(t *testing.T, data []byte, r result, want fault) {
	t.Helper()
	switch e := (*cbor.DecodeError)(nil); {
	case r.value != nil:
		t.Errorf("%.40x, %s: value %#v with an error", data, r.path, r.value)
	case !errors.As(r.err, &e):
		t.Errorf("%.40x, %s: error %v, want %v at %d", data, r.path, r.err, want.category, want.off)
	case e.Offset != int64(want.off) || e.Path != want.path:
		t.Errorf("%.40x, %s: error at %d %q, want %d %q (%v)", data, r.path, e.Offset, e.Path, want.off, want.path, r.err)
	}
	for _, c := range categories {
		if errors.Is(r.err, c) != (c == want.category) {
			t.Errorf("%.40x, %s: error %v: category %v: %v", data, r.path, r.err, c, c != want.category)
		}
	}
}

// checkFaultEverywhere checks the error of every path. A walk sees no fault
// that is about validity, and gives no path.
func checkFaultEverywhere(t *testing.T, o cbor.Options, data []byte, want fault) {
	t.Helper()
	for _, r := range valuePaths(o, data) {
		checkFault(t, data, r, want)
	}
	walk := want
	walk.path = ""
	for _, r := range walkPaths(o, data) {
		switch {
		case want.wellformed():
			if r.err != nil {
				t.Errorf("%.40x, %s: %v, want no error", data, r.path, r.err)
			}
		case strings.HasPrefix(r.path, "pull") && claimsTooMany(data) && errors.Is(r.err, cbor.ErrLimit):
		default:
			checkFault(t, data, r, walk)
		}
	}
}

// claimsTooMany reports whether the header methods, whose counts are int64,
// refuse an array or map in data.
func claimsTooMany(data []byte) bool {
	for i, b := range data[:len(data)-1] {
		if (b == 0x9b || b == 0xbb) && data[i+1] >= 0x80 {
			return true
		}
	}
	return false
}

// checkValue checks that every path accepts data, and those that build values
// return want.
func checkValue(t *testing.T, o cbor.Options, data []byte, want any) {
	t.Helper()
	for _, r := range valuePaths(o, data) {
		if r.err != nil {
			t.Errorf("%.40x, %s: %v", data, r.path, r.err)
		} else if diff := diffValues(want, r.value, exact); diff != "" {
			t.Errorf("%.40x, %s (-want +got):\n%s", data, r.path, diff)
		}
	}
	checkWellformed(t, o, data)
}

func checkWellformed(t *testing.T, o cbor.Options, data []byte) {
	t.Helper()
	for _, r := range walkPaths(o, data) {
		if r.err != nil {
			t.Errorf("%.40x, %s: %v", data, r.path, r.err)
		}
	}
}
