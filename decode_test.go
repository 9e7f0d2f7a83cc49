package cbor_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

// invalidNotes has the validity faults among the vectors by their notes.
var invalidNotes = map[string]error{
	"dup-key": cbor.ErrDuplicateKey, "invalid-utf8": cbor.ErrInvalidUTF8,
	"tag0-not-text": cbor.ErrInvalidTag, "tag1-not-number": cbor.ErrInvalidTag,
}

// invalidity returns the category of the validity fault in v, or nil.
func invalidity(v *vector) error {
	for _, note := range v.Notes {
		if err := invalidNotes[note]; err != nil {
			return err
		}
	}
	return nil
}

func TestVectors(t *testing.T) {
	for file, vectors := range readVectors(t) {
		t.Run(file, func(t *testing.T) {
			for _, v := range vectors {
				checkVector(t, &v)
			}
		})
	}
}

func checkVector(t *testing.T, v *vector) {
	t.Helper()
	o := cbor.Options{MaxDepth: 2000} // the vectors have 1024 levels at most
	switch v.Expect {
	case "ok":
		checkWellformed(t, o, v.data)
		want := invalidity(v)
		for _, r := range valuePaths(o, v.data) {
			if want == nil && r.err != nil || want != nil && !errors.Is(r.err, want) {
				t.Errorf("%s: %.80s, %s: %.200v, want %v", v.Name, v.Hex, r.path, r.err, want)
			}
		}
	case "malformed":
		checkMalformedVector(t, o, v)
	case "sequence":
		n := 0
		o.RawTags = true // one has a date alone in tag 0
		for _, err := range o.DecodeSequence(v.data) {
			if n++; err != nil {
				t.Errorf("%s: %s: item %d: %v", v.Name, v.Hex, n, err)
			}
		}
		if n < 2 || v.Items != 0 && n != v.Items {
			t.Errorf("%s: %s: %d items, want %d", v.Name, v.Hex, n, v.Items)
		}
		if err := cbor.Wellformed(v.data); !errors.Is(err, cbor.ErrTrailingData) {
			t.Errorf("%s: %s: Wellformed: %v, want ErrTrailingData", v.Name, v.Hex, err)
		}
	default:
		t.Errorf("%s: expect is %q", v.Name, v.Expect)
	}
}

// checkMalformedVector checks that the fault is found by reading the items of
// v as a sequence, at the offset of the vector unless something is cut off.
func checkMalformedVector(t *testing.T, o cbor.Options, v *vector) {
	t.Helper()
	want := cbor.ErrMalformed
	if strings.HasPrefix(v.Kind, "truncated") {
		want = io.ErrUnexpectedEOF
	}
	var last error
	o.RawTags = true // the content of tags may be at fault before
	for _, err := range o.DecodeSequence(v.data) {
		last = err
	}
	e, ok := last.(*cbor.DecodeError)
	if !ok || !errors.Is(last, want) || want == cbor.ErrMalformed && e.Offset != v.Off {
		t.Errorf("%s: %.80s: %.200v, want %v at %d", v.Name, v.Hex, last, want, v.Off)
	}
	for _, r := range walkPaths(o, v.data) {
		if r.err == nil {
			t.Errorf("%s: %.80s: %s accepts it", v.Name, v.Hex, r.path)
		}
	}
}

// edgeValues has the values of edge.tsv that its third column describes in
// other ways than in plain diagnostic notation.
var edgeValues = map[string]any{
	"3b8000000000000000": bigInt("-9223372036854775809"),
	"c2420001":           bigInt("1"),
	"5fff":               []byte{},
	"7f60ff":             "",
	"7f62c3a9ff":         "\u00e9",
	"63efbbbf":           "\ufeff",
	"825f4101ff02":       []any{[]byte{1}, int64(2)},
	"827f6161ff02":       []any{"a", int64(2)},
	"f903ff":             6.097555160522461e-5,
	"f97c01":             math.Float64frombits(0x7ff0040000000000),
	"f9fe00":             math.Float64frombits(0xfff8000000000000),
	"fa7fc02000":         math.Float64frombits(0x7ff8040000000000),
	"c120":               time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC),
	"c0781e323031332d30332d32315432303a30343a30302e3132333435363738395a": time.Date(2013, 3, 21, 20, 4, 0, 123456789, time.UTC),
	"c074323031362d31322d33315432333a35393a36305a":                       time.Date(2017, 1, 1, 0, 0, 0, 0, time.UTC),
	"a2f600f700":                     map[any]any{nil: int64(0), cbor.Undefined: int64(0)},
	"a2410100616101":                 map[any]any{cbor.ByteString("\x01"): int64(0), "a": int64(1)},
	"d90100836361616163626262d81900": cbor.Tag{Number: 256, Content: []any{"aaa", "bbb", cbor.Tag{Number: 25, Content: int64(0)}}},
	"82d81c82d81c8001d81d00": []any{
		cbor.Tag{Number: 28, Content: []any{cbor.Tag{Number: 28, Content: []any{}}, int64(1)}},
		cbor.Tag{Number: 29, Content: int64(0)}},
	"d84143000102": cbor.Tag{Number: 65, Content: []byte{0, 1, 2}},
	"d81843820102": cbor.Tag{Number: 24, Content: []byte{0x82, 1, 2}},
	"1817":         int64(23),
	"580141":       []byte{0x41},
	"a22000186400": map[any]any{int64(-1): int64(0), int64(100): int64(0)},
}

// edgeFaults has what the rows of edge.tsv that are INVALID break. All are at
// the start, but for duplicate keys.
var edgeFaults = map[string]fault{
	"61db":                   {cbor.ErrInvalidUTF8, 0, ""},
	"66ef7d7d0a2dda":         {cbor.ErrInvalidUTF8, 0, ""},
	"62c080":                 {cbor.ErrInvalidUTF8, 0, ""},
	"64f4908080":             {cbor.ErrInvalidUTF8, 0, ""},
	"a2616101616102":         {cbor.ErrDuplicateKey, 4, "/a"},
	"a20100180100":           {cbor.ErrDuplicateKey, 3, "/1"},
	"a2f97e0001fa7fc0000002": {cbor.ErrDuplicateKey, 5, "/NaN"},
}

func TestEdges(t *testing.T) {
	for _, e := range readEdges(t) {
		switch e.class {
		case "OK":
			checkEdgeValue(t, e)
		case "INVALID":
			want, ok := edgeFaults[e.hex]
			if !ok {
				want = fault{category: cbor.ErrInvalidTag}
			}
			checkFaultEverywhere(t, cbor.Options{}, e.data, want)
		case "MALFORMED", "SHORT", "EXTRA":
			category := map[string]error{"MALFORMED": cbor.ErrMalformed, "SHORT": io.ErrUnexpectedEOF, "EXTRA": cbor.ErrTrailingData}[e.class]
			for _, r := range append(valuePaths(cbor.Options{}, e.data), walkPaths(cbor.Options{}, e.data)...) {
				limit := strings.HasPrefix(r.path, "pull") && claimsTooMany(e.data) && errors.Is(r.err, cbor.ErrLimit)
				if !errors.Is(r.err, category) && !limit || r.value != nil {
					t.Errorf("%s, %s: %v, %v, want %v", e.hex, r.path, r.value, r.err, category)
				}
			}
			if n := allocated(func() { cbor.Decode(e.data) }); n > 64<<10 {
				t.Errorf("%s: %d bytes allocated", e.hex, n)
			}
		default:
			t.Errorf("edge.tsv: class %q", e.class)
		}
	}
}

// plainNotation matches what Diagnose writes; a remark may follow it.
var plainNotation = regexp.MustCompile(`^(-?[0-9]+|-?[0-9]+\.[0-9]+(e[-+]?[0-9]+)?|NaN|[a-z]+\(\d+\)|[0-9]+\(0\)|[\[{].*[\]}])(,? |$|: )`)

func checkEdgeValue(t *testing.T, e edge) {
	t.Helper()
	if want, ok := edgeValues[e.hex]; ok {
		checkValue(t, cbor.Options{}, e.data, want)
		return
	}
	m := plainNotation.FindStringSubmatch(e.expected)
	if m == nil {
		t.Errorf("edge.tsv: no expected value for %s: %s", e.hex, e.expected)
		return
	}
	checkDiagnose(t, e.data, m[1])
	for _, r := range valuePaths(cbor.Options{}, e.data) {
		if r.err != nil {
			t.Errorf("%s, %s: %v", e.hex, r.path, r.err)
		}
	}
	checkWellformed(t, cbor.Options{}, e.data)
}

// TestIntegers checks the ends of each width and Go type.
func TestIntegers(t *testing.T) {
	tests := []struct {
		hex  string
		want any
	}{
		{"1800", int64(0)},
		{"18ff", int64(255)},
		{"190100", int64(256)},
		{"19ffff", int64(65535)},
		{"1a00010000", int64(65536)},
		{"1affffffff", int64(math.MaxUint32)},
		{"1b0000000100000000", int64(1 << 32)},
		{"1b7fffffffffffffff", int64(math.MaxInt64)},
		{"1b8000000000000000", uint64(1 << 63)},
		{"37", int64(-24)},
		{"3800", int64(-1)},
		{"38ff", int64(-256)},
		{"39ffff", int64(-65536)},
		{"3affffffff", int64(-1 << 32)},
		{"3b7fffffffffffffff", int64(math.MinInt64)},
		{"3b8000000000000000", bigInt("-9223372036854775809")},
	}
	for _, test := range tests {
		checkValue(t, cbor.Options{}, unhex(t, test.hex), test.want)
	}
}

// TestFloats checks each half-precision number against RFC 8949, appendix D.
func TestFloats(t *testing.T) {
	for h := range 1 << 16 {
		exp, mant := h>>10&0x1f, float64(h&0x3ff)
		var want float64
		switch exp {
		case 0:
			want = math.Ldexp(mant, -24)
		case 31:
			if want = math.Inf(1); mant != 0 { // the payload is widened
				want = math.Float64frombits(0x7ff<<52 | uint64(mant)<<42)
			}
		default:
			want = math.Ldexp(mant+1024, exp-25)
		}
		if h>>15 == 1 {
			want = math.Float64frombits(math.Float64bits(want) | 1<<63)
		}
		v, err := cbor.Decode([]byte{0xf9, byte(h >> 8), byte(h)})
		if f, ok := v.(float64); !ok || math.Float64bits(f) != math.Float64bits(want) || err != nil {
			t.Errorf("f9%04x: %v, %v, want %v", h, v, err, want)
		}
	}
	checkValue(t, cbor.Options{}, unhex(t, "fa00000001"), 0x1p-149)
	checkValue(t, cbor.Options{}, unhex(t, "fa7f800001"), math.Float64frombits(0x7ff0000020000000))
	checkValue(t, cbor.Options{}, unhex(t, "fb7ff0000000000001"), math.Float64frombits(0x7ff0000000000001))
	checkValue(t, cbor.Options{}, unhex(t, "83fa7f800001f97e01fbffffffffffffffff"), []any{
		math.Float64frombits(0x7ff0000020000000), math.Float64frombits(0x7ff8040000000000), math.Float64frombits(math.MaxUint64)})
}

// TestSimple checks all simple values.
func TestSimple(t *testing.T) {
	for n := range 256 {
		data := []byte{0xe0 | byte(n)}
		if n >= 24 {
			data = []byte{0xf8, byte(n)}
		}
		v, err := cbor.Decode(data)
		switch {
		case n >= 24 && n < 32:
			if !errors.Is(err, cbor.ErrMalformed) || v != nil {
				t.Errorf("%x: %v, %v, want ErrMalformed", data, v, err)
			}
		case n == 20 || n == 21:
			if v != (n == 21) || err != nil {
				t.Errorf("%x: %v, %v", data, v, err)
			}
		case n == 22:
			if v != nil || err != nil {
				t.Errorf("%x: %v, %v", data, v, err)
			}
		default:
			if v != cbor.Simple(n) || err != nil {
				t.Errorf("%x: %v, %v", data, v, err)
			}
		}
	}
}

// TestStrings decodes strings of every length up to 300, and some longer, with
// a character that is not ASCII at each place.
func TestStrings(t *testing.T) {
	for n := range 300 {
		for _, text := range []string{strings.Repeat("x", n), strings.Repeat("x", n/2) + "é" + strings.Repeat("y", n-n/2), strings.Repeat("水", n)} {
			head := lengthHead(len(text))
			data := append([]byte{0x60 | head[0]}, head[1:]...)
			data = append(data, text...)
			if v, err := cbor.Decode(data); v != text || err != nil {
				t.Fatalf("text of %d bytes: %v, %v", len(text), v, err)
			}
			data[0] ^= 0x20
			if v, err := cbor.Decode(data); !cmp.Equal(v, any([]byte(text))) || err != nil {
				t.Fatalf("bytes of length %d: %v, %v", len(text), v, err)
			}
		}
	}
}

// lengthHead returns the head of an unsigned integer below 65536.
func lengthHead(n int) []byte {
	switch {
	case n < 24:
		return []byte{byte(n)}
	case n < 256:
		return []byte{24, byte(n)}
	}
	return []byte{25, byte(n >> 8), byte(n)}
}

func TestDecodeFirst(t *testing.T) {
	data := unhex(t, "8201026161ff")
	v, rest, err := cbor.DecodeFirst(data)
	if diff := cmp.Diff([]any{int64(1), int64(2)}, v); diff != "" || err != nil || !bytes.Equal(rest, data[3:]) {
		t.Errorf("DecodeFirst = %v, %x, %v", v, rest, err)
	}
	if v, rest, err = cbor.DecodeFirst(rest); v != "a" || err != nil || len(rest) != 1 {
		t.Errorf("DecodeFirst of the rest = %v, %x, %v", v, rest, err)
	}
	if v, rest, err = cbor.DecodeFirst(rest); v != nil || rest != nil || !errors.Is(err, cbor.ErrMalformed) {
		t.Errorf("DecodeFirst of a break = %v, %x, %v", v, rest, err)
	}
	if v, rest, err = cbor.DecodeFirst(nil); v != nil || rest != nil || err != io.EOF {
		t.Errorf("DecodeFirst of nothing = %v, %x, %v", v, rest, err)
	}
	if v, rest, err = cbor.DecodeFirst([]byte{0xf6}); v != nil || len(rest) != 0 || err != nil {
		t.Errorf("DecodeFirst of null = %v, %x, %v", v, rest, err)
	}
	if v, rest, err = cbor.DecodeFirst([]byte{0x81, 0x18}); v != nil || rest != nil || !isEOF(err) {
		t.Errorf("DecodeFirst of a cut-off item = %v, %x, %v", v, rest, err)
	}
}

func TestDecodeSequence(t *testing.T) {
	var calls []any // of the TagFunc, which shows what was decoded
	o := cbor.Options{Tags: map[uint64]cbor.TagFunc{100: func(c any) (any, error) {
		calls = append(calls, c)
		return c, nil
	}}}
	data := unhex(t, "d86401 d86402 8100 d864811c d86403")
	want := []any{int64(1), int64(2), []any{int64(0)}}

	for n := range len(want) {
		calls = nil
		var got []any
		for v, err := range o.DecodeSequence(data) {
			if err != nil {
				t.Fatal(err)
			}
			if got = append(got, v); len(got) == n+1 {
				break
			}
		}
		if diff := cmp.Diff(want[:n+1], got); diff != "" || len(calls) != min(n+1, 2) {
			t.Errorf("first %d items (-want +got):\n%s, %d decoded", n+1, diff, len(calls))
		}
	}

	var got []any
	var errs []error
	for range 2 { // an iterator can be used again
		got, errs, calls = nil, nil, nil
		for v, err := range o.DecodeSequence(data) {
			if err != nil {
				if v != nil {
					t.Errorf("value %v with an error", v)
				}
				errs = append(errs, err)
				continue
			}
			got = append(got, v)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || len(calls) != 2 {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if len(errs) != 1 {
		t.Fatalf("errors %v, want one", errs)
	}
	checkFault(t, data, result{path: "DecodeSequence", err: errs[0]}, fault{cbor.ErrMalformed, 11, "/0"})

	for range cbor.DecodeSequence(nil) {
		t.Error("an empty sequence has an item")
	}
	last := error(nil)
	for _, err := range cbor.DecodeSequence(unhex(t, "00 01 8201")) {
		last = err
	}
	checkFault(t, nil, result{path: "DecodeSequence", err: last}, fault{io.ErrUnexpectedEOF, 4, "/1"})
}

// TestSequenceLimits checks that limits count from the start of each item.
func TestSequenceLimits(t *testing.T) {
	data := unhex(t, "8200 01 8200 01 818100")
	for _, o := range []cbor.Options{{MaxDepth: 1}, {MaxItemBytes: 3}} {
		n := 0
		for _, err := range o.DecodeSequence(data) {
			n++
			switch {
			case o.MaxDepth == 1 && n == 3:
				checkFault(t, data, result{err: err}, fault{cbor.ErrLimit, 7, "/0"})
			case err != nil:
				t.Errorf("item %d: %v", n, err)
			}
		}
		if n != 3 {
			t.Errorf("%d items, want 3", n)
		}
	}
}

func TestMapGet(t *testing.T) {
	v, err := cbor.Options{Maps: cbor.MapOrdered}.Decode(unhex(t, "ac 01 00 20 01 1bffffffffffffffff 02 6161 03 4161 04 f5 05 f6 06 f7 07 e0 08 fb3ff0000000000000 09 8101 0a c102 0b"))
	if err != nil {
		t.Fatal(err)
	}
	m := v.(cbor.Map)
	found := []struct {
		key  any
		want int64
	}{
		{int(1), 0}, {int8(1), 0}, {int16(1), 0}, {int32(1), 0}, {int64(1), 0}, {uint(1), 0}, {uint8(1), 0}, {uint16(1), 0},
		{uint32(1), 0}, {uint64(1), 0}, {uintptr(1), 0}, {int(-1), 1}, {int8(-1), 1}, {int64(-1), 1},
		{uint64(math.MaxUint64), 2}, {"a", 3}, {[]byte("a"), 4}, {cbor.ByteString("a"), 4},
		{true, 5}, {nil, 6}, {cbor.Undefined, 7}, {cbor.Simple(0), 8}, {1.0, 9},
	}
	for _, test := range found {
		if got, ok := m.Get(test.key); got != test.want || !ok {
			t.Errorf("Get(%T %v) = %v, %v, want %d", test.key, test.key, got, ok, test.want)
		}
	}
	for _, key := range []any{int64(2), uint64(1 << 63), "b", "", []byte("b"), false, cbor.Simple(1), 2.0, math.NaN(),
		[]any{int64(1)}, map[string]any{}, cbor.Tag{}, big.NewInt(1), struct{}{}, &m} {
		if got, ok := m.Get(key); ok || got != nil {
			t.Errorf("Get(%T %v) = %v, want none", key, key, got)
		}
	}
	if _, ok := (cbor.Map)(nil).Get("a"); ok {
		t.Error("a nil Map has a key")
	}
}

func TestRawMessage(t *testing.T) {
	kinds := map[byte]cbor.Kind{0x00: cbor.KindUint, 0x1b: cbor.KindUint, 0x20: cbor.KindNegInt, 0x40: cbor.KindBytes, 0x5f: cbor.KindBytes,
		0x60: cbor.KindText, 0x7f: cbor.KindText, 0x80: cbor.KindArray, 0x9f: cbor.KindArray, 0xa0: cbor.KindMap, 0xbf: cbor.KindMap,
		0xc0: cbor.KindTag, 0xdb: cbor.KindTag, 0xe0: cbor.KindSimple, 0xf3: cbor.KindSimple, 0xf4: cbor.KindBool, 0xf5: cbor.KindBool,
		0xf6: cbor.KindNull, 0xf7: cbor.KindUndefined, 0xf8: cbor.KindSimple, 0xf9: cbor.KindFloat, 0xfa: cbor.KindFloat, 0xfb: cbor.KindFloat,
		0x1c: cbor.KindInvalid, 0x1f: cbor.KindInvalid, 0x3f: cbor.KindInvalid, 0x5e: cbor.KindInvalid, 0xdf: cbor.KindInvalid, 0xfe: cbor.KindInvalid}
	for ib, want := range kinds {
		if got := (cbor.RawMessage{ib}).Kind(); got != want {
			t.Errorf("%02x: %v, want %v", ib, got, want)
		}
	}
	if got := cbor.RawMessage(nil).Kind(); got != cbor.KindInvalid {
		t.Errorf("empty: %v", got)
	}

	names := map[string]bool{}
	for k := cbor.KindInvalid; k <= cbor.KindEnd; k++ {
		names[k.String()] = true
	}
	if len(names) != 14 || names[""] || cbor.KindInvalid != 0 || cbor.KindEnd != 13 {
		t.Errorf("names of kinds: %v", names)
	}

	data := []byte{0x81, 0x01}
	var m cbor.RawMessage
	if err := m.UnmarshalCBOR(data); err != nil || !bytes.Equal(m, data) {
		t.Errorf("UnmarshalCBOR: %x, %v", m, err)
	}
	data[1] = 2
	if m[1] != 1 {
		t.Error("UnmarshalCBOR does not copy")
	}
	if b, err := m.MarshalCBOR(); err != nil || !bytes.Equal(b, m) {
		t.Errorf("MarshalCBOR: %x, %v", b, err)
	}
	if b, err := cbor.RawMessage(nil).MarshalCBOR(); err != nil || !bytes.Equal(b, []byte{0xf6}) {
		t.Errorf("MarshalCBOR of nil: %x, %v", b, err)
	}
}
