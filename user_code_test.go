package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/streamcbor/cbor"
)

// panics returns options whose tag 99 panics.
func panics() cbor.Options {
	return cbor.Options{Tags: map[uint64]cbor.TagFunc{99: func(any) (any, error) { panic("tag 99") }}}
}

// caught runs f and reports whether it panicked.
func caught(f func()) (caught bool) {
	defer func() { caught = recover() != nil }()
	f()
	return false
}

// insidePanics are items that have tag 99 where much is open: in a key of a map
// in a key, behind pairs, and behind an error of the content.
var insidePanics = []string{
	"\xa2\x01\x02\xa1\x81\x01\xa2\x61a\x01\x82\x81\x07\xd8\x63\x00\x03\x04",
	"\x83\x01\xbf\x61a\xa1\x61b\xd8\x63\x00\xff\x02",
	"\xd8\x63\xd8\x63\x61x",
	"\xa1\xa1\x82\x01\x02\xd8\x63\x05\x06",
}

// TestPanicInTagFunc recovers from panics of a TagFunc: what is decoded later is
// not touched by what was left undone.
func TestPanicInTagFunc(t *testing.T) {
	o := panics()
	type target struct {
		A any            `cbor:"a"`
		M map[string]any `cbor:"m"`
	}
	for _, item := range insidePanics {
		data := []byte(item)
		for name, f := range map[string]func(){
			"Decode":    func() { o.Decode(data) },
			"Unmarshal": func() { o.Unmarshal(append([]byte("\xa1\x61a"), data...), new(target)) },
			"DecodeSequence": func() {
				for range o.DecodeSequence(data) {
				}
			},
			"ReadValue": func() { o.NewDecoderBytes(data).ReadValue() },
		} {
			if !caught(f) {
				t.Errorf("%s of %x: no panic", name, data)
			}
			checkSound(t, fmt.Sprintf("after a panic in %s of %x", name, data))
		}
	}
	caught(func() {
		for range cbor.DecodeSequence([]byte("\xa1\x81\x01\x02\x03")) {
			panic("the loop")
		}
	})
	checkSound(t, "after a panic of a loop")
}

// checkSound decodes items that use all that is kept between items.
func checkSound(t *testing.T, when string) {
	t.Helper()
	for range 3 {
		_, err := cbor.Decode([]byte("\xa2\xa1\x81\x01\x02\x03\xa1\x81\x01\x02\x03"))
		if !errors.Is(err, cbor.ErrDuplicateKey) {
			t.Fatalf("%s: %v, want a duplicate key", when, err)
		}
		v, err := cbor.Decode([]byte("\xa2\x61a\x01\xa2\x81\x01\x02\xa1\x82\x03\x04\x05\x06\x07"))
		want := cbor.Map{{Key: "a", Value: int64(1)},
			{Key: cbor.Map{{Key: []any{int64(1)}, Value: int64(2)}, {Key: cbor.Map{{Key: []any{int64(3), int64(4)}, Value: int64(5)}}, Value: int64(6)}}, Value: int64(7)}}
		if diff := diffShort(want, v); err != nil || diff != "" {
			t.Fatalf("%s: %v %s", when, err, diff)
		}
		_, err = cbor.Decode([]byte("\x82\xa0\xa1\x61b\xa2\xa1\x81\x01\x02\x03\xa1\x81\x01\x02\x03"))
		var e *cbor.DecodeError
		if !errors.As(err, &e) || !errors.Is(err, cbor.ErrDuplicateKey) || e.Path != "/1/b/{[1]: 2}" || e.Offset != 11 {
			t.Fatalf("%s: %v, want a duplicate key", when, err)
		}
	}
}

// TestDecoderAfterPanic goes on with a Decoder after a panic of a TagFunc: the
// item counts as read.
func TestDecoderAfterPanic(t *testing.T) {
	for _, item := range insidePanics {
		for _, pad := range []int{1, 20_000} {
			in := append([]byte("\x84\x01"), item...)
			in = append(append(in, 0x79, byte(pad>>8), byte(pad)), bytes.Repeat([]byte("p"), pad)...)
			in = append(in, "\x02\x19\x01\x00"...)
			decoders(panics(), in, func(name string, d *cbor.Decoder) {
				read := func() (v any, err error) {
					err = again(func() (err error) { v, err = d.ReadValue(); return err })
					return v, err
				}
				if err := again(func() error { _, err := d.ReadArrayHeader(); return err }); err != nil {
					t.Fatal(name, err)
				}
				if v, err := read(); v != int64(1) || err != nil {
					t.Fatal(name, v, err)
				}
				if !caught(func() { read() }) {
					t.Fatal(name, "no panic")
				}
				if v, err := read(); err != nil || v != strings.Repeat("p", pad) {
					t.Fatalf("%s: got %.20v, %v behind the panic in %x", name, v, err, item)
				}
				if v, err := read(); err != nil || v != int64(2) {
					t.Fatalf("%s: got %.20v, %v", name, v, err)
				}
				if err := again(d.ReadEnd); err != nil {
					t.Fatal(name, err)
				}
				if v, err := read(); err != nil || v != int64(256) {
					t.Fatalf("%s: got %.20v, %v", name, v, err)
				}
				if _, err := read(); err != io.EOF {
					t.Fatal(name, err)
				}
			})
		}
	}
}

// nested holds CBOR inside a byte string, with an error that is not about the
// outer input.
type nested struct{ v any }

func (n *nested) UnmarshalCBORFrom(d *cbor.Decoder) error {
	s, err := d.ReadBytes()
	if err != nil {
		return err
	}
	n.v, err = cbor.Decode(s)
	return err
}

// TestForeignErrors returns errors from UnmarshalCBORFrom that another decoder
// made: they are an ErrType here, and the stream goes on.
func TestForeignErrors(t *testing.T) {
	for inner, want := range map[string]error{
		"":             nil, // io.EOF, which must not end the stream
		"\x1c":         cbor.ErrMalformed,
		"\x82\x01":     io.ErrUnexpectedEOF,
		"\x00\x00":     cbor.ErrTrailingData,
		"\xa2\x00\x00": io.ErrUnexpectedEOF,
	} {
		in := append([]byte{0x82, 0x01, byte(0x40 + len(inner))}, inner...)
		in = append(in, 0x07)
		decoders(cbor.Options{}, in, func(name string, d *cbor.Decoder) {
			var v struct {
				_ struct{} `cbor:",toarray"`
				A int
				N nested
			}
			err := again(func() error { return d.Decode(&v) })
			var e *cbor.DecodeError
			if !errors.As(err, &e) || !errors.Is(err, cbor.ErrType) || want != nil && !errors.Is(err, want) || errors.Is(err, io.EOF) {
				t.Errorf("%s: %x: %v, want ErrType and %v", name, inner, err, want)
			} else if e.Offset != 2 || e.Path != "/1" {
				t.Errorf("%s: %x: offset %d, path %q; want 2, /1", name, inner, e.Offset, e.Path)
			}
			var n int64
			if err := again(func() (err error) { n, err = d.ReadInt64(); return err }); n != 7 || err != nil {
				t.Errorf("%s: %x: then %d, %v", name, inner, n, err)
			}
		})
	}
}

// resets resets the Decoder that it gets and reads on from elsewhere.
type resets struct{}

var resetTo = []func(d *cbor.Decoder){
	func(d *cbor.Decoder) { d.ResetBytes([]byte{1}) },
	func(d *cbor.Decoder) { d.ResetBytes(nil) },
	func(d *cbor.Decoder) { d.Reset(iotest.ErrReader(errFlaky)) },
	func(d *cbor.Decoder) { d.Reset(strings.NewReader("\x01\x1c")) },
}

var resetBy func(d *cbor.Decoder)

func (*resets) UnmarshalCBORFrom(d *cbor.Decoder) error {
	resetBy(d)
	return d.Skip()
}

// TestResetInMethod resets the Decoder of an UnmarshalCBORFrom, which is an
// ErrType and leaves the outer one alone.
func TestResetInMethod(t *testing.T) {
	for i, by := range resetTo {
		resetBy = by
		decoders(cbor.Options{}, []byte{0x81, 0x05, 0x07}, func(name string, d *cbor.Decoder) {
			err := again(func() error { return d.Decode(new([]resets)) })
			var e *cbor.DecodeError
			if !errors.As(err, &e) || !errors.Is(err, cbor.ErrType) || e.Offset != 1 || e.Path != "/0" {
				t.Errorf("%s: %d: %v, want an ErrType at 1", name, i, err)
			}
			var n int64
			if err := again(func() (err error) { n, err = d.ReadInt64(); return err }); n != 7 || err != nil {
				t.Errorf("%s: %d: then %d, %v", name, i, n, err)
			}
		})
	}
}

// A failingWriter fails with err after n bytes.
type failingWriter struct {
	n   int
	err error
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.n -= len(p); w.n < 0 {
		return 0, w.err
	}
	return len(p), nil
}

// TestWriterErrors returns errors from the writer that look like those of the
// input: they come out as they are, and the Decoder goes on behind the item.
func TestWriterErrors(t *testing.T) {
	_, malformed := cbor.Decode([]byte{0x1c})
	in := append(append([]byte{0x82, 0x79, 0x40, 0}, bytes.Repeat([]byte("x"), 1<<14)...), 0x01, 0x07)
	for _, want := range []error{io.EOF, malformed, io.ErrShortWrite} {
		for _, n := range []int{0, 10_000} {
			for name, write := range map[string]func(*cbor.Decoder, io.Writer) error{
				"WriteDiagnostic": (*cbor.Decoder).WriteDiagnostic, "WriteAnnotated": (*cbor.Decoder).WriteAnnotated,
			} {
				d := cbor.NewDecoder(bytes.NewReader(in))
				if err := write(d, &failingWriter{n, want}); err != want {
					t.Errorf("%s: %v, want %v", name, err, want)
				}
				if v, err := d.ReadValue(); v != int64(7) || err != nil {
					t.Errorf("%s: then %v, %v", name, v, err)
				}
			}
		}
	}
}

// TestAnnotatedDeep writes many levels, whose lines do not grow without bound.
func TestAnnotatedDeep(t *testing.T) {
	const levels = 20_000
	data := append(bytes.Repeat([]byte{0x81}, levels), 0x00)
	var out bytes.Buffer
	if err := deep.NewDecoderBytes(data).WriteAnnotated(&out); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 300*levels {
		t.Errorf("%d bytes for %d levels", out.Len(), levels)
	}
}

// TestBytesNeverWritten decodes into slices that alias an earlier input.
func TestBytesNeverWritten(t *testing.T) {
	type named []byte
	first := []byte("\x44abcd")
	want := string(first)
	var s []byte
	var n named
	var raw cbor.RawMessage
	var field struct{ B []byte }
	for _, v := range []any{&s, &n, &raw} {
		if err := cbor.Unmarshal(first, v); err != nil {
			t.Fatal(err)
		}
	}
	field.B = s
	for _, v := range []any{&s, &n} {
		if err := cbor.Unmarshal([]byte("\x83\x01\x02\x03"), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := cbor.Unmarshal([]byte("\xa1\x61B\x9f\x01\xff"), &field); err != nil {
		t.Fatal(err)
	}
	if err := raw.UnmarshalCBOR([]byte("\x81\x00")); err != nil {
		t.Fatal(err)
	}
	if string(first) != want {
		t.Errorf("the first input is %x now, want %x", first, want)
	}
	if !bytes.Equal(s, []byte{1, 2, 3}) || !bytes.Equal(n, s) || !bytes.Equal(field.B, []byte{1}) || !bytes.Equal(raw, []byte{0x81, 0}) {
		t.Errorf("got %x, %x, %x, %x", s, n, field.B, raw)
	}
	if err := cbor.Unmarshal([]byte{0x80}, &s); err != nil || s == nil || len(s) != 0 {
		t.Errorf("an empty array: got %x (nil: %v), %v", s, s == nil, err)
	}
}
