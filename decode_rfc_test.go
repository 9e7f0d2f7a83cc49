package cbor_test

import (
	"encoding/hex"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/streamcbor/cbor"
)

// oneTo25 is the array [1, 2, …, 25] of RFC 8949, appendix A.
var oneTo25 = func() []any {
	a := make([]any, 25)
	for i := range a {
		a[i] = int64(i + 1)
	}
	return a
}()

const (
	oneTo25Hex  = "0102030405060708090a0b0c0d0e0f101112131415161718181819"
	oneTo25Diag = "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25"
)

// appendixA has the examples of RFC 8949, appendix A, in its order.
var appendixA = []struct {
	diag, hex string
	want      any
}{
	{"0", "00", int64(0)},
	{"1", "01", int64(1)},
	{"10", "0a", int64(10)},
	{"23", "17", int64(23)},
	{"24", "1818", int64(24)},
	{"25", "1819", int64(25)},
	{"100", "1864", int64(100)},
	{"1000", "1903e8", int64(1000)},
	{"1000000", "1a000f4240", int64(1000000)},
	{"1000000000000", "1b000000e8d4a51000", int64(1000000000000)},
	{"18446744073709551615", "1bffffffffffffffff", uint64(math.MaxUint64)},
	{"18446744073709551616", "c249010000000000000000", bigInt("18446744073709551616")},
	{"-18446744073709551616", "3bffffffffffffffff", bigInt("-18446744073709551616")},
	{"-18446744073709551617", "c349010000000000000000", bigInt("-18446744073709551617")},
	{"-1", "20", int64(-1)},
	{"-10", "29", int64(-10)},
	{"-100", "3863", int64(-100)},
	{"-1000", "3903e7", int64(-1000)},
	{"0.0", "f90000", 0.0},
	{"-0.0", "f98000", math.Copysign(0, -1)},
	{"1.0", "f93c00", 1.0},
	{"1.1", "fb3ff199999999999a", 1.1},
	{"1.5", "f93e00", 1.5},
	{"65504.0", "f97bff", 65504.0},
	{"100000.0", "fa47c35000", 100000.0},
	{"3.4028234663852886e+38", "fa7f7fffff", 3.4028234663852886e+38},
	{"1.0e+300", "fb7e37e43c8800759c", 1.0e+300},
	{"5.960464477539063e-8", "f90001", 5.960464477539063e-8},
	{"0.00006103515625", "f90400", 0.00006103515625},
	{"-4.0", "f9c400", -4.0},
	{"-4.1", "fbc010666666666666", -4.1},
	{"Infinity", "f97c00", math.Inf(1)},
	{"NaN", "f97e00", math.Float64frombits(0x7ff8000000000000)},
	{"-Infinity", "f9fc00", math.Inf(-1)},
	{"Infinity", "fa7f800000", math.Inf(1)},
	{"NaN", "fa7fc00000", math.Float64frombits(0x7ff8000000000000)},
	{"-Infinity", "faff800000", math.Inf(-1)},
	{"Infinity", "fb7ff0000000000000", math.Inf(1)},
	{"NaN", "fb7ff8000000000000", math.Float64frombits(0x7ff8000000000000)},
	{"-Infinity", "fbfff0000000000000", math.Inf(-1)},
	{"false", "f4", false},
	{"true", "f5", true},
	{"null", "f6", nil},
	{"undefined", "f7", cbor.Undefined},
	{"simple(16)", "f0", cbor.Simple(16)},
	{"simple(255)", "f8ff", cbor.Simple(255)},
	{`0("2013-03-21T20:04:00Z")`, "c074323031332d30332d32315432303a30343a30305a", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
	{"1(1363896240)", "c11a514b67b0", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
	{"1(1363896240.5)", "c1fb41d452d9ec200000", time.Date(2013, 3, 21, 20, 4, 0, 500_000_000, time.UTC)},
	{"23(h'01020304')", "d74401020304", cbor.Tag{Number: 23, Content: []byte{1, 2, 3, 4}}},
	{"24(h'6449455446')", "d818456449455446", cbor.Tag{Number: 24, Content: []byte("dIETF")}},
	{`32("http://www.example.com")`, "d82076687474703a2f2f7777772e6578616d706c652e636f6d", cbor.Tag{Number: 32, Content: "http://www.example.com"}},
	{"h''", "40", []byte{}},
	{"h'01020304'", "4401020304", []byte{1, 2, 3, 4}},
	{`""`, "60", ""},
	{`"a"`, "6161", "a"},
	{`"IETF"`, "6449455446", "IETF"},
	{`"\"\\"`, "62225c", `"\`},
	{`"ü"`, "62c3bc", "\u00fc"},
	{`"水"`, "63e6b0b4", "\u6c34"},
	{`"𐅑"`, "64f0908591", "\U00010151"},
	{"[]", "80", []any{}},
	{"[1, 2, 3]", "83010203", []any{int64(1), int64(2), int64(3)}},
	{"[1, [2, 3], [4, 5]]", "8301820203820405", []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}},
	{"[" + oneTo25Diag + "]", "9819" + oneTo25Hex, oneTo25},
	{"{}", "a0", map[string]any{}},
	{"{1: 2, 3: 4}", "a201020304", map[any]any{int64(1): int64(2), int64(3): int64(4)}},
	{`{"a": 1, "b": [2, 3]}`, "a26161016162820203", map[string]any{"a": int64(1), "b": []any{int64(2), int64(3)}}},
	{`["a", {"b": "c"}]`, "826161a161626163", []any{"a", map[string]any{"b": "c"}}},
	{`{"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"}`, "a56161614161626142616361436164614461656145",
		map[string]any{"a": "A", "b": "B", "c": "C", "d": "D", "e": "E"}},
	{"(_ h'0102', h'030405')", "5f42010243030405ff", []byte{1, 2, 3, 4, 5}},
	{`(_ "strea", "ming")`, "7f657374726561646d696e67ff", "streaming"},
	{"[_ ]", "9fff", []any{}},
	{"[_ 1, [2, 3], [_ 4, 5]]", "9f018202039f0405ffff", []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}},
	{"[_ 1, [2, 3], [4, 5]]", "9f01820203820405ff", []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}},
	{"[1, [2, 3], [_ 4, 5]]", "83018202039f0405ff", []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}},
	{"[1, [_ 2, 3], [4, 5]]", "83019f0203ff820405", []any{int64(1), []any{int64(2), int64(3)}, []any{int64(4), int64(5)}}},
	{"[_ " + oneTo25Diag + "]", "9f" + oneTo25Hex + "ff", oneTo25},
	{`{_ "a": 1, "b": [_ 2, 3]}`, "bf61610161629f0203ffff", map[string]any{"a": int64(1), "b": []any{int64(2), int64(3)}}},
	{`["a", {_ "b": "c"}]`, "826161bf61626163ff", []any{"a", map[string]any{"b": "c"}}},
	{`{_ "Fun": true, "Amt": -2}`, "bf6346756ef563416d7421ff", map[string]any{"Fun": true, "Amt": int64(-2)}},
}

func TestAppendixA(t *testing.T) {
	if n := len(appendixA); n != 81 {
		t.Errorf("%d examples, the RFC has 81", n)
	}
	for _, test := range appendixA {
		data := unhex(t, test.hex)
		checkValue(t, cbor.Options{}, data, test.want)
		checkDiagnose(t, data, test.diag)
		checkPrefixes(t, data)
	}
}

func checkDiagnose(t *testing.T, data []byte, want string) {
	t.Helper()
	if got, err := cbor.Diagnose(data); got != want || err != nil {
		t.Errorf("Diagnose(%x) = %s, %v, want %s", data, got, err, want)
	}
	decoders(cbor.Options{}, data, func(name string, d *cbor.Decoder) {
		var s strings.Builder
		err := d.WriteDiagnostic(&s)
		if name == "flaky" {
			return // what was in progress is passed over by the next call, not written
		}
		if s.String() != want || err != nil {
			t.Errorf("%x, WriteDiagnostic %s: %s, %v, want %s", data, name, s.String(), err, want)
		}
	})
}

// checkPrefixes checks that each proper prefix of the item data is cut off.
func checkPrefixes(t *testing.T, data []byte) {
	t.Helper()
	for n := 1; n < len(data); n++ {
		prefix := data[:n:n]
		all := append(valuePaths(cbor.Options{}, prefix), walkPaths(cbor.Options{}, prefix)...)
		for _, r := range all {
			e, ok := r.err.(*cbor.DecodeError)
			if !ok || e.Err != io.ErrUnexpectedEOF || r.value != nil || e.Offset > int64(n) {
				t.Errorf("%x, %s: %v, %v, want io.ErrUnexpectedEOF", prefix, r.path, r.value, r.err)
			}
		}
		if s, err := cbor.Diagnose(prefix); !isEOF(err) || s != "" {
			t.Errorf("Diagnose(%x) = %q, %v, want io.ErrUnexpectedEOF", prefix, s, err)
		}
	}
}

func isEOF(err error) bool {
	e, ok := err.(*cbor.DecodeError)
	return ok && e.Err == io.ErrUnexpectedEOF
}

func TestEmpty(t *testing.T) {
	for _, data := range [][]byte{nil, {}} {
		for _, r := range append(valuePaths(cbor.Options{}, data), walkPaths(cbor.Options{}, data)...) {
			if r.err != io.EOF || r.value != nil {
				t.Errorf("%s: %v, %v, want a bare io.EOF", r.path, r.value, r.err)
			}
		}
		if s, err := cbor.Diagnose(data); s != "" || err != nil {
			t.Errorf("Diagnose = %q, %v, want an empty sequence", s, err)
		}
	}
}

// appendixF has the examples of RFC 8949, appendix F. The offset is that of
// the head that is cut off or wrong, or the end where a head is missing.
var appendixF = []struct {
	category error
	off      string // one offset for all, a digit an example, or $ for the ends
	examples string
	paths    string
}{
	// End of input in a head.
	{io.ErrUnexpectedEOF, "0", "18, 19, 1a, 1b, 19 01, 1a 01 02, 1b 01 02 03 04 05 06 07, 38, 58, 78, 98, 9a 01 ff 00, b8, d8, f8, f9 00, fa 00 00, fb 00 00 00", ""},
	// Definite-length strings with short data.
	{io.ErrUnexpectedEOF, "0", "41, 61, 5a ff ff ff ff 00, 5b ff ff ff ff ff ff ff ff 01 02 03, 7a ff ff ff ff 00, 7b 7f ff ff ff ff ff ff ff 01 02 03", ""},
	// Definite-length maps and arrays not closed with enough items.
	{io.ErrUnexpectedEOF, "$", "81, 81 81 81 81 81 81 81 81 81, 82 00, a1, a2 01 02, a1 00, a2 00 00 00",
		"/0, /0/0/0/0/0/0/0/0/0, /1, , , /0, /0"},
	// Tag number not followed by tag content.
	{io.ErrUnexpectedEOF, "$", "c0", ""},
	// Indefinite-length strings not closed by a break.
	{io.ErrUnexpectedEOF, "$", "5f 41 00, 7f 61 00", ""},
	// Indefinite-length maps and arrays not closed by a break.
	{io.ErrUnexpectedEOF, "$", "9f, 9f 01 02, bf, bf 01 02 01 02, 81 9f, 9f 80 00, 9f 9f 9f 9f 9f ff ff ff ff, 9f 81 9f 81 9f 9f ff ff ff",
		"/0, /2, , , /0/0, /2, /1, /1"},
	// Subkind 1: reserved additional information.
	{cbor.ErrMalformed, "0", "1c, 1d, 1e, 3c, 3d, 3e, 5c, 5d, 5e, 7c, 7d, 7e, 9c, 9d, 9e, bc, bd, be, dc, dd, de, fc, fd, fe", ""},
	// Subkind 2: reserved two-byte encodings of simple values.
	{cbor.ErrMalformed, "0", "f8 00, f8 01, f8 18, f8 1f", ""},
	// Subkind 3: chunks not of the correct type.
	{cbor.ErrMalformed, "1", "5f 00 ff, 5f 21 ff, 5f 61 00 ff, 5f 80 ff, 5f a0 ff, 5f c0 00 ff, 5f e0 ff, 7f 41 00 ff", ""},
	// Subkind 3: chunks not of definite length.
	{cbor.ErrMalformed, "1", "5f 5f 41 00 ff ff, 7f 7f 61 00 ff ff", ""},
	// Subkind 4: a break on its own.
	{cbor.ErrMalformed, "0", "ff", ""},
	// Subkind 4: a break in a definite-length array or map or a tag.
	{cbor.ErrMalformed, "12112329", "81 ff, 82 00 ff, a1 ff, a1 ff 00, a1 00 ff, a2 00 00 ff, 9f 81 ff, 9f 82 9f 81 9f 9f ff ff ff ff",
		"/0, /1, , , /0, , /0/0, /0/1"},
	// Subkind 4: a break that leads to an odd number of items in a map.
	{cbor.ErrMalformed, "24", "bf 00 ff, bf 00 00 00 ff", "/0, /0"},
	// Subkind 5: major type 0, 1 or 6 of indefinite length.
	{cbor.ErrMalformed, "0", "1f, 3f, df", ""},
}

func TestAppendixF(t *testing.T) {
	for _, group := range appendixF {
		for i, s := range strings.Split(group.examples, ", ") {
			data := unhex(t, s)
			want := fault{category: group.category}
			switch {
			case group.off == "$":
				want.off = len(data)
			case len(group.off) == 1:
				want.off = int(group.off[0] - '0')
			default:
				want.off = int(group.off[i] - '0')
			}
			if group.paths != "" {
				want.path = strings.Split(group.paths, ", ")[i]
			}
			checkFaultEverywhere(t, cbor.Options{}, data, want)
		}
	}
}

// TestDiagnose has what appendix A leaves out.
func TestDiagnose(t *testing.T) {
	tests := []struct{ hex, want string }{
		{"9f0102ff", "[_ 1, 2]"},
		{"5f41014102ff", "(_ h'01', h'02')"},
		{"bf616101ff", `{_ "a": 1}`},
		{"bfff", "{_ }"},
		{"5fff", "''_"},
		{"7fff", `""_`},
		{"7f60ff", `(_ "")`},
		{"825fff7fff", `[''_, ""_]`},
		{"a1616182c1fb41d452d9ec20000043010203", `{"a": [1(1363896240.5), h'010203']}`},
		{"c240", "0"},
		{"c340", "-1"},
		{"c2420001", "1"},
		{"c28101", "2([1])"},
		{"c25f41014102ff", "2((_ h'01', h'02'))"},
		{"a2616101616102", `{"a": 1, "a": 2}`}, // duplicates show
		{"a2180120f500", "{1: -1, true: 0}"},
		{"d9d9f780", "55799([])"},
		{"e0", "simple(0)"},
		{"f820", "simple(32)"},
		{"f97c01", "NaN"},
		{"fb3eb0c6f7a0b5ed8d", "0.000001"},
		{"fb444b1ae4d6e2ef50", "1.0e+21"},
		{"62c328", `"\xc3("`},
		{"63610a09", `"a\n\t"`},
		{"6100", `"\u0000"`},
		{"00f6", "0\nnull"},
		{"60606161", "\"\"\n\"\"\n\"a\""},
	}
	for _, test := range tests {
		data := unhex(t, test.hex)
		if got, err := cbor.Diagnose(data); got != test.want || err != nil {
			t.Errorf("Diagnose(%s) = %s, %v, want %s", test.hex, got, err, test.want)
		}
	}
	if s, err := cbor.Diagnose([]byte{0x00, 0x81, 0xff}); s != "" || err == nil || err.(*cbor.DecodeError).Offset != 2 {
		t.Errorf("Diagnose of a malformed second item: %q, %v", s, err)
	}
}

// TestDiagnoseBignum checks the integers against their value in hexadecimal.
func TestDiagnoseBignum(t *testing.T) {
	for n := range 40 {
		body := strings.Repeat("a5", n)
		data := unhex(t, "c258"+hex.EncodeToString([]byte{byte(n)})+body)
		if got, _ := cbor.Diagnose(data); got != bigInt("0x0"+body).String() {
			t.Errorf("Diagnose(%x) = %s", data, got)
		}
	}
}

// TestDiagnoseVectors compares Diagnose with the notation of the vectors, where
// that has no choice of its own: it writes floats and bignums in other forms.
func TestDiagnoseVectors(t *testing.T) {
	other := []string{"f16", "f32", "f64", "bignum", "invalid-utf8", "invalid-utf8-chunk"}
	n := 0
	for file, vectors := range readVectors(t) {
		for _, v := range vectors {
			if v.Expect != "ok" || v.Diag == "" || len(v.data) > 200 || slices.ContainsFunc(v.Notes, func(s string) bool { return slices.Contains(other, s) }) {
				continue
			}
			n++
			got, err := cbor.Diagnose(v.data)
			// A byte-order mark is escaped; (_ ) has no type.
			got = strings.NewReplacer("''_", "(_ )", `""_`, "(_ )", `\ufeff`, "\ufeff").Replace(got)
			if got != v.Diag && !strings.Contains(got, `\u`) || err != nil {
				t.Errorf("%s: %s: %s, %v, want %s", file, v.Hex, got, err, v.Diag)
			}
		}
	}
	if n < 500 {
		t.Errorf("%d vectors compared", n)
	}
}
