package cbor_test

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"github.com/streamcbor/cbor"
)

// TestItemsEnd ranges over items and goes on after each error: the loop ends by
// itself where nothing more can come.
func TestItemsEnd(t *testing.T) {
	const most = 10
	for _, tt := range []struct {
		in   string
		want []error
	}{
		{"01 02", []error{nil, nil}},
		{"01 1c 02", []error{nil, cbor.ErrMalformed}},
		{"01 62", []error{nil, io.ErrUnexpectedEOF}},
		{"61ff 02", []error{cbor.ErrInvalidUTF8, nil}},
		{"8261ff01 02", []error{cbor.ErrInvalidUTF8, nil}},
		{"8261ff1c 02", []error{cbor.ErrInvalidUTF8, cbor.ErrMalformed}},
		{"8261ff62", []error{cbor.ErrInvalidUTF8, io.ErrUnexpectedEOF}},
		{"8261ff 61ff 03", []error{cbor.ErrInvalidUTF8, nil}},
	} {
		decoders(cbor.Options{}, unhex(t, tt.in), func(name string, d *cbor.Decoder) {
			if name == "flaky" {
				return
			}
			var got []error
			for _, err := range cbor.Items[any](d) {
				if got = append(got, err); len(got) == most {
					break
				}
			}
			if len(got) == most {
				t.Errorf("%s, %s: the loop goes on after %v", tt.in, name, got[len(got)-1])
				return
			}
			for i := range max(len(got), len(tt.want)) {
				if i >= len(got) || i >= len(tt.want) || !errors.Is(got[i], tt.want[i]) {
					t.Errorf("%s, %s: errors %v, want %v", tt.in, name, got, tt.want)
					break
				}
			}
		})
	}
}

// TestItemsReaderError checks that an error of the reader ends the loop, also
// while the rest of an item that was at fault is passed over.
func TestItemsReaderError(t *testing.T) {
	data := unhex(t, "82 61ff 01 02 03")
	for at := range len(data) {
		d := cbor.NewDecoder(&stumblingReader{data: data, size: 1 << 10, at: at})
		var last error
		for _, err := range cbor.Items[any](d) {
			if last == errFlaky {
				t.Errorf("the loop goes on after an error of the reader at %d", at)
			}
			last = err
		}
		if last != errFlaky {
			continue
		}
		var good []any
		for v, err := range cbor.Items[any](d) {
			if err == nil {
				good = append(good, v)
			}
		}
		if got := fmt.Sprint(good); !strings.HasSuffix(got, "3]") {
			t.Errorf("an error at %d: another loop has %v", at, got)
		}
	}
}

// TestFinalErrorsEndLoops goes on after each error inside loops.
func TestFinalErrorsEndLoops(t *testing.T) {
	for _, in := range []string{"9f 01 1c", "9f 8161ff 1c", "8301", "9f01 62", "bf 01 02 1c", "b9ffff 01 1c", "9f 9f 1c", "9f bf 01 ff"} {
		data := unhex(t, in)
		for what, body := range map[string]func(d *cbor.Decoder){
			"nothing":   func(d *cbor.Decoder) {},
			"ReadValue": func(d *cbor.Decoder) { d.ReadValue() },
			"Skip":      func(d *cbor.Decoder) { d.Skip() },
			"a loop": func(d *cbor.Decoder) {
				for range d.Array() {
				}
			},
			"a header": func(d *cbor.Decoder) { d.ReadArrayHeader() },
			"Items": func(d *cbor.Decoder) {
				n := 0
				for range cbor.Items[any](d) {
					if n++; n > 10 {
						t.Errorf("%s: Items does not end", in)
						return
					}
				}
			},
		} {
			d := cbor.NewDecoderBytes(data)
			seq := d.Array()
			if data[0]>>5 == 5 {
				seq = d.Map()
			}
			n := 0
			for range seq {
				if body(d); n > 10 {
					t.Errorf("%s, %s: the loop does not end", in, what)
					break
				}
				n++
			}
			_, err := d.PeekKind()
			if !final(err) {
				t.Errorf("%s, %s: then %v", in, what, err)
			}
		}
	}
}

// TestMapLoops reads less and more than a pair in the turns of a loop.
func TestMapLoops(t *testing.T) {
	for _, in := range []string{"a3 01 02 03 8104 05 a10607 09", "bf 01 02 03 9f04ff 05 a10607 ff 09"} {
		for what, body := range map[string]func(d *cbor.Decoder){
			"nothing":   func(d *cbor.Decoder) {},
			"the key":   func(d *cbor.Decoder) { d.Skip() },
			"the pair":  func(d *cbor.Decoder) { d.Skip(); d.Skip() },
			"a header":  func(d *cbor.Decoder) { d.Skip(); d.ReadArrayHeader() },
			"a loop":    func(d *cbor.Decoder) { d.ReadInt64(); countTurns(d.Map()) },
			"wrong":     func(d *cbor.Decoder) { d.ReadText(); d.ReadText() },
			"ReadEnd":   func(d *cbor.Decoder) { d.ReadEnd(); d.Skip(); d.ReadEnd() },
			"More":      func(d *cbor.Decoder) { d.More(); d.PeekKind(); d.Skip(); d.More() },
			"no string": func(d *cbor.Decoder) { d.BytesReader(); d.Skip(); d.BytesReader() },
		} {
			decoders(cbor.Options{}, unhex(t, in), func(name string, d *cbor.Decoder) {
				if name == "flaky" {
					return
				}
				turns := 0
				for i, err := range d.Map() {
					if err != nil || i != turns {
						t.Fatalf("%s, %s: turn %d: %d, %v", what, name, turns, i, err)
					}
					turns++
					body(d)
				}
				if v, err := d.ReadInt64(); turns != 3 || v != 9 || err != nil {
					t.Errorf("%s, %s: %d turns, then %d, %v", what, name, turns, v, err)
				}
			})
		}
	}
	d := cbor.NewDecoderBytes(unhex(t, "a3 01 02 03 04 05 06 07"))
	var errs []error
	for _, err := range d.Map() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		for range 3 {
			d.Skip()
		}
	}
	if len(errs) != 1 || !errors.Is(errs[0], cbor.ErrType) {
		t.Errorf("three items in a turn: errors %v, want one ErrType", errs)
	}
	if v, err := d.ReadInt64(); v != 7 || err != nil {
		t.Errorf("behind the loop %d, %v", v, err)
	}
}

// TestLoopsGiveUp leaves the turn that met an error of the reader: the element
// is given up, and all others come.
func TestLoopsGiveUp(t *testing.T) {
	data := unhex(t, "9f 190101 190102 190103 ff 04")
	for at := 1; at < len(data)-1; at++ {
		d := cbor.NewDecoder(&stumblingReader{data: data, size: 1 << 10, at: at})
		var got []int64
		failed := 0
		for _, err := range d.Array() {
			if err == errFlaky {
				failed++
				continue
			}
			v, err := d.ReadInt64()
			if err == errFlaky {
				failed++
				continue
			}
			got = append(got, v)
		}
		// Where the error comes before the break, there is no element to give up.
		want := 2
		if at == len(data)-2 {
			want = 3
		}
		if v, err := d.ReadInt64(); failed != 1 || len(got) != want || v != 4 || err != nil {
			t.Errorf("an error at %d: %d errors, %v, then %d, %v", at, failed, got, v, err)
		}
	}
}

// TestContentErrorsInLoops goes on behind elements that are at fault.
func TestContentErrorsInLoops(t *testing.T) {
	for _, in := range []string{"84 01 61ff 8261ff03 04 05", "9f 01 61ff a2000100 01 04 ff 05"} {
		decoders(cbor.Options{}, unhex(t, in), func(name string, d *cbor.Decoder) {
			if name == "flaky" {
				return
			}
			var good []any
			bad := 0
			for _, err := range d.Array() {
				if err != nil {
					t.Fatalf("%s, %s: %v", in, name, err)
				}
				v, err := d.ReadValue()
				if err != nil {
					bad++
					continue
				}
				good = append(good, v)
			}
			if v, err := d.ReadInt64(); fmt.Sprint(good) != "[1 4]" || bad != 2 || v != 5 || err != nil {
				t.Errorf("%s, %s: %v, %d errors, then %d, %v", in, name, good, bad, v, err)
			}
		})
	}
}

// TestInterleavedLoops leaves an outer loop before an inner one, which iter.Pull
// makes possible.
func TestInterleavedLoops(t *testing.T) {
	defer func() {
		if r := recover(); r != nil {
			t.Errorf("panic: %v", r)
		}
	}()
	d := cbor.NewDecoderBytes(unhex(t, "82 82 01 02 03 04"))
	next1, stop1 := iter.Pull2(d.Array())
	next1()
	next2, stop2 := iter.Pull2(d.Array())
	next2()
	stop1()
	if !d.More() {
		t.Error("More() = false behind the outer array")
	}
	next2()
	stop2()
	if v, err := d.ReadInt64(); v != 4 || err != nil || d.Depth() != 0 {
		t.Errorf("behind the outer array %d, %v, depth %d", v, err, d.Depth())
	}
}
