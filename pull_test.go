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
