package cbor_test

import (
	"encoding/binary"
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/streamcbor/cbor"
)

func tagged(number byte, text string) []byte {
	return append([]byte{0xc0 | number}, textItem(text)...)
}

// TestTimeText checks tag 0 against RFC 3339, section 5.6.
func TestTimeText(t *testing.T) {
	zone := func(s int) *time.Location { return time.FixedZone("", s) }
	valid := []struct {
		text string
		want time.Time
	}{
		{"2013-03-21T20:04:00Z", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{"2013-03-21t20:04:00z", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{"2013-03-21T20:04:00+00:00", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{"2013-03-21T20:04:00-00:00", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{"2013-03-21T20:04:00+01:00", time.Date(2013, 3, 21, 20, 4, 0, 0, zone(3600))},
		{"2013-03-21T20:04:00-05:30", time.Date(2013, 3, 21, 20, 4, 0, 0, zone(-19800))},
		{"2013-03-21T20:04:00+23:59", time.Date(2013, 3, 21, 20, 4, 0, 0, zone(86340))},
		{"2013-03-21T20:04:00.5Z", time.Date(2013, 3, 21, 20, 4, 0, 500000000, time.UTC)},
		{"2013-03-21T20:04:00.123456789Z", time.Date(2013, 3, 21, 20, 4, 0, 123456789, time.UTC)},
		{"2013-03-21T20:04:00.000000001-01:00", time.Date(2013, 3, 21, 20, 4, 0, 1, zone(-3600))},
		{"2013-03-21T20:04:00.1234567899Z", time.Date(2013, 3, 21, 20, 4, 0, 123456789, time.UTC)},
		{"1969-12-31T23:59:59.75Z", time.Date(1969, 12, 31, 23, 59, 59, 750000000, time.UTC)},
		{"1990-12-31T23:59:60Z", time.Date(1991, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"1990-12-31T15:59:60-08:00", time.Date(1990, 12, 31, 16, 0, 0, 0, zone(-28800))},
		{"2016-12-31T23:59:60.25Z", time.Date(2017, 1, 1, 0, 0, 0, 250000000, time.UTC)},
		{"2000-02-29T00:00:00Z", time.Date(2000, 2, 29, 0, 0, 0, 0, time.UTC)},
		{"2024-02-29T00:00:00Z", time.Date(2024, 2, 29, 0, 0, 0, 0, time.UTC)},
		{"0000-01-01T00:00:00Z", time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{"9999-12-31T23:59:59.999999999Z", time.Date(9999, 12, 31, 23, 59, 59, 999999999, time.UTC)},
	}
	for _, test := range valid {
		checkValue(t, cbor.Options{}, tagged(0, test.text), test.want)
	}
	half := len("2013-03-21")
	text := valid[0].text
	chunked := append(append(append([]byte{0xc0, 0x7f}, textItem(text[:half])...), textItem(text[half:])...), 0xff)
	checkValue(t, cbor.Options{}, chunked, valid[0].want)

	invalid := []string{
		"", "2013-03-21", "20:04:00Z", "2013-03-21T20:04:00", "2013-03-21T20:04Z", "2013-03-21 20:04:00Z", "2013-03-21T20:04:00 Z",
		"2013-3-21T20:04:00Z", "13-03-21T20:04:00Z", "2013-03-21T20:04:00.Z", "2013-03-21T20:04:00,5Z", "2013-03-21T20:04:00.5",
		"2013-03-21T20:04:00Z ", " 2013-03-21T20:04:00Z", "2013-03-21T20:04:00ZZ", "2013-03-21T20:04:00+0100", "2013-03-21T20:04:00+01",
		"2013-03-21T20:04:00+24:00", "2013-03-21T20:04:00+01:60", "2013-03-21T20:04:00+1:00", "2013-03-21T20:04:00*01:00",
		"2013-00-21T20:04:00Z", "2013-13-21T20:04:00Z", "2013-03-00T20:04:00Z", "2013-03-32T20:04:00Z", "2013-04-31T20:04:00Z",
		"2013-02-29T20:04:00Z", "1900-02-29T20:04:00Z", "2013-03-21T24:00:00Z", "2013-03-21T20:60:00Z", "2013-03-21T20:04:61Z",
		"+2013-03-21T20:04:00Z", "-001-03-21T20:04:00Z", "12013-03-21T20:04:00Z", "2013-03-2\u0661T20:04:00Z", "2013-03-21T20:04:00\u2212",
		"2013-03-21T20:04:00.1x3Z", "2013-03-21T2O:04:00Z", "9999-12-31T23:59:60Z",
	}
	for _, text := range invalid {
		checkFaultEverywhere(t, cbor.Options{}, tagged(0, text), fault{category: cbor.ErrInvalidTag})
	}
}

// TestEpoch checks tag 1. The limits are the first and last second of the
// years 0 and 9999, counted in days: 719,528 and 2,932,896 of 86,400 seconds.
func TestEpoch(t *testing.T) {
	const first, last = -719528 * 86400, 2932897*86400 - 1
	valid := []struct {
		content []byte
		want    time.Time
	}{
		{unhex(t, "00"), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)},
		{unhex(t, "1a514b67b0"), time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{unhex(t, "20"), time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC)},
		{unhex(t, "f93e00"), time.Date(1970, 1, 1, 0, 0, 1, 500000000, time.UTC)},
		{unhex(t, "f98000"), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)},
		{unhex(t, "fabf000000"), time.Date(1969, 12, 31, 23, 59, 59, 500000000, time.UTC)}, // -0.5
		{floatItem(-1.25), time.Date(1969, 12, 31, 23, 59, 58, 750000000, time.UTC)},
		{floatItem(0x1p-20), time.Date(1970, 1, 1, 0, 0, 0, 954, time.UTC)}, // 953.67 ns
		{floatItem(1363896240.5), time.Date(2013, 3, 21, 20, 4, 0, 500000000, time.UTC)},
		{floatItem(1e-9), time.Date(1970, 1, 1, 0, 0, 0, 1, time.UTC)},
		{floatItem(-1e-9), time.Date(1969, 12, 31, 23, 59, 59, 999999999, time.UTC)},
		{floatItem(math.SmallestNonzeroFloat64), time.Date(1970, 1, 1, 0, 0, 0, 0, time.UTC)},
		{intItem(first), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{intItem(last), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{floatItem(first), time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC)},
		{floatItem(last), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
		{floatItem(last + 0.5), time.Date(9999, 12, 31, 23, 59, 59, 500000000, time.UTC)},
	}
	for _, test := range valid {
		checkValue(t, cbor.Options{}, append([]byte{0xc1}, test.content...), test.want)
	}
	invalid := [][]byte{
		intItem(first - 1), intItem(last + 1), floatItem(first - 0.5), floatItem(last + 1), floatItem(1e300), floatItem(-1e300),
		floatItem(math.MaxInt64), floatItem(math.Inf(1)), floatItem(math.Inf(-1)), floatItem(math.NaN()),
	}
	for _, s := range []string{"1b7fffffffffffffff", "1b8000000000000000", "1bffffffffffffffff", "3b7fffffffffffffff", "3bffffffffffffffff",
		"f97e00", "f97c00", "f9fc00", "fa7fc00000", "40", "6130", "80", "8100", "a0", "c100", "c24101", "f4", "f5", "f6", "f7", "e0", "f8ff", "d9d9f700", "5f40ff"} {
		invalid = append(invalid, unhex(t, s))
	}
	for _, content := range invalid {
		checkFaultEverywhere(t, cbor.Options{}, append([]byte{0xc1}, content...), fault{category: cbor.ErrInvalidTag})
	}
}

func floatItem(f float64) []byte {
	return binary.BigEndian.AppendUint64([]byte{0xfb}, math.Float64bits(f))
}

func intItem(i int64) []byte {
	if i < 0 {
		return binary.BigEndian.AppendUint64([]byte{0x3b}, uint64(^i))
	}
	return binary.BigEndian.AppendUint64([]byte{0x1b}, uint64(i))
}

// TestBignum checks tags 2 and 3 by the hexadecimal value of their content.
func TestBignum(t *testing.T) {
	for _, s := range []string{"", "00", "01", "ff", "0001", "0000", "ffffffffffffffff", "010000000000000000", "00ffffffffffffffff",
		strings.Repeat("00", 30) + "07", strings.Repeat("a5", 23), strings.Repeat("5a", 24), strings.Repeat("c3", 255), strings.Repeat("3c", 256)} {
		body := unhex(t, s)
		want := bigInt("0x0" + s)
		head := lengthHead(len(body))
		head[0] |= 0x40
		item := append(head, body...)
		chunked := append(append([]byte{0x5f}, item...), 0x40, 0xff)
		for _, content := range [][]byte{item, chunked} {
			checkValue(t, cbor.Options{}, append([]byte{0xc2}, content...), want)
			negative := bigInt("-1")
			checkValue(t, cbor.Options{}, append([]byte{0xc3}, content...), negative.Sub(negative, want))
		}
	}
	for _, content := range []string{"00", "20", "60", "6101", "80", "814101", "a0", "c24101", "c100", "f6", "f7", "f93c00", "d9d9f74101"} {
		for _, tag := range []byte{0xc2, 0xc3} {
			data := append([]byte{tag}, unhex(t, content)...)
			checkFaultEverywhere(t, cbor.Options{}, data, fault{category: cbor.ErrInvalidTag})
		}
	}
}

// TestTagZero checks that tag 0 takes nothing but text.
func TestTagZero(t *testing.T) {
	for _, content := range []string{"00", "20", "40", "54323031332d30332d32315432303a30343a30305a", "80", "a0", "f6", "f7", "f90000", "f4",
		"c074323031332d30332d32315432303a30343a30305a", "d9d9f774323031332d30332d32315432303a30343a30305a"} {
		data := append([]byte{0xc0}, unhex(t, content)...)
		checkFaultEverywhere(t, cbor.Options{}, data, fault{category: cbor.ErrInvalidTag})
	}
}

// TestOtherTags checks the tags 259 and 55799 and those without a meaning.
func TestOtherTags(t *testing.T) {
	tag := func(n uint64, c any) cbor.Tag { return cbor.Tag{Number: n, Content: c} }
	tests := []struct {
		hex  string
		want any
	}{
		{"d9d9f700", int64(0)},
		{"d9d9f7f6", nil},
		{"d9d9f7d9d9f780", []any{}},
		{"81d9d9f7c24101", []any{bigInt("1")}},
		{"d9d9f7a1616100", map[string]any{"a": int64(0)}},
		{"d9d9f7d90103a0", map[any]any{}},
		{"d90103a1616100", map[any]any{"a": int64(0)}},
		{"d90103a1a0a0", cbor.Map{{Key: map[string]any{}, Value: map[string]any{}}}},
		{"da00000103a0", map[any]any{}}, // in a longer head
		{"d80074" + hex.EncodeToString([]byte("2013-03-21T20:04:00Z")), time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
		{"c400", tag(4, int64(0))},
		{"c4822101", tag(4, []any{int64(-2), int64(1)})},
		{"d7d7d740", tag(23, tag(23, tag(23, []byte{})))},
		{"d8ff6161", tag(255, "a")},
		{"d9ffffc100", tag(65535, time.Unix(0, 0).UTC())},
		{"dbffffffffffffffffa0", tag(math.MaxUint64, map[string]any{})},
		{"d864d90103a0", tag(100, map[any]any{})},
	}
	for _, test := range tests {
		checkValue(t, cbor.Options{}, unhex(t, test.hex), test.want)
	}
	for _, content := range []string{"00", "20", "40", "60", "80", "f6", "f93c00", "c100", "d9d9f7a0", "d90103a0"} {
		data := append(unhex(t, "d90103"), unhex(t, content)...)
		checkFaultEverywhere(t, cbor.Options{}, data, fault{category: cbor.ErrInvalidTag})
	}
}

// TestRawTags checks that no tag has a meaning, whatever its content is.
func TestRawTags(t *testing.T) {
	raw := cbor.Options{RawTags: true}
	contents := []struct {
		hex  string
		want any
	}{
		{"00", int64(0)},
		{"3bffffffffffffffff", bigInt("-18446744073709551616")},
		{"4101", []byte{1}},
		{"5f4101ff", []byte{1}},
		{"6161", "a"},
		{"80", []any{}},
		{"a1616100", map[string]any{"a": int64(0)}},
		{"a1a000", cbor.Map{{Key: map[string]any{}, Value: int64(0)}}},
		{"f97e00", math.Float64frombits(0x7ff8 << 48)},
		{"f6", nil},
		{"c101", cbor.Tag{Number: 1, Content: int64(1)}},
	}
	heads := map[string]uint64{"c0": 0, "c1": 1, "c2": 2, "c3": 3, "d90103": 259, "d9d9f7": 55799, "d864": 100}
	for head, number := range heads {
		for _, c := range contents {
			checkValue(t, raw, unhex(t, head+c.hex), cbor.Tag{Number: number, Content: c.want})
		}
	}
	checkValue(t, raw, unhex(t, "a1c10001"), cbor.Map{{Key: cbor.Tag{Number: 1, Content: int64(0)}, Value: int64(1)}})
}
