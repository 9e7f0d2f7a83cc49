package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/streamcbor/cbor"
)

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// TestStructure breaks the structure in every way that pulling allows, and
// looks whether the Decoder is where it was.
func TestStructure(t *testing.T) {
	data := unhex(t, "83 01 a1 6161 9f02ff c1 03 04")
	decoders(cbor.Options{}, data, func(name string, d *cbor.Decoder) {
		step := func(f func() error) {
			t.Helper()
			if err := again(f); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		refused := func(what string, f func() error) {
			t.Helper()
			off := d.InputOffset()
			wantErr(t, name+": "+what, again(f), cbor.ErrType)
			if d.InputOffset() != off {
				t.Errorf("%s: %s consumed %d bytes", name, what, d.InputOffset()-off)
			}
		}
		int64Of := func() error { _, err := d.ReadInt64(); return err }
		text := func() error { _, err := d.ReadText(); return err }
		tag := func() error { _, err := d.ReadTag(); return err }
		array := func() error { _, err := d.ReadArrayHeader(); return err }
		mapping := func() error { _, err := d.ReadMapHeader(); return err }

		refused("ReadEnd at the top level", d.ReadEnd)
		refused("ReadMapHeader of an array", mapping)
		step(array)
		refused("ReadEnd with items left", d.ReadEnd)
		refused("text of an integer", text)
		step(int64Of)
		refused("ReadEnd of a map that was not entered", d.ReadEnd)
		step(mapping)
		step(text)
		refused("ReadEnd before the value", d.ReadEnd)
		step(array)
		step(int64Of)
		refused("value behind the last element", int64Of)
		refused("Skip behind the last element", d.Skip)
		refused("ReadValue behind the last element", func() error { _, err := d.ReadValue(); return err })
		if d.Depth() != 3 {
			t.Errorf("%s: depth %d, want 3", name, d.Depth())
		}
		step(d.ReadEnd)
		refused("key behind the last pair", text)
		step(d.ReadEnd)
		step(tag)
		refused("ReadEnd behind a tag", d.ReadEnd)
		if !d.More() {
			t.Errorf("%s: More() = false behind a tag", name)
		}
		step(int64Of)
		if d.More() {
			t.Errorf("%s: More() = true at the end of an array", name)
		}
		step(d.ReadEnd)
		step(int64Of)
		wantErr(t, name+": at the end", again(int64Of), io.EOF)
	})
}

func TestBreaks(t *testing.T) {
	for _, tt := range []struct{ in, what string }{
		{"bf01ff", "a break behind a key"}, {"81ff", "a break in a definite array"},
		{"c1ff", "a break as the content of a tag"}, {"ff", "a break at the top level"},
	} {
		decoders(cbor.Options{}, unhex(t, tt.in), func(name string, d *cbor.Decoder) {
			err := again(func() error { return pull(d) })
			wantErr(t, name+": "+tt.what, err, cbor.ErrMalformed)
			if _, again := d.ReadInt64(); again != err {
				t.Errorf("%s: %s: then %v, want the same error", name, tt.what, again)
			}
		})
	}
}

// TestLoops reads less, more and otherwise than the body of a loop should.
func TestLoops(t *testing.T) {
	const in = "84 8101 8102 a1 03 8104 05 ff00" // an array of three arrays and a map
	data := unhex(t, strings.Replace(in, "ff00", "", 1)+"07")
	bodies := map[string]func(d *cbor.Decoder, i int) bool{
		"nothing":      func(d *cbor.Decoder, i int) bool { return true },
		"a header":     func(d *cbor.Decoder, i int) bool { d.ReadArrayHeader(); return true },
		"some":         func(d *cbor.Decoder, i int) bool { d.ReadArrayHeader(); d.ReadInt64(); return true },
		"all":          func(d *cbor.Decoder, i int) bool { d.ReadValue(); return true },
		"the raw item": func(d *cbor.Decoder, i int) bool { d.ReadRaw(); return true },
		"a loop": func(d *cbor.Decoder, i int) bool {
			for range d.Array() {
				break
			}
			return true
		},
		"break":       func(d *cbor.Decoder, i int) bool { return i < 1 },
		"inner break": func(d *cbor.Decoder, i int) bool { d.ReadArrayHeader(); return false },
		"ReadEnd":     func(d *cbor.Decoder, i int) bool { d.ReadValue(); d.ReadEnd(); return true },
	}
	for what, body := range bodies {
		decoders(cbor.Options{}, data, func(name string, d *cbor.Decoder) {
			for i, err := range d.Array() {
				if err == errFlaky {
					continue // gives the element up, or tries the head again
				}
				if err != nil {
					t.Fatalf("%s, %s: %v", name, what, err)
				}
				if !body(d, i) {
					break
				}
			}
			var v int64
			err := again(func() (err error) { v, err = d.ReadInt64(); return err })
			if v != 7 || err != nil {
				t.Errorf("%s, %s: behind the loop %d, %v, want 7", name, what, v, err)
			}
		})
	}
}

func TestLoopOverread(t *testing.T) {
	d := cbor.NewDecoderBytes(unhex(t, "830102 03 07"))
	var errs []error
	for _, err := range d.Array() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		d.ReadInt64()
		d.ReadInt64()
	}
	if len(errs) != 1 || !errors.Is(errs[0], cbor.ErrType) {
		t.Errorf("errors %v, want one ErrType", errs)
	}
	if v, err := d.ReadInt64(); v != 7 || err != nil {
		t.Errorf("behind the loop %d, %v", v, err)
	}
}

func TestLoopPanicAndReset(t *testing.T) {
	d := cbor.NewDecoderBytes(unhex(t, "820102 07"))
	func() {
		defer func() { recover() }()
		for range d.Array() {
			panic("in the body")
		}
	}()
	if v, err := d.ReadInt64(); v != 7 || err != nil {
		t.Errorf("after a panic %d, %v", v, err)
	}
	d.ResetBytes(unhex(t, "820102 07"))
	for range d.Array() {
		d.ResetBytes(unhex(t, "82 0809"))
	}
	if v, err := d.ReadValue(); fmt.Sprint(v) != "[8 9]" || err != nil {
		t.Errorf("after Reset %v, %v", v, err)
	}
}

// TestLoopRetry calls again within the turn of a loop.
func TestLoopRetry(t *testing.T) {
	data := unhex(t, "9f 01 19 0100 82 0203 44 01020304 ff 07")
	d := cbor.NewDecoder(&flakyReader{r: bytes.NewReader(data)})
	var got []any
	for _, err := range d.Array() {
		if err != nil && err != errFlaky {
			t.Fatal(err)
		}
		if d.Depth() == 0 {
			continue // the array was not begun
		}
		var v any
		err = again(func() (err error) { v, err = d.ReadValue(); return err })
		if errors.Is(err, cbor.ErrType) { // the error was met where the array ends
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, v)
	}
	if fmt.Sprint(got) != "[1 256 [2 3] [1 2 3 4]]" {
		t.Errorf("got %v", got)
	}
}

// TestContentErrors goes on after errors about the content of an item.
func TestContentErrors(t *testing.T) {
	bad := []string{"61ff", "a201000101", "c001", "8261ff01", "a1 01 820261ff"}
	for _, in := range bad {
		data := unhex(t, "82"+in+"05"+in+"06")
		decoders(cbor.Options{}, data, func(name string, d *cbor.Decoder) {
			err := again(func() error { _, err := d.ReadArrayHeader(); return err })
			if err != nil {
				t.Fatal(err)
			}
			var good []any
			faults := 0
			for again := true; again; {
				again = false
				for v, err := range cbor.Items[any](d) {
					switch {
					case err == errFlaky:
						again = true
					case err != nil:
						faults++
					default:
						good = append(good, v)
					}
				}
			}
			if fmt.Sprint(good) != "[5]" || faults != 1 {
				t.Fatalf("%s, %s: inside the array %v and %d errors", name, in, good, faults)
			}
			if err := again(d.ReadEnd); err != nil {
				t.Fatalf("%s, %s: ReadEnd: %v", name, in, err)
			}
			err = again(func() error { _, err := d.ReadValue(); return err })
			if err == nil || errors.Is(err, cbor.ErrMalformed) {
				t.Fatalf("%s, %s: error %v", name, in, err)
			}
			off := d.InputOffset()
			var v any
			err = again(func() (err error) { v, err = d.ReadValue(); return err })
			if v != int64(6) || err != nil || d.InputOffset() <= off {
				t.Fatalf("%s, %s: the next item is %v, %v", name, in, v, err)
			}
		})
	}
}

// TestReadXKeeps checks that an error about its content leaves a string unread.
func TestReadXKeeps(t *testing.T) {
	decoders(cbor.Options{}, unhex(t, "7f61616161ff 62c328 01"), func(name string, d *cbor.Decoder) {
		readText := func() error { _, err := d.ReadText(); return err }
		if err := again(readText); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for range 3 {
			wantErr(t, name, again(readText), cbor.ErrInvalidUTF8)
			if d.InputOffset() != 6 {
				t.Fatalf("%s: offset %d, want 6", name, d.InputOffset())
			}
		}
		if err := again(d.Skip); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := again(func() error { _, err := d.ReadInt64(); return err }); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	})
}

// TestItemLimit passes over an item by each method with exactly as many bytes
// as it has, and one less.
func TestItemLimit(t *testing.T) {
	data := unhex(t, "83 44 01020304 7f 6161 ff 19 0100")
	calls := map[string]func(*cbor.Decoder) error{
		"ReadValue":       func(d *cbor.Decoder) error { _, err := d.ReadValue(); return err },
		"ReadRaw":         func(d *cbor.Decoder) error { _, err := d.ReadRaw(); return err },
		"Skip":            (*cbor.Decoder).Skip,
		"WriteDiagnostic": func(d *cbor.Decoder) error { return d.WriteDiagnostic(io.Discard) },
		"WriteAnnotated":  func(d *cbor.Decoder) error { return d.WriteAnnotated(io.Discard) },
		"pull":            pull,
	}
	for what, call := range calls {
		for n := int64(1); n <= int64(len(data)); n++ {
			for _, r := range readers[:3] {
				d := cbor.Options{MaxItemBytes: n}.NewDecoder(r.wrap(bytes.NewReader(append(data, data...))))
				mem := cbor.Options{MaxItemBytes: n}.NewDecoderBytes(append(data, data...))
				err, memErr := call(d), call(mem)
				if fmt.Sprint(err) != fmt.Sprint(memErr) && what != "ReadValue" {
					t.Errorf("%s, limit %d: %v from a stream, %v from memory", what, n, err, memErr)
				}
				if n == int64(len(data)) {
					if err != nil {
						t.Errorf("%s, limit %d: %v", what, n, err)
					}
					continue
				}
				wantErr(t, fmt.Sprintf("%s, limit %d", what, n), err, cbor.ErrLimit)
				wantErr(t, what+" again", call(d), cbor.ErrLimit)
			}
		}
	}
	d := cbor.Options{MaxItemBytes: 10}.NewDecoder(&repeatReader{head: "\x5b\x00\x00\x01\x00\x00\x00\x00\x00", n: 1 << 40})
	_, err := d.BytesReader()
	wantErr(t, "a claim beyond the limit", err, cbor.ErrLimit)
}

func TestDepthLimit(t *testing.T) {
	for _, head := range []string{"\x81", "\xc6", "\x9f", "\xbf\x01", "\xa1\x01"} {
		many := strings.Repeat(head, 1_000_000)
		for what, call := range map[string]func(*cbor.Decoder) error{
			"Skip": (*cbor.Decoder).Skip,
			"pull": pull,
			"ReadTag": func(d *cbor.Decoder) error {
				for {
					if _, err := d.ReadTag(); err != nil {
						return err
					}
				}
			},
		} {
			if what == "ReadTag" && head != "\xc6" {
				continue
			}
			d := cbor.NewDecoder(strings.NewReader(many))
			err := call(d)
			wantErr(t, what, err, cbor.ErrLimit)
			var e *cbor.DecodeError
			if want := int64(cbor.DefaultMaxDepth * len(head)); !errors.As(err, &e) || e.Offset != want {
				t.Errorf("%s of %x: %v, want offset %d", what, head, err, want)
			}
		}
	}
}

func TestBuffered(t *testing.T) {
	d := cbor.NewDecoder(strings.NewReader("\x01\x82\x02\x03PROTOCOL"))
	d.ReadInt64()
	d.Skip()
	if got := string(d.Buffered()); got != "PROTOCOL" {
		t.Errorf("Buffered() = %q", got)
	}
	d.ResetBytes([]byte("\x01rest"))
	d.Skip()
	if got := string(d.Buffered()); got != "rest" {
		t.Errorf("Buffered() = %q", got)
	}
}

func TestResetAllocs(t *testing.T) {
	data := bytes.Repeat([]byte{0x82, 1, 0x19, 1, 0}, 100)
	r := bytes.NewReader(data)
	d := cbor.NewDecoder(r)
	n := testing.AllocsPerRun(100, func() {
		r.Reset(data)
		d.Reset(r)
		for d.Skip() == nil {
		}
	})
	if n != 0 {
		t.Errorf("Reset and Skip: %v allocations", n)
	}
	var zero cbor.Decoder
	if _, err := zero.ReadInt64(); err != io.EOF {
		t.Errorf("the zero Decoder: %v", err)
	}
	zero.Reset(bytes.NewReader(data))
	if v := must[any](t)(zero.ReadValue()); fmt.Sprint(v) != "[1 256]" {
		t.Errorf("the zero Decoder after Reset: %v", v)
	}
}

func TestStringReaders(t *testing.T) {
	decoders(cbor.Options{}, unhex(t, "7f 63e282ac 60 6161 ff 62e282 45 0102030405 01"), func(name string, d *cbor.Decoder) {
		var text []byte
		for p, err := range d.Chunks() {
			if err != nil && err != errFlaky {
				t.Fatalf("%s: %v", name, err)
			}
			text = append(text, p...)
		}
		if string(text) != "€a" {
			t.Errorf("%s: text %q", name, text)
		}
		var last error
		for _, err := range d.Chunks() {
			if err != errFlaky {
				last = err
			}
		}
		wantErr(t, name+": a character that is cut off", last, cbor.ErrInvalidUTF8)
		var r io.Reader
		again(func() (err error) { r, err = d.BytesReader(); return err })
		var p [2]byte
		if err := again(func() error { _, err := io.ReadFull(r, p[:]); return err }); err != nil && name != "flaky" {
			t.Errorf("%s: %v", name, err)
		}
		var v int64
		if err := again(func() (err error) { v, err = d.ReadInt64(); return err }); v != 1 || err != nil {
			t.Errorf("%s: behind the string %d, %v", name, v, err)
		}
		_, err := r.Read(p[:])
		wantErr(t, name+": a reader that was left", err, cbor.ErrType)
	})
}

func TestNoProgress(t *testing.T) {
	d := cbor.NewDecoder(emptyReader{})
	_, err := d.ReadValue()
	wantErr(t, "a reader without progress", err, io.ErrNoProgress)
}

type emptyReader struct{}

func (emptyReader) Read([]byte) (int, error) { return 0, nil }

func TestMoreKeepsError(t *testing.T) {
	d := cbor.NewDecoder(&flakyReader{r: strings.NewReader("\x9f\x01\xff")})
	again(func() error { _, err := d.ReadArrayHeader(); return err })
	for !d.More() {
		_, err := d.PeekKind()
		wantErr(t, "after More() = false", err, errFlaky)
	}
	d.ResetBytes([]byte{0x9f, 0x1c})
	d.ReadArrayHeader()
	if !d.More() {
		t.Error("More() = false before a malformed item")
	}
	_, err := d.PeekKind()
	wantErr(t, "PeekKind", err, cbor.ErrMalformed)
	if d.More() {
		t.Error("More() = true after a final error")
	}
}
