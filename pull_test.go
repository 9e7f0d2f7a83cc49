package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"testing"

	"github.com/streamcbor/cbor"
)

// reads are the methods that read a head or a whole item of one type.
var reads = map[string]func(d *cbor.Decoder) (any, error){
	"ReadUint64":      func(d *cbor.Decoder) (any, error) { return d.ReadUint64() },
	"ReadInt64":       func(d *cbor.Decoder) (any, error) { return d.ReadInt64() },
	"ReadFloat64":     func(d *cbor.Decoder) (any, error) { return d.ReadFloat64() },
	"ReadBool":        func(d *cbor.Decoder) (any, error) { return d.ReadBool() },
	"ReadNull":        func(d *cbor.Decoder) (any, error) { return nil, d.ReadNull() },
	"ReadSimple":      func(d *cbor.Decoder) (any, error) { return d.ReadSimple() },
	"ReadTag":         func(d *cbor.Decoder) (any, error) { return d.ReadTag() },
	"ReadBytes":       func(d *cbor.Decoder) (any, error) { return d.ReadBytes() },
	"ReadText":        func(d *cbor.Decoder) (any, error) { return d.ReadText() },
	"ReadTextBytes":   func(d *cbor.Decoder) (any, error) { return d.ReadTextBytes() },
	"ReadArrayHeader": func(d *cbor.Decoder) (any, error) { return d.ReadArrayHeader() },
	"ReadMapHeader":   func(d *cbor.Decoder) (any, error) { return d.ReadMapHeader() },
	"Chunks": func(d *cbor.Decoder) (any, error) {
		s := ""
		for p, err := range d.Chunks() {
			if err != nil {
				return nil, err
			}
			s += string(p)
		}
		return s, nil
	},
	"BytesReader": func(d *cbor.Decoder) (any, error) {
		r, err := d.BytesReader()
		if err != nil {
			return nil, err
		}
		b, err := io.ReadAll(r)
		return string(b), err
	},
	"Array": func(d *cbor.Decoder) (any, error) { return countTurns(d.Array()) },
	"Map":   func(d *cbor.Decoder) (any, error) { return countTurns(d.Map()) },
}

func countTurns(seq func(func(int, error) bool)) (any, error) {
	n := 0
	for _, err := range seq {
		if err != nil {
			return nil, err
		}
		n++
	}
	return n, nil
}

// readTests have what each method makes of an item; the methods that are not
// there refuse it.
var readTests = []struct {
	hex  string
	want map[string]any
}{
	{"00", map[string]any{"ReadUint64": uint64(0), "ReadInt64": int64(0), "ReadFloat64": 0.0}},
	{"1b7fffffffffffffff", map[string]any{"ReadUint64": uint64(math.MaxInt64), "ReadInt64": int64(math.MaxInt64)}},
	{"1b8000000000000000", map[string]any{"ReadUint64": uint64(1 << 63), "ReadFloat64": 0x1p63}},
	{"1bffffffffffffffff", map[string]any{"ReadUint64": uint64(math.MaxUint64)}},
	{"1b0020000000000000", map[string]any{"ReadUint64": uint64(1 << 53), "ReadInt64": int64(1 << 53), "ReadFloat64": 0x1p53}},
	{"1b0020000000000001", map[string]any{"ReadUint64": uint64(1<<53 + 1), "ReadInt64": int64(1<<53 + 1)}},
	{"20", map[string]any{"ReadInt64": int64(-1), "ReadFloat64": -1.0}},
	{"3b7fffffffffffffff", map[string]any{"ReadInt64": int64(math.MinInt64), "ReadFloat64": -0x1p63}},
	{"3b8000000000000000", map[string]any{}},
	{"3bffffffffffffffff", map[string]any{"ReadFloat64": -0x1p64}},
	{"3b0020000000000000", map[string]any{"ReadInt64": int64(-1<<53 - 1)}},
	{"3b001fffffffffffff", map[string]any{"ReadInt64": int64(-1 << 53), "ReadFloat64": -0x1p53}},
	{"f93e00", map[string]any{"ReadFloat64": 1.5}},
	{"fa47c35000", map[string]any{"ReadFloat64": 100000.0}},
	{"fb3ff199999999999a", map[string]any{"ReadFloat64": 1.1}},
	{"f98000", map[string]any{"ReadFloat64": math.Copysign(0, -1)}},
	{"f97e01", map[string]any{"ReadFloat64": math.Float64frombits(0x7ff8_0400_0000_0000)}},
	{"f4", map[string]any{"ReadBool": false, "ReadSimple": cbor.Simple(20)}},
	{"f5", map[string]any{"ReadBool": true, "ReadSimple": cbor.Simple(21)}},
	{"f6", map[string]any{"ReadNull": nil, "ReadSimple": cbor.Simple(22)}},
	{"f7", map[string]any{"ReadNull": nil, "ReadSimple": cbor.Undefined}},
	{"e0", map[string]any{"ReadSimple": cbor.Simple(0)}},
	{"f8ff", map[string]any{"ReadSimple": cbor.Simple(255)}},
	{"c100", map[string]any{"ReadTag": uint64(1)}},
	{"dbffffffffffffffff00", map[string]any{"ReadTag": uint64(math.MaxUint64)}},
	{"40", map[string]any{"ReadBytes": []byte{}, "Chunks": "", "BytesReader": ""}},
	{"420102", map[string]any{"ReadBytes": []byte{1, 2}, "Chunks": "\x01\x02", "BytesReader": "\x01\x02"}},
	{"5f41014102ff", map[string]any{"ReadBytes": []byte{1, 2}, "Chunks": "\x01\x02", "BytesReader": "\x01\x02"}},
	{"5fff", map[string]any{"ReadBytes": []byte{}, "Chunks": "", "BytesReader": ""}},
	{"62c3bc", map[string]any{"ReadText": "ü", "ReadTextBytes": []byte("ü"), "Chunks": "ü", "BytesReader": "ü"}},
	{"7f6161606162ff", map[string]any{"ReadText": "ab", "ReadTextBytes": []byte("ab"), "Chunks": "ab", "BytesReader": "ab"}},
	{"60", map[string]any{"ReadText": "", "ReadTextBytes": []byte{}, "Chunks": "", "BytesReader": ""}},
	{"80", map[string]any{"ReadArrayHeader": int64(0), "Array": 0}},
	{"820102", map[string]any{"ReadArrayHeader": int64(2), "Array": 2}},
	{"9f018101ff", map[string]any{"ReadArrayHeader": int64(-1), "Array": 2}},
	{"a0", map[string]any{"ReadMapHeader": int64(0), "Map": 0}},
	{"a10102", map[string]any{"ReadMapHeader": int64(1), "Map": 1}},
	{"bf01020304ff", map[string]any{"ReadMapHeader": int64(-1), "Map": 2}},
}

// TestReads makes each call on each item, at the top level and inside an array.
func TestReads(t *testing.T) {
	for _, tt := range readTests {
		item := unhex(t, tt.hex)
		for _, prefix := range []string{"", "\x82", "\x9f", "\xbf", "\xc6"} {
			data := append([]byte(prefix), item...)
			for name, read := range reads {
				want, accepted := tt.want[name]
				for piece, reader := range pieces {
					d := cbor.NewDecoder(reader(data))
					enter(d, prefix)
					got, err := read(d)
					what := fmt.Sprintf("%s of %s behind %x, %s", name, tt.hex, prefix, piece)
					if accepted {
						if diff := diffValues(want, got, exact); err != nil || diff != "" {
							t.Errorf("%s: %v, %v, want %v", what, got, err, want)
						}
						continue
					}
					wantErr(t, what, err, cbor.ErrType)
					if off := d.InputOffset(); off != int64(len(prefix)) {
						t.Errorf("%s: offset %d, want %d", what, off, len(prefix))
					}
					if raw, err := d.ReadRaw(); err != nil || !bytes.Equal(raw, item) {
						t.Errorf("%s: then ReadRaw() = %x, %v", what, []byte(raw), err)
					}
				}
			}
		}
	}
}

// enter reads the head of an array, map or tag.
func enter(d *cbor.Decoder, head string) {
	switch head {
	case "\x82", "\x9f":
		d.ReadArrayHeader()
	case "\xbf":
		d.ReadMapHeader()
	case "\xc6":
		d.ReadTag()
	}
}

// TestHeads makes each call on initial bytes that begin no item.
func TestHeads(t *testing.T) {
	for _, in := range []string{"1c", "3d", "5e", "7c", "9d", "be", "df", "fc", "1f", "3f", "df", "ff", "fe"} {
		data := unhex(t, in+"00000000")
		for name, read := range reads {
			d := cbor.NewDecoderBytes(data)
			_, err := read(d)
			what := name + " of " + in
			wantErr(t, what, err, cbor.ErrMalformed)
			if _, then := d.PeekKind(); then != err {
				t.Errorf("%s: then %v, want %v", what, then, err)
			}
		}
		d := cbor.NewDecoderBytes(data)
		kind, err := d.PeekKind()
		wantErr(t, "PeekKind of "+in, err, cbor.ErrMalformed)
		if kind != cbor.KindInvalid {
			t.Errorf("PeekKind of %s: %v", in, kind)
		}
	}
	d := cbor.NewDecoderBytes([]byte{0xf8, 20}) // PeekKind looks at the initial byte alone
	if kind, err := d.PeekKind(); kind != cbor.KindSimple || err != nil {
		t.Errorf("PeekKind of f814: %v, %v", kind, err)
	}
	_, err := d.ReadBool()
	wantErr(t, "ReadBool of f814", err, cbor.ErrMalformed)
}

// TestDepthLimits nests as many levels as are allowed, and one more, by each
// way to pass over items.
func TestDepthLimits(t *testing.T) {
	const levels = 9
	o := cbor.Options{MaxDepth: levels}
	for _, head := range []string{"\x81", "\xc6", "\x9f", "\xa1\x00", "\xbf\x00", "\xd9\xd9\xf7"} {
		tail := ""
		if head[0]&31 == 31 {
			tail = "\xff"
		}
		for _, w := range allWays {
			for more := range 2 {
				n := levels + more
				data := []byte(strings.Repeat(head, n) + "\x00" + strings.Repeat(tail, n))
				for inside := range 3 { // levels that are pulled before
					d := o.NewDecoder(&sizedReader{data: data, size: 2})
					for range inside {
						enterAny(d)
					}
					_, err := w.pass(d)
					what := fmt.Sprintf("%s of %d levels of %x, %d open", w.name, n, head, inside)
					if more == 0 {
						if err != nil {
							t.Errorf("%s: %v", what, err)
						}
						continue
					}
					var e *cbor.DecodeError
					if !errors.As(err, &e) || !errors.Is(err, cbor.ErrLimit) || e.Offset != int64(levels*len(head)) {
						t.Errorf("%s: %v, want ErrLimit at %d", what, err, levels*len(head))
					}
				}
			}
		}
	}
}

// enterAny reads the head of an array, a tag, or a map with its first key.
func enterAny(d *cbor.Decoder) {
	switch kind, _ := d.PeekKind(); kind {
	case cbor.KindArray:
		d.ReadArrayHeader()
	case cbor.KindTag:
		d.ReadTag()
	case cbor.KindMap:
		d.ReadMapHeader()
		d.Skip()
	}
}

// TestByteLimits reads each item by each method with as many bytes as it has,
// and with one less.
func TestByteLimits(t *testing.T) {
	for _, tt := range readTests {
		item := unhex(t, tt.hex)
		for name := range tt.want {
			if name == "ReadTag" || name == "ReadArrayHeader" || name == "ReadMapHeader" {
				continue // end before the item
			}
			for short := range 2 {
				n := len(item) - short
				if n == 0 {
					continue
				}
				o := cbor.Options{MaxItemBytes: int64(n)}
				data := append(append([]byte{}, item...), item...)
				for piece, reader := range pieces {
					d := o.NewDecoder(reader(data))
					what := fmt.Sprintf("%s of %s, limit %d, %s", name, tt.hex, n, piece)
					_, err := reads[name](d)
					if short == 0 {
						if _, again := reads[name](d); err != nil || again != nil {
							t.Errorf("%s: %v, %v", what, err, again)
						}
						continue
					}
					if err == nil { // a loop that ends before its break
						_, err = d.PeekKind()
					}
					wantErr(t, what, err, cbor.ErrLimit)
				}
			}
		}
	}
}

// TestDeepSkip passes over as many levels as can be allowed in the stack of a
// small function.
func TestDeepSkip(t *testing.T) {
	const n = 100_000
	o := cbor.Options{MaxDepth: n}
	for _, head := range []string{"\x81", "\xc6", "\x9f", "\xa1\x00", "\xbf\x00"} {
		tail := ""
		if head[0]&31 == 31 {
			tail = "\xff"
		}
		data := strings.Repeat(head, n) + "\x00" + strings.Repeat(tail, n)
		var before, after runtime.MemStats
		for _, w := range []way{ways[2], ways[3], writes[0]} {
			if w.name == "WriteDiagnostic" && head != "\x81" {
				continue
			}
			d := o.NewDecoder(strings.NewReader(data))
			runtime.ReadMemStats(&before)
			_, err := w.pass(d)
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Errorf("%s of %x: %v", w.name, head, err)
			}
			if after.StackInuse > before.StackInuse+1<<20 {
				t.Errorf("%s of %x: %d bytes of stack", w.name, head, after.StackInuse-before.StackInuse)
			}
		}
		d := o.NewDecoder(strings.NewReader(head + data))
		wantErr(t, fmt.Sprintf("one more of %x", head), d.Skip(), cbor.ErrLimit)
	}
}

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
