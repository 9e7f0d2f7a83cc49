package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"testing"

	"github.com/streamcbor/cbor"
)

// A sizedReader gives at most size bytes a read.
type sizedReader struct {
	data  []byte
	size  int
	eof   bool // io.EOF comes with the last bytes
	empty bool // 0, nil comes before each read
	turn  int
}

func (r *sizedReader) Read(p []byte) (int, error) {
	if r.turn++; r.empty && r.turn%2 == 1 {
		return 0, nil
	}
	if len(r.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), r.size)], r.data)
	r.data = r.data[n:]
	if r.eof && len(r.data) == 0 {
		return n, io.EOF
	}
	return n, nil
}

// A stumblingReader gives data, and errFlaky once after at bytes.
type stumblingReader struct {
	data []byte
	size int // bytes a read at most
	at   int
	done bool
	with bool // the error comes with the bytes before it
	pos  int
}

func (r *stumblingReader) Read(p []byte) (int, error) {
	end := len(r.data)
	if !r.done {
		end = r.at
	}
	n := copy(p[:min(len(p), r.size)], r.data[r.pos:end])
	r.pos += n
	switch {
	case !r.done && r.pos == r.at && (r.with || n == 0):
		r.done = true
		return n, errFlaky
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// pieces are the ways in which data arrives.
var pieces = func() map[string]func(data []byte) io.Reader {
	m := map[string]func(data []byte) io.Reader{
		"half": func(data []byte) io.Reader { return &sizedReader{data: data, size: (len(data) + 1) / 2} },
	}
	for _, n := range []int{1, 2, 3, 7, 4095, 4096, 4097, 1 << 30} {
		m[fmt.Sprintf("%d bytes", n)] = func(data []byte) io.Reader { return &sizedReader{data: data, size: n} }
		m[fmt.Sprintf("%d bytes, data with EOF", n)] = func(data []byte) io.Reader {
			return &sizedReader{data: data, size: n, eof: true}
		}
		m[fmt.Sprintf("%d bytes, 0 and nil in between", n)] = func(data []byte) io.Reader {
			return &sizedReader{data: data, size: n, empty: true}
		}
	}
	return m
}()

// A way is a way to pass over the next item. Errors of the reader are met with
// another call until they end.
type way struct {
	name string
	pass func(d *cbor.Decoder) (any, error)
	back bool // after an error of the reader the item is still to be read
}

// ways are the ways to pass over any item.
var ways = []way{
	{"ReadValue", func(d *cbor.Decoder) (any, error) { return d.ReadValue() }, true},
	{"Decode", func(d *cbor.Decoder) (v any, err error) { return v, d.Decode(&v) }, true},
	{"ReadRaw", func(d *cbor.Decoder) (any, error) { return d.ReadRaw() }, true},
	{"Skip", func(d *cbor.Decoder) (any, error) { return nil, d.Skip() }, false},
}

// walks are ways that go on after an error of the reader by themselves.
var walks = []way{
	{"pull", func(d *cbor.Decoder) (any, error) { return nil, pull(d) }, false},
	{"Chunks", chunksOf, false},
	{"BytesReader", bytesOf, false},
	{"loops", func(d *cbor.Decoder) (any, error) { return nil, loops(d) }, false},
}

// writes are ways that do not write an item again after an error of the reader.
var writes = []way{
	{"WriteDiagnostic", func(d *cbor.Decoder) (any, error) {
		var b bytes.Buffer
		err := d.WriteDiagnostic(&b)
		return b.String(), err
	}, false},
	{"WriteAnnotated", func(d *cbor.Decoder) (any, error) {
		var b bytes.Buffer
		err := d.WriteAnnotated(&b)
		return b.String(), err
	}, false},
}

// chunksOf joins the pieces of the next item if it is a string, and skips it
// otherwise.
func chunksOf(d *cbor.Decoder) (any, error) {
	s := ""
	for p, err := range d.Chunks() {
		switch {
		case errors.Is(err, cbor.ErrType):
			return nil, again(d.Skip)
		case err != nil && err != errFlaky:
			passRest(d) // how much of the string came before depends on the reader
			return nil, err
		}
		s += string(p)
	}
	return s, nil
}

// bytesOf is like chunksOf with BytesReader.
func bytesOf(d *cbor.Decoder) (any, error) {
	var r io.Reader
	err := again(func() (err error) { r, err = d.BytesReader(); return err })
	if errors.Is(err, cbor.ErrType) {
		return nil, again(d.Skip)
	}
	if err != nil {
		return nil, err
	}
	var s bytes.Buffer
	if err := again(func() error { _, err := io.Copy(&s, r); return err }); err != nil {
		passRest(d)
		return nil, err
	}
	return s.String(), nil
}

// loops passes over the next item by loops over its arrays and maps.
func loops(d *cbor.Decoder) error {
	var kind cbor.Kind
	if err := again(func() (err error) { kind, err = d.PeekKind(); return err }); err != nil {
		return err
	}
	items, seq := 1, d.Array
	switch kind {
	case cbor.KindMap:
		items, seq = 2, d.Map
	case cbor.KindTag:
		if err := again(func() error { _, err := d.ReadTag(); return err }); err != nil {
			return err
		}
		return loops(d)
	case cbor.KindArray:
	default:
		return again(d.Skip)
	}
	depth := d.Depth()
	for _, err := range seq() {
		if err == errFlaky && d.Depth() == depth {
			continue // not begun yet
		}
		if err != nil && err != errFlaky {
			return err
		}
		for range items {
			err := loops(d)
			if errors.Is(err, cbor.ErrType) {
				break // where an error of the reader came before the end
			}
			if err != nil {
				return err
			}
		}
	}
	passRest(d)
	return nil
}

// passRest has d pass over what is left of an item. An error comes again.
func passRest(d *cbor.Decoder) {
	again(func() error { _, err := d.PeekKind(); return err })
}

// A step is what one call made of the input.
type step struct {
	Value any
	Err   string
	Off   int64
}

func (s step) String() string { return fmt.Sprintf("%v, %q, offset %d", s.Value, s.Err, s.Off) }

// trace passes over the items of d in one way until no more come.
func trace(d *cbor.Decoder, w way) (steps []step) {
	for range 100 {
		var s step
		err := again(func() (err error) { s.Value, err = w.pass(d); return err })
		s.Off = d.InputOffset()
		if err != nil {
			s.Value, s.Err = nil, describe(err)
		}
		steps = append(steps, s)
		if err == io.EOF || final(err) {
			break
		}
	}
	return steps
}

// describe returns all that a user can tell of an error.
func describe(err error) string {
	s := err.Error()
	for _, c := range categories {
		if errors.Is(err, c) {
			s += fmt.Sprintf(" [%v]", c)
		}
	}
	if e := (*cbor.DecodeError)(nil); errors.As(err, &e) {
		s += fmt.Sprintf(" at %d %q", e.Offset, e.Path)
	}
	return s
}

// final reports whether err ends a Decoder.
func final(err error) bool {
	return errors.Is(err, cbor.ErrMalformed) || errors.Is(err, cbor.ErrLimit) || errors.Is(err, io.ErrUnexpectedEOF)
}

// sameTrace checks that passing over data goes as it does from memory.
func sameTrace(t *testing.T, what string, want, got []step) {
	t.Helper()
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Errorf("%s: one more item: %v", what, got[i])
			return
		case i >= len(got):
			t.Errorf("%s: no item, want %v", what, want[i])
			return
		}
		w, g := want[i], got[i]
		if w.Err != g.Err || w.Off != g.Off {
			t.Errorf("%s: item %d: %.200v, want %.200v", what, i, g, w)
			return
		}
		if reflect.DeepEqual(w.Value, g.Value) {
			continue // go-cmp takes a hundred times as long
		}
		if diff := diffValues(w.Value, g.Value, exact); diff != "" {
			t.Errorf("%s: item %d (-memory +stream):\n%.500s", what, i, diff)
			return
		}
	}
}

// connections are the kinds of connections that tests read from.
var connections = map[string]func(*testing.T) (server, client net.Conn){"pipe": pipePair, "tcp": tcpPair}
