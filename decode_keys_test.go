package cbor_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

// equalKeys has pairs of encodings of one key. The path of the second is its
// diagnostic notation.
var equalKeys = []struct{ name, first, second, path string }{
	{"text", "6161", "6161", "a"},
	{"empty text", "60", "60", ""},
	{"text, longer head", "6161", "780161", "a"},
	{"text, chunks", "626162", "7f61616162ff", "ab"},
	{"text, no chunks", "60", "7fff", ""},
	{"long text", "7818" + strings.Repeat("61", 24), "7818" + strings.Repeat("61", 24), strings.Repeat("a", 24)},
	{"bytes", "4161", "4161", "h'61'"},
	{"empty bytes", "40", "5fff", "''_"},
	{"bytes, chunks", "4161", "5f4161ff", "(_ h'61')"},
	{"integer", "01", "1801", "1"},
	{"integer in 64 bits", "01", "1b0000000000000001", "1"},
	{"negative", "20", "3800", "-1"},
	{"beyond int64", "1b8000000000000000", "1b8000000000000000", "9223372036854775808"},
	{"below int64", "3b8000000000000000", "3b8000000000000000", "-9223372036854775809"},
	{"zeros", "f90000", "f98000", "-0.0"},
	{"zeros in two widths", "fb8000000000000000", "fa00000000", "0.0"},
	{"float widths", "f93c00", "fb3ff0000000000000", "1.0"},
	{"infinities", "f97c00", "fa7f800000", "Infinity"},
	{"NaN", "f97e00", "f97e00", "NaN"},
	{"NaN widths", "f97e01", "fb7ff8040000000000", "NaN"},
	{"signalling NaN widths", "f97c01", "fa7f802000", "NaN"},
	{"false", "f4", "f4", "false"},
	{"null", "f6", "f6", "null"},
	{"undefined", "f7", "f7", "undefined"},
	{"simple", "f820", "f820", "simple(32)"},
	{"empty arrays", "80", "80", "[]"},
	{"array, indefinite", "820102", "9f0102ff", "[_ 1, 2]"},
	{"array, other heads", "82014161", "98021801580161", "[1, h'61']"},
	{"array of floats", "82f93c00f90000", "82fa3f800000f98000", "[1.0, -0.0]"},
	{"array of NaNs", "81f97e00", "81fb7ff8000000000000", "[NaN]"},
	{"array of chunks", "81626162", "817f61616162ff", `[(_ "a", "b")]`},
	{"array of arrays", "8181820102", "819f9f0102ffff", "[[_ [_ 1, 2]]]"},
	{"empty maps", "a0", "bfff", "{_ }"},
	{"maps in another order", "a20102f6f5", "a2f6f50102", "{null: true, 1: 2}"},
	{"map, indefinite", "a10102", "bf011802ff", "{_ 1: 2}"},
	{"maps in maps", "a1616182a20102030400", "a1616182a20304010200", `{"a": [{3: 4, 1: 2}, 0]}`},
	{"maps with keys that are maps", "a2a10102000304", "a20304a118010200", "{3: 4, {1: 2}: 0}"},
	{"maps with keys that are maps in another order", "a1a20102030400", "a1a20304010200", "{{3: 4, 1: 2}: 0}"},
	{"keys in keys in keys", "a1a1a1820102000000", "a1a1a19f0102ff000000", "{{{[_ 1, 2]: 0}: 0}: 0}"},
	{"tag", "c101", "d8011801", "1(1)"},
	{"tag of text", "d82060", "d900207fff", `32(""_)`},
	{"tag of a map", "d864a201020304", "d864a203040102", "100({3: 4, 1: 2})"},
	{"bignum", "c24101", "c24101", "1"},
	{"bignum, chunks", "c24101", "c25f4101ff", "2((_ h'01'))"},
	{"self-described", "d9d9f701", "d9d9f71801", "55799(1)"},
	{"tag 259", "d90103a10102", "d90103bf0102ff", "259({_ 1: 2})"},
}

func TestDuplicateKeys(t *testing.T) {
	for _, test := range equalKeys {
		for _, m := range []cbor.MapMode{cbor.MapAuto, cbor.MapText, cbor.MapAny, cbor.MapOrdered} {
			first, second := unhex(t, test.first), unhex(t, test.second)
			if !takes(m, first) {
				continue
			}
			o := cbor.Options{Maps: m}
			path := "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(test.path)
			for _, n := range []int{0, 1, 40} { // how many keys come between
				data := append([]byte{0xb8, byte(n + 2)}, first...)
				data = append(data, 0)
				for i := range n {
					data = append(data, 0x62, 'k', byte('0'+i), 0)
				}
				off := len(data)
				data = append(append(data, second...), 1)
				t.Run(test.name, func(t *testing.T) {
					checkFaultEverywhere(t, o, data, fault{cbor.ErrDuplicateKey, off, path})
				})
			}
		}
	}
}

// takes reports whether maps of mode m have the key.
func takes(m cbor.MapMode, key []byte) bool {
	switch kind := cbor.RawMessage(key).Kind(); m {
	case cbor.MapText:
		return kind == cbor.KindText
	case cbor.MapAny:
		v, _ := cbor.Decode(key)
		f, _ := v.(float64)
		return kind != cbor.KindArray && kind != cbor.KindMap && kind != cbor.KindTag && !math.IsNaN(f) && string(key) != "\x3b\x80\x00\x00\x00\x00\x00\x00\x00"
	}
	return true
}

// TestAllowDuplicateKeys checks that the last value is kept, in a Map at the
// place of the first key and with that key.
func TestAllowDuplicateKeys(t *testing.T) {
	for _, test := range equalKeys {
		for _, m := range []cbor.MapMode{cbor.MapAuto, cbor.MapOrdered} {
			for _, n := range []int{1, 40} {
				o := cbor.Options{Maps: m, AllowDuplicateKeys: true}
				t.Run(test.name, func(t *testing.T) { checkMerged(t, o, unhex(t, test.first), unhex(t, test.second), n) })
			}
		}
	}
	allow := cbor.Options{AllowDuplicateKeys: true}
	checkValue(t, cbor.Options{AllowDuplicateKeys: true, Maps: cbor.MapText}, unhex(t, "a2616100616101"), map[string]any{"a": int64(1)})
	checkValue(t, cbor.Options{AllowDuplicateKeys: true, Maps: cbor.MapAny}, unhex(t, "a20100180101"), map[any]any{int64(1): int64(1)})
	// A map as a key that has a duplicate itself counts with the last value.
	checkValue(t, allow, unhex(t, "a2 a2 0100 0101 02 a1 0101 03"), cbor.Map{{Key: map[any]any{int64(1): int64(1)}, Value: int64(3)}})
	checkValue(t, allow, unhex(t, "a2 a2 0100 0101 02 a1 0100 03"), cbor.Map{
		{Key: map[any]any{int64(1): int64(1)}, Value: int64(2)}, {Key: map[any]any{int64(1): int64(0)}, Value: int64(3)}})
}

// checkMerged decodes a map with first, n other keys, second, and first again.
func checkMerged(t *testing.T, o cbor.Options, first, second []byte, n int) {
	key, err := o.Decode(first)
	if err != nil {
		t.Fatal(err)
	}
	if b, ok := key.([]byte); ok {
		key = cbor.ByteString(b)
	}
	data := append([]byte{0xb8, byte(n + 3)}, first...)
	data = append(data, 0)
	want := cbor.Map{{Key: key, Value: int64(2)}}
	for i := range n {
		data = append(data, 0x62, 'k', byte('0'+i), 0x17)
		want = append(want, cbor.Entry{Key: "k" + string(rune('0'+i)), Value: int64(23)})
	}
	data = append(append(append(append(data, second...), 1), first...), 2)
	v, err := o.Decode(data)
	if err != nil {
		t.Fatalf("%x: %v", data, err)
	}
	if m, ok := v.(cbor.Map); ok {
		if diff := cmp.Diff(want, m, exact); diff != "" {
			t.Errorf("%x (-want +got):\n%s", data, diff)
		}
	} else if o.Maps == cbor.MapOrdered || lookup(v, key) != int64(2) || mapLen(v) != n+1 {
		t.Errorf("%x: %v", data, v)
	}
}

func lookup(m, key any) any {
	switch m := m.(type) {
	case map[string]any:
		return m[key.(string)]
	case map[any]any:
		return m[key]
	}
	return nil
}

func mapLen(m any) int {
	switch m := m.(type) {
	case map[string]any:
		return len(m)
	case map[any]any:
		return len(m)
	case cbor.Map:
		return len(m)
	}
	return -1
}

// TestDistinctKeys has keys that differ as data items.
func TestDistinctKeys(t *testing.T) {
	tests := []struct{ name, a, b string }{
		{"integer and float", "01", "f93c00"},
		{"zero and 0.0", "00", "f90000"},
		{"null and undefined", "f6", "f7"},
		{"false and 0", "f4", "00"},
		{"bytes and text", "4161", "6161"},
		{"empty bytes and text", "40", "60"},
		{"chunked bytes and text", "5f4161ff", "7f6161ff"},
		{"integer and simple", "00", "e0"},
		{"self-described", "01", "d9d9f701"},
		{"bignum and integer", "01", "c24101"},
		{"bignum with a leading zero", "c24101", "c2420001"},
		{"bignum below int64", "3b8000000000000000", "c3488000000000000000"},
		{"tag numbers", "c100", "d86400"},
		{"times at one instant", "c100", "c1f90000"},
		{"NaN payloads", "f97e00", "f97e01"},
		{"NaN signs", "f97e00", "f9fe00"},
		{"quiet and signalling NaN", "f97e01", "f97c01"},
		{"order in an array", "820102", "820201"},
		{"array and its element", "8100", "00"},
		{"array and map", "80", "a0"},
		{"array and tag", "8100", "d86400"},
		{"nesting", "8180", "80"},
		{"nesting of two", "828080", "8180"},
		{"array of arrays", "82810102", "82018102"},
		{"strings in an array", "8261616162", "8260626162"},
		{"values in a map", "a10102", "a10103"},
		{"key and value in a map", "a10102", "a10201"},
		{"sizes of maps", "a10102", "a201020304"},
		{"integer and float in an array", "8101", "81f93c00"},
		{"bytes and text in an array", "814161", "816161"},
		{"null and undefined in an array", "81f6", "81f7"},
		{"uint64 and negative", "1bffffffffffffffff", "3bffffffffffffffff"},
		{"keys in keys", "a1a1010000", "a1a1010100"},
		{"key in a key and its form", "a1810000", "a182000000"},
		{"bytes like a digest", "81a1810100", "81a1810200"},
	}
	for _, test := range tests {
		a, b := unhex(t, test.a), unhex(t, test.b)
		if string(a) == string(b) {
			t.Fatalf("%s: the same", test.name)
		}
		for _, n := range []int{0, 40} {
			data := append([]byte{0xb8, byte(n + 2)}, a...)
			data = append(append(append(data, 0), b...), 1)
			for i := range n {
				data = append(data, 0x62, 'k', byte('0'+i), 0)
			}
			for _, m := range []cbor.MapMode{cbor.MapAuto, cbor.MapOrdered} {
				v, err := cbor.Options{Maps: m}.Decode(data)
				if err != nil || mapLen(v) != n+2 {
					t.Errorf("%s: %v, %v, want %d entries", test.name, v, err, n+2)
				}
			}
		}
	}
}

// mapModeTests has maps with keys of each kind in each mode.
var mapModeTests = []struct {
	hex                      string
	auto, text, any, ordered any // a value, or the error
}{
	{"a0", map[string]any{}, map[string]any{}, map[any]any{}, cbor.Map{}},
	{"a1616100", map[string]any{"a": int64(0)}, map[string]any{"a": int64(0)}, map[any]any{"a": int64(0)}, cbor.Map{{"a", int64(0)}}},
	{"a26162006161f6", map[string]any{"b": int64(0), "a": nil}, map[string]any{"b": int64(0), "a": nil},
		map[any]any{"b": int64(0), "a": nil}, cbor.Map{{"b", int64(0)}, {"a", nil}}},
	{"a26161000101", map[any]any{"a": int64(0), int64(1): int64(1)}, cbor.ErrMapKey, map[any]any{"a": int64(0), int64(1): int64(1)},
		cbor.Map{{"a", int64(0)}, {int64(1), int64(1)}}},
	{"a1416100", map[any]any{cbor.ByteString("a"): int64(0)}, cbor.ErrMapKey, map[any]any{cbor.ByteString("a"): int64(0)}, cbor.Map{{cbor.ByteString("a"), int64(0)}}},
	{"a15f4161ff00", map[any]any{cbor.ByteString("a"): int64(0)}, cbor.ErrMapKey, map[any]any{cbor.ByteString("a"): int64(0)}, cbor.Map{{cbor.ByteString("a"), int64(0)}}},
	{"a1f600", map[any]any{nil: int64(0)}, cbor.ErrMapKey, map[any]any{nil: int64(0)}, cbor.Map{{nil, int64(0)}}},
	{"a1f700", map[any]any{cbor.Undefined: int64(0)}, cbor.ErrMapKey, map[any]any{cbor.Undefined: int64(0)}, cbor.Map{{cbor.Undefined, int64(0)}}},
	{"a1f93c0000", map[any]any{1.0: int64(0)}, cbor.ErrMapKey, map[any]any{1.0: int64(0)}, cbor.Map{{1.0, int64(0)}}},
	{"a11bffffffffffffffff00", map[any]any{uint64(math.MaxUint64): int64(0)}, cbor.ErrMapKey, map[any]any{uint64(math.MaxUint64): int64(0)},
		cbor.Map{{uint64(math.MaxUint64), int64(0)}}},
	{"a13bffffffffffffffff00", cbor.Map{{bigInt("-18446744073709551616"), int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{bigInt("-18446744073709551616"), int64(0)}}},
	{"a1c2410100", cbor.Map{{bigInt("1"), int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{bigInt("1"), int64(0)}}},
	{"a1f97e0000", cbor.Map{{math.Float64frombits(0x7ff8 << 48), int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{math.Float64frombits(0x7ff8 << 48), int64(0)}}},
	{"a18000", cbor.Map{{[]any{}, int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{[]any{}, int64(0)}}},
	{"a1a000", cbor.Map{{map[string]any{}, int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{cbor.Map{}, int64(0)}}},
	{"a1c10000", cbor.Map{{time.Unix(0, 0).UTC(), int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{time.Unix(0, 0).UTC(), int64(0)}}},
	{"a1d9d9f7616100", cbor.Map{{"a", int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{"a", int64(0)}}},
	{"a1d864416100", cbor.Map{{cbor.Tag{Number: 100, Content: []byte("a")}, int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey,
		cbor.Map{{cbor.Tag{Number: 100, Content: []byte("a")}, int64(0)}}},
	{"a1810102", cbor.Map{{[]any{int64(1)}, int64(2)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{[]any{int64(1)}, int64(2)}}},
	// One odd key among others keeps the order of all.
	{"a4 6162 00 8100 01 6161 02 f5 03", cbor.Map{{"b", int64(0)}, {[]any{int64(0)}, int64(1)}, {"a", int64(2)}, {true, int64(3)}}, cbor.ErrMapKey, cbor.ErrMapKey,
		cbor.Map{{"b", int64(0)}, {[]any{int64(0)}, int64(1)}, {"a", int64(2)}, {true, int64(3)}}},
	// Maps inside are of their own type.
	{"a1 01 a1 6161 00", map[any]any{int64(1): map[string]any{"a": int64(0)}}, cbor.ErrMapKey,
		map[any]any{int64(1): map[any]any{"a": int64(0)}}, cbor.Map{{int64(1), cbor.Map{{"a", int64(0)}}}}},
	{"a1 81 a1 416100 00", cbor.Map{{[]any{map[any]any{cbor.ByteString("a"): int64(0)}}, int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey,
		cbor.Map{{[]any{cbor.Map{{cbor.ByteString("a"), int64(0)}}}, int64(0)}}},
	// Tag 259.
	{"d90103 a0", map[any]any{}, map[string]any{}, map[any]any{}, cbor.Map{}},
	{"d90103 a1616100", map[any]any{"a": int64(0)}, map[string]any{"a": int64(0)}, map[any]any{"a": int64(0)}, cbor.Map{{"a", int64(0)}}},
	{"d90103 bf616100ff", map[any]any{"a": int64(0)}, map[string]any{"a": int64(0)}, map[any]any{"a": int64(0)}, cbor.Map{{"a", int64(0)}}},
	{"d90103 a10100", map[any]any{int64(1): int64(0)}, cbor.ErrMapKey, map[any]any{int64(1): int64(0)}, cbor.Map{{int64(1), int64(0)}}},
	{"d90103 a18000", cbor.Map{{[]any{}, int64(0)}}, cbor.ErrMapKey, cbor.ErrMapKey, cbor.Map{{[]any{}, int64(0)}}},
	{"d90103 a1 6161 a1616200", map[any]any{"a": map[string]any{"b": int64(0)}}, map[string]any{"a": map[string]any{"b": int64(0)}},
		map[any]any{"a": map[any]any{"b": int64(0)}}, cbor.Map{{"a", cbor.Map{{"b", int64(0)}}}}},
	{"82 d90103a0 a0", []any{map[any]any{}, map[string]any{}}, []any{map[string]any{}, map[string]any{}},
		[]any{map[any]any{}, map[any]any{}}, []any{cbor.Map{}, cbor.Map{}}},
}

// TestMapModes decodes maps with keys of each kind in each mode.
func TestMapModes(t *testing.T) {
	for _, test := range mapModeTests {
		data := unhex(t, test.hex)
		for m, want := range map[cbor.MapMode]any{cbor.MapAuto: test.auto, cbor.MapText: test.text, cbor.MapAny: test.any, cbor.MapOrdered: test.ordered} {
			o := cbor.Options{Maps: m}
			if want != cbor.ErrMapKey {
				checkValue(t, o, data, want)
				continue
			}
			for _, r := range valuePaths(o, data) {
				checkFault(t, data, r, fault{cbor.ErrMapKey, mapKeyAt(data), ""})
			}
			checkWellformed(t, o, data)
		}
	}
}

// mapKeyAt returns the offset of the first key in data that is not text; the
// keys of the tests are small.
func mapKeyAt(data []byte) int {
	i := 1
	if data[0] == 0xd9 {
		i = 4
	}
	for data[i]>>5 == 3 {
		i += int(data[i]&0x1f) + 2
	}
	return i
}
