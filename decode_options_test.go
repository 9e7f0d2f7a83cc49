package cbor_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

// TestMaxDepth checks each kind of nesting at the limit and one level beyond.
func TestMaxDepth(t *testing.T) {
	tests := []struct {
		name            string
		open, item, end string
		path            string // of one level
	}{
		{name: "array", open: "81", item: "00", path: "/0"},
		{name: "indefinite array", open: "9f", item: "00", end: "ff", path: "/0"},
		{name: "map", open: "a100", item: "00", path: "/0"},
		{name: "indefinite map", open: "bf6161", item: "00", end: "ff", path: "/a"},
		{name: "tag", open: "d864", item: "00"},
		{name: "self-described", open: "d9d9f7", item: "00"},
		{name: "map in a tag 259", open: "d90103a100", item: "00", path: "/0"},
		{name: "key", open: "a1", item: "00", end: "00"},
	}
	for _, test := range tests {
		for _, limit := range []int{1, 2, 3, 255, 256, 1000} {
			o := cbor.Options{MaxDepth: limit}
			if limit == cbor.DefaultMaxDepth {
				o.MaxDepth = 0
			}
			per := 1
			if strings.HasPrefix(test.open, "d90103") {
				if per = 2; limit%2 != 0 {
					continue
				}
			}
			n := limit / per
			fits := unhex(t, strings.Repeat(test.open, n)+test.item+strings.Repeat(test.end, n))
			if _, err := o.Decode(fits); err != nil {
				t.Errorf("%s: %d levels: %v", test.name, limit, err)
			}
			checkWellformed(t, o, fits)
			deep := unhex(t, strings.Repeat(test.open, n+1)+test.item+strings.Repeat(test.end, n+1))
			want := fault{cbor.ErrLimit, n * len(test.open) / 2, strings.Repeat(test.path, n)}
			checkFaultEverywhere(t, o, deep, want)
		}
	}
	// Neither chunks nor siblings are levels.
	o := cbor.Options{MaxDepth: 1}
	checkValue(t, o, unhex(t, "825f4101ff7f6161ff"), []any{[]byte{1}, "a"})
	o.MaxDepth = 2
	checkValue(t, o, unhex(t, "838080a0"), []any{[]any{}, []any{}, map[string]any{}})
}

// TestMaxItemBytes checks each kind of head at the limit and one byte below.
func TestMaxItemBytes(t *testing.T) {
	tests := []struct {
		hex  string
		off  int // of the head that crosses the limit of one byte less
		path string
	}{
		{"1818", 0, ""},
		{"1b0102030405060708", 0, ""},
		{"fb0000000000000000", 0, ""},
		{"4401020304", 0, ""},
		{"6161", 0, ""},
		{"83010203", 3, "/2"},
		{"8201430a0b0c", 2, "/1"},
		{"a10102", 2, "/1"},
		{"9f01ff", 2, "/1"},
		{"bf0101ff", 3, ""},
		{"5f41014102ff", 5, ""},
		{"5f41014102" + "420304ff", 8, ""},
		{"d86400", 2, ""},
		{"8180", 1, "/0"},
	}
	for _, test := range tests {
		data := unhex(t, test.hex)
		n := int64(len(data))
		for _, limit := range []int64{n, n + 1, 1 << 62, 1<<63 - 1} {
			o := cbor.Options{MaxItemBytes: limit}
			if _, err := o.Decode(data); err != nil {
				t.Errorf("%x within %d bytes: %v", data, limit, err)
			}
			checkWellformed(t, o, data)
		}
		checkFaultEverywhere(t, cbor.Options{MaxItemBytes: n - 1}, data, fault{cbor.ErrLimit, test.off, test.path})
	}

	// A string that claims more than is left is at fault before it is cut off.
	for _, s := range []string{"5bffffffffffffffff", "5a00000010", "82007a7fffffff", "7b7fffffffffffffff00", "5f5a7fffffff"} {
		data := unhex(t, s)
		off := bytes.IndexAny(data, "\x5a\x5b\x7a\x7b")
		path := ""
		if data[0] == 0x82 {
			path = "/1"
		}
		checkFaultEverywhere(t, cbor.Options{MaxItemBytes: 16}, data, fault{cbor.ErrLimit, off, path})
	}
	// What ends before the limit is cut off; what is wrong before it is malformed.
	o := cbor.Options{MaxItemBytes: 8}
	checkFaultEverywhere(t, o, unhex(t, "8301"), fault{io.ErrUnexpectedEOF, 2, "/1"})
	checkFaultEverywhere(t, o, unhex(t, "88010101ff010101010101"), fault{cbor.ErrMalformed, 4, "/3"})
	// Bytes behind the item do not count.
	checkFaultEverywhere(t, cbor.Options{MaxItemBytes: 1}, unhex(t, "0000"), fault{cbor.ErrTrailingData, 1, ""})
}

func TestNegativeLimits(t *testing.T) {
	for _, o := range []cbor.Options{{MaxDepth: -1}, {MaxItemBytes: -1}, {MaxDepth: -1 << 31}} {
		data := []byte{0x00}
		for _, r := range append(valuePaths(o, data), walkPaths(o, data)...) {
			checkFault(t, data, r, fault{category: cbor.ErrLimit})
		}
	}
}

// TestAliasing changes the input and looks at the values.
func TestAliasing(t *testing.T) {
	const input = "85 43616263 5f41614162ff 63616263 a14161 6178 7f6161ff"
	decode := func(o cbor.Options) (chunked, definite []byte, text string, key any, data []byte) {
		data = unhex(t, input)
		v, err := o.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		a := v.([]any)
		definite, chunked, text = a[0].([]byte), a[1].([]byte), a[2].(string)
		for key = range a[3].(map[any]any) {
		}
		for i := range data {
			data[i] ^= 1
		}
		return chunked, definite, text, key, data
	}
	tests := []struct {
		o           cbor.Options
		bytes, text bool // alias
	}{
		{cbor.Options{}, true, false},
		{cbor.Options{CopyBytes: true}, false, false},
		{cbor.Options{AliasText: true}, true, true},
		{cbor.Options{AliasText: true, CopyBytes: true}, false, true},
	}
	changed := map[bool]string{true: "`cb", false: "abc"}
	for _, test := range tests {
		chunked, definite, text, key, data := decode(test.o)
		if string(definite) != changed[test.bytes] || text != changed[test.text] || string(chunked) != "ab" {
			t.Errorf("%+v: %q, %q, %q after the input changed", test.o, definite, text, chunked)
		}
		if want := map[bool]cbor.ByteString{true: "`", false: "a"}[test.text]; key != want {
			t.Errorf("%+v: key %q after the input changed, want %q", test.o, key, want)
		}
		if test.bytes && cap(definite) != len(definite) {
			t.Errorf("%+v: capacity %d", test.o, cap(definite))
		}
		if _ = append(definite, 0xee); bytes.Contains(data, []byte{0xee}) {
			t.Errorf("%+v: append writes into the input", test.o)
		}
	}
}

// TestEmptyStrings checks that nothing empty is nil, and that it has no room to
// grow into the input.
func TestEmptyStrings(t *testing.T) {
	for _, o := range []cbor.Options{{}, {CopyBytes: true}, {AliasText: true}} {
		for _, s := range []string{"8240f6", "825ffff6", "825f40fff6"} {
			data := unhex(t, s)
			v, err := o.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			b, ok := v.([]any)[0].([]byte)
			if !ok || b == nil || len(b) != 0 {
				t.Errorf("%s: %#v, want an empty slice", s, v)
			}
			if _ = append(b, 0); !bytes.Equal(data, unhex(t, s)) {
				t.Errorf("%s: append writes into the input", s)
			}
		}
	}
	for _, m := range []cbor.MapMode{cbor.MapText, cbor.MapAny, cbor.MapOrdered} {
		want := map[cbor.MapMode]any{cbor.MapText: map[string]any{}, cbor.MapAny: map[any]any{}, cbor.MapOrdered: cbor.Map{}}[m]
		checkValue(t, cbor.Options{Maps: m}, []byte{0xa0}, want)
		checkValue(t, cbor.Options{Maps: m}, []byte{0xbf, 0xff}, want)
	}
}

// illFormed has strings that are not UTF-8, with U+FFFD for each maximal
// ill-formed subpart (The Unicode Standard, section 3.9 and table 3-8).
var illFormed = []struct{ hex, want string }{
	{"80", "\ufffd"},
	{"ff", "\ufffd"},
	{"c0af", "\ufffd\ufffd"},
	{"c2", "\ufffd"},
	{"c241", "\ufffdA"},
	{"c3c3a9", "\ufffdé"},
	{"e080af", "\ufffd\ufffd\ufffd"},
	{"e0a0", "\ufffd"},
	{"e1", "\ufffd"},
	{"e180e2f09192f1bf41", "\ufffd\ufffd\ufffd\ufffdA"},
	{"eda080", "\ufffd\ufffd\ufffd"},
	{"ed9f", "\ufffd"},
	{"edbfbf", "\ufffd\ufffd\ufffd"},
	{"ef7d7d", "\ufffd}}"},
	{"f08080", "\ufffd\ufffd\ufffd"},
	{"f0908f", "\ufffd"},
	{"f0908f41", "\ufffdA"},
	{"f09080", "\ufffd"},
	{"f18080", "\ufffd"},
	{"f48fbf", "\ufffd"},
	{"f4908080", "\ufffd\ufffd\ufffd\ufffd"},
	{"f5808080", "\ufffd\ufffd\ufffd\ufffd"},
	{"f8888080", "\ufffd\ufffd\ufffd\ufffd"},
	{"61ff62c080", "a\ufffdb\ufffd\ufffd"},
	{"c0afe080bff0818241", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA"}, // table 3-8
	{"eda080edbfbfedaf41", "\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffdA"}, // table 3-9
	{"f4919293ff4180bf42", "\ufffd\ufffd\ufffd\ufffd\ufffdA\ufffd\ufffdB"},      // table 3-10
	{"e180e2f09192f1bf41", "\ufffd\ufffd\ufffd\ufffdA"},                         // table 3-11
}

func TestInvalidUTF8(t *testing.T) {
	replace, allow := cbor.Options{InvalidUTF8: cbor.ReplaceInvalidUTF8}, cbor.Options{InvalidUTF8: cbor.AllowInvalidUTF8}
	for _, test := range illFormed {
		raw := unhex(t, test.hex)
		for _, pad := range []int{0, 1, 7, 8, 15, 16, 23, 64, 200} { // each way to check text
			prefix := strings.Repeat("x", pad)
			for _, suffix := range []string{"", prefix} {
				text := prefix + string(raw) + suffix
				data := textItem(text)
				checkFaultEverywhere(t, cbor.Options{}, data, fault{category: cbor.ErrInvalidUTF8})
				checkValue(t, replace, data, prefix+test.want+suffix)
				checkValue(t, allow, data, text)
			}
		}
		// As the second chunk, as the second key, and as the value in an array.
		chunk := append([]byte{0x60 | byte(len(raw))}, raw...)
		data := append(append([]byte{0x7f, 0x61, 'a'}, chunk...), 0xff)
		checkFaultEverywhere(t, cbor.Options{}, data, fault{cbor.ErrInvalidUTF8, len("\x7f\x61a"), ""})
		checkValue(t, replace, data, "a"+test.want)
		checkValue(t, allow, data, "a"+string(raw))
		data = append(append([]byte{0x81, 0xa2, 0x00, 0x00}, chunk...), 0x01)
		checkFaultEverywhere(t, cbor.Options{}, data, fault{cbor.ErrInvalidUTF8, len("\x81\xa2\x00\x00"), "/0"})
		checkValue(t, replace, data, []any{map[any]any{int64(0): int64(0), test.want: int64(1)}})
		checkValue(t, allow, data, []any{map[any]any{int64(0): int64(0), string(raw): int64(1)}})
	}
}

// TestUTF8Chunks checks that each chunk is text by itself.
func TestUTF8Chunks(t *testing.T) {
	replace := cbor.Options{InvalidUTF8: cbor.ReplaceInvalidUTF8}
	split := unhex(t, "7f 6161 61c3 61a9 ff")
	checkFaultEverywhere(t, cbor.Options{}, split, fault{cbor.ErrInvalidUTF8, 3, ""})
	checkValue(t, replace, split, "a\ufffd\ufffd")
	checkValue(t, cbor.Options{InvalidUTF8: cbor.AllowInvalidUTF8}, split, "aé")
	split = unhex(t, "7f 63e6b0b4 62e6b0 61b4 ff")
	checkFaultEverywhere(t, cbor.Options{}, split, fault{cbor.ErrInvalidUTF8, 5, ""})
	checkValue(t, replace, split, "水\ufffd\ufffd")
	// Replaced text never aliases the input; other text still does.
	data := unhex(t, "8262c3286161")
	o := cbor.Options{InvalidUTF8: cbor.ReplaceInvalidUTF8, AliasText: true}
	v, err := o.Decode(data)
	clear(data)
	if diff := cmp.Diff([]any{"\ufffd(", "\x00"}, v); diff != "" || err != nil {
		t.Errorf("after the input changed (-want +got):\n%s, %v", diff, err)
	}
	// Keys are compared after the replacement.
	dup := unhex(t, "a2 61ff 00 61fe 01")
	checkFault(t, dup, decodeResult(replace, dup), fault{cbor.ErrDuplicateKey, 4, "/\ufffd"})
	replace.AllowDuplicateKeys = true
	checkValue(t, replace, dup, map[string]any{"\ufffd": int64(1)})
	checkValue(t, cbor.Options{InvalidUTF8: cbor.AllowInvalidUTF8}, dup, map[string]any{"\xff": int64(0), "\xfe": int64(1)})
	// Also inside keys.
	dup = unhex(t, "a2 8161ff 00 8161fe 01")
	replace.AllowDuplicateKeys = false
	checkFault(t, dup, decodeResult(replace, dup), fault{cbor.ErrDuplicateKey, 5, `/["\xfe"]`})
	checkValue(t, cbor.Options{InvalidUTF8: cbor.AllowInvalidUTF8}, dup,
		cbor.Map{{Key: []any{"\xff"}, Value: int64(0)}, {Key: []any{"\xfe"}, Value: int64(1)}})
}

func decodeResult(o cbor.Options, data []byte) result {
	v, err := o.Decode(data)
	return result{"Decode", v, err}
}

// textItem returns text as a text string.
func textItem(text string) []byte {
	head := lengthHead(len(text))
	return append(append([]byte{0x60 | head[0]}, head[1:]...), text...)
}

func TestAllocs(t *testing.T) {
	deep := bytes.Repeat([]byte{0x81}, 32)
	deep[31] = 0x80
	tags := append(bytes.Repeat([]byte{0xc1}, 32), 0x00)
	maps := append(bytes.Repeat([]byte{0xa1, 0x00}, 32), 0x00)
	keys := append(bytes.Repeat([]byte{0xa1}, 32), make([]byte, 33)...)
	large := append([]byte{0x5a, 0x01, 0x00, 0x00, 0x00}, make([]byte, 16<<20)...)
	decode := func(o cbor.Options) func([]byte) error {
		return func(data []byte) error { _, err := o.Decode(data); return err }
	}
	tests := []struct {
		name string
		f    func([]byte) error
		data []byte
		want float64
	}{
		{"Wellformed of 32 arrays", cbor.Wellformed, deep, 0},
		{"Wellformed of 32 tags", cbor.Wellformed, tags, 0},
		{"Wellformed of 32 maps", cbor.Wellformed, maps, 0},
		{"Wellformed of 32 maps as keys", cbor.Wellformed, keys, 0},
		{"Wellformed of an indefinite string", cbor.Wellformed, []byte("\x9f\x7f\x61a\xff\x5f\x41a\xff\xff"), 0},
		{"Wellformed of 16 MiB", cbor.Wellformed, large, 0},
		{"Decode of 16 MiB", decode(cbor.Options{}), large, 1},
		{"Decode of the empty text", decode(cbor.Options{}), []byte{0x60}, 0},
	}
	for ib := range 256 {
		if info := ib & 0x1f; info >= 24 || ib>>5 > 1 && ib>>5 < 7 {
			continue
		}
		tests = append(tests, struct {
			name string
			f    func([]byte) error
			data []byte
			want float64
		}{cbor.RawMessage{byte(ib)}.Kind().String(), decode(cbor.Options{}), []byte{byte(ib)}, 0})
	}
	for _, test := range tests {
		if got := testing.AllocsPerRun(100, func() {
			if err := test.f(test.data); err != nil {
				t.Fatal(err)
			}
		}); got != test.want {
			t.Errorf("%s (%.8x): %v allocations, want %v", test.name, test.data, got, test.want)
		}
	}
	if n := allocated(func() { cbor.Decode(large) }); n > 1024 {
		t.Errorf("Decode of 16 MiB allocates %d bytes", n)
	}
}
