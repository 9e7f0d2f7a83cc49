package cbor_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

// errUser is the error of a TagFunc.
var errUser = errors.New("not wanted")

// errorTests has every kind of fault, at the top level and inside each kind of
// container.
var errorTests = []struct {
	name, before, fault string // the offset of the fault is len(before)
	category            error
	path                string
	o                   cbor.Options
}{
	// Cut off: in a head, in a string, where a head is missing.
	{"head", "8201", "1901", io.ErrUnexpectedEOF, "/1", cbor.Options{}},
	{"string", "8201", "4301", io.ErrUnexpectedEOF, "/1", cbor.Options{}},
	{"text", "a16161", "6301", io.ErrUnexpectedEOF, "/a", cbor.Options{}},
	{"element", "820182", "", io.ErrUnexpectedEOF, "/1/0", cbor.Options{}},
	{"element or break", "9f0102", "", io.ErrUnexpectedEOF, "/2", cbor.Options{}},
	{"key", "8201a2616101", "", io.ErrUnexpectedEOF, "/1", cbor.Options{}},
	{"key or break", "8201bf616101", "", io.ErrUnexpectedEOF, "/1", cbor.Options{}},
	{"key's argument", "81a2616101", "18", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"value", "81a16162", "", io.ErrUnexpectedEOF, "/0/b", cbor.Options{}},
	{"tag content", "81c1", "", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"other tag's content", "81d864", "", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"chunk or break", "815f4101", "", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"chunk's head", "817f6161", "78", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"chunk's body", "817f6161", "6261", io.ErrUnexpectedEOF, "/0", cbor.Options{}},
	{"after a tag", "82c100c1", "", io.ErrUnexpectedEOF, "/1", cbor.Options{}},

	{"reserved", "8200", "1c", cbor.ErrMalformed, "/1", cbor.Options{}},
	{"reserved key", "81a100", "fe", cbor.ErrMalformed, "/0/0", cbor.Options{}},
	{"key reserved", "81a1", "3d", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"simple", "81a16161", "f81f", cbor.ErrMalformed, "/0/a", cbor.Options{}},
	{"indefinite integer", "9f", "1f", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"indefinite tag", "a100", "df00", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"chunk of text", "82005f4101", "6161ff", cbor.ErrMalformed, "/1", cbor.Options{}},
	{"tagged chunk", "7f", "c06161ff", cbor.ErrMalformed, "", cbor.Options{}},
	{"nested chunk", "a1615f7f", "7f6161ffff", cbor.ErrMalformed, "/_", cbor.Options{}},
	{"break for an element", "a1616182f6", "ff", cbor.ErrMalformed, "/a/1", cbor.Options{}},
	{"break for a key", "81a2616101", "ff", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"break for a value", "81a16161", "ff", cbor.ErrMalformed, "/0/a", cbor.Options{}},
	{"break after a key", "81bf6161", "ff", cbor.ErrMalformed, "/0/a", cbor.Options{}},
	{"break for a tag's content", "9fc1", "ffff", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"break alone", "", "ff", cbor.ErrMalformed, "", cbor.Options{}},
	{"inside a key", "81a18201", "ff", cbor.ErrMalformed, "/0", cbor.Options{}},
	{"inside a key in a key", "a1a181", "1d", cbor.ErrMalformed, "", cbor.Options{}},

	{"trailing", "8100", "00", cbor.ErrTrailingData, "", cbor.Options{}},
	{"trailing break", "8100", "ff", cbor.ErrTrailingData, "", cbor.Options{}},

	{"text", "8200", "61ff", cbor.ErrInvalidUTF8, "/1", cbor.Options{}},
	{"chunk", "82007f6161", "61ffff", cbor.ErrInvalidUTF8, "/1", cbor.Options{}},
	{"key text", "8200a1", "61ff00", cbor.ErrInvalidUTF8, "/1", cbor.Options{}},
	{"key chunk", "8200a17f", "61ffff00", cbor.ErrInvalidUTF8, "/1", cbor.Options{}},
	{"text in a key", "a181", "61ff00", cbor.ErrInvalidUTF8, "", cbor.Options{}},
	{"text in a tag", "81d864", "61ff", cbor.ErrInvalidUTF8, "/0", cbor.Options{}},

	{"date", "8200", "c06161", cbor.ErrInvalidTag, "/1", cbor.Options{}},
	{"tag in a tag", "a16161d864", "c140", cbor.ErrInvalidTag, "/a", cbor.Options{}},
	{"bignum", "9f", "c200ff", cbor.ErrInvalidTag, "/0", cbor.Options{}},
	{"tag in a key", "a181", "c36000", cbor.ErrInvalidTag, "", cbor.Options{}},
	{"key with a tag", "81a1", "c300f6", cbor.ErrInvalidTag, "/0", cbor.Options{}},

	{"depth", "828081", "80", cbor.ErrLimit, "/1/0", cbor.Options{MaxDepth: 2}},
	{"depth of a tag", "a16161c1", "c100", cbor.ErrLimit, "/a", cbor.Options{MaxDepth: 2}},
	{"depth in a key", "a181", "8000", cbor.ErrLimit, "", cbor.Options{MaxDepth: 2}},
	{"size", "8243010203", "00", cbor.ErrLimit, "/1", cbor.Options{MaxItemBytes: 5}},
	{"size of a string", "82", "43010203", cbor.ErrLimit, "/0", cbor.Options{MaxItemBytes: 4}},

	{"MapText", "8200a2616101", "0100", cbor.ErrMapKey, "/1", cbor.Options{Maps: cbor.MapText}},
	{"MapAny", "8200a20101", "8000", cbor.ErrMapKey, "/1", cbor.Options{Maps: cbor.MapAny}},

	{"duplicate", "8200a2616101", "616102", cbor.ErrDuplicateKey, "/1/a", cbor.Options{}},
	{"third key", "a3616101616202", "616100", cbor.ErrDuplicateKey, "/a", cbor.Options{}},
}

// TestErrors checks offset, path and category of every kind of fault.
func TestErrors(t *testing.T) {
	for _, test := range errorTests {
		data := unhex(t, test.before+test.fault)
		t.Run(test.name, func(t *testing.T) {
			checkFaultEverywhere(t, test.o, data, fault{test.category, len(unhex(t, test.before)), test.path})
		})
	}
}

// TestPaths checks the segments of paths by a fault in a value.
func TestPaths(t *testing.T) {
	tests := []struct{ before, path string }{
		{"9818" + strings.Repeat("00", 23), "/23"},
		{"a160", "/"},
		{"a163612f62", "/a~1b"},
		{"a163617e62", "/a~0b"},
		{"a1627e31", "/~01"},
		{"a162c3a9", "/é"},
		{"a17f61616162ff", "/ab"},
		{"a118ff", "/255"},
		{"a139ffff", "/-65536"},
		{"a13bffffffffffffffff", "/-18446744073709551616"},
		{"a1f5", "/true"},
		{"a1f6", "/null"},
		{"a1f7", "/undefined"},
		{"a1e5", "/simple(5)"},
		{"a1f93e00", "/1.5"},
		{"a1f97e00", "/NaN"},
		{"a1420aff", "/h'0aff'"},
		{"a15f410141ffff", "/(_ h'01', h'ff')"},
		{"a182016161", `/[1, "a"]`},
		{"a1d82063612f62", `/32("a~1b")`},
		{"a1c249010000000000000000", "/18446744073709551616"},
		{"a1a101a0", "/{1: {}}"},
		{"a10081a2616100616282c074323031332d30332d32315432303a30343a30305a", "/0/0/b/1"},
		{"a1d9d9f76161a101", `/55799("a")/1`},
	}
	for _, test := range tests {
		before := unhex(t, test.before)
		for _, m := range []cbor.MapMode{cbor.MapAuto, cbor.MapOrdered} {
			o := cbor.Options{Maps: m}
			checkFaultEverywhere(t, o, append(before[:len(before):len(before)], 0x1c), fault{cbor.ErrMalformed, len(before), test.path})
			checkFaultEverywhere(t, o, append(before[:len(before):len(before)], 0x61, 0xff), fault{cbor.ErrInvalidUTF8, len(before), test.path})
		}
	}
}

// TestFirstFault checks that the first of two faults in reading order is
// reported, but for a duplicate key, which is found when its map ends.
func TestFirstFault(t *testing.T) {
	tests := []struct {
		hex  string
		want fault
	}{
		{"8261ff1c", fault{cbor.ErrInvalidUTF8, 1, "/0"}},
		{"821c61ff", fault{cbor.ErrMalformed, 1, "/0"}},
		{"82c0001c", fault{cbor.ErrInvalidTag, 1, "/0"}},
		{"c061ff", fault{cbor.ErrInvalidUTF8, 1, ""}},
		{"c0811c", fault{cbor.ErrMalformed, 2, "/0"}},
		{"82a2616101616102ff", fault{cbor.ErrDuplicateKey, 5, "/0/a"}},
		{"8161ff00", fault{cbor.ErrInvalidUTF8, 1, "/0"}}, // before the data behind it
		{"a201000100", fault{cbor.ErrDuplicateKey, 3, "/1"}},
		{"a201a2616100616100c000", fault{cbor.ErrDuplicateKey, 6, "/1/a"}},
	}
	for _, test := range tests {
		data := unhex(t, test.hex)
		for _, r := range valuePaths(cbor.Options{}, data) {
			checkFault(t, data, r, test.want)
		}
	}
	// Before or at the end of the map.
	data := unhex(t, "a3 6161 01 6161 02 6162 1c")
	for _, r := range valuePaths(cbor.Options{}, data) {
		if errors.Is(r.err, cbor.ErrDuplicateKey) {
			checkFault(t, data, r, fault{cbor.ErrDuplicateKey, 4, "/a"})
		} else {
			checkFault(t, data, r, fault{cbor.ErrMalformed, 9, "/b"})
		}
	}
}

// TestTagFunc checks what a TagFunc gets, gives, and refuses.
func TestTagFunc(t *testing.T) {
	var got []any
	o := cbor.Options{Tags: map[uint64]cbor.TagFunc{
		100:       func(c any) (any, error) { got = append(got, c); return "hundred", nil },
		1:         func(c any) (any, error) { return c, nil },
		5:         func(c any) (any, error) { return nil, errUser },
		6:         func(c any) (any, error) { return nil, nil },
		1<<64 - 1: func(c any) (any, error) { return []any{c}, nil },
	}}
	tests := []struct {
		hex  string
		want any
		got  []any
	}{
		{"d86400", "hundred", []any{int64(0)}},
		{"d864d8648102", "hundred", []any{[]any{int64(2)}, "hundred"}},
		{"d864c24102", "hundred", []any{bigInt("2")}},
		{"d864d818420102", "hundred", []any{cbor.Tag{Number: 24, Content: []byte{1, 2}}}},
		{"c16161", "a", nil}, // another meaning for tag 1
		{"c600", nil, nil},
		{"dbffffffffffffffff00", []any{int64(0)}, nil},
		{"a1d86400c107", cbor.Map{{Key: "hundred", Value: int64(7)}}, []any{int64(0)}},
		{"c074323031332d30332d32315432303a30343a30305a", appendixA[46].want, nil},
	}
	for _, raw := range []bool{false, true} {
		o.RawTags = raw
		for _, test := range tests {
			got = nil
			want, wantGot := test.want, test.got
			switch {
			case raw && test.hex[:2] == "c0":
				want = cbor.Tag{Number: 0, Content: "2013-03-21T20:04:00Z"}
			case raw && test.hex == "d864c24102":
				wantGot = []any{cbor.Tag{Number: 2, Content: []byte{2}}}
			}
			v, err := o.Decode(unhex(t, test.hex))
			if diff := cmp.Diff(want, v, exact); diff != "" || err != nil {
				t.Errorf("%s, raw %v (-want +got):\n%s, %v", test.hex, raw, diff, err)
			}
			if diff := cmp.Diff(wantGot, got, exact); diff != "" {
				t.Errorf("%s, raw %v: contents (-want +got):\n%s", test.hex, raw, diff)
			}
			checkWellformed(t, o, unhex(t, test.hex))
		}
	}
	for _, test := range []struct {
		hex  string
		off  int
		path string
	}{{"c500", 0, ""}, {"8200c500", 2, "/1"}, {"a16161d864c580", 5, "/a"}, {"a1c50000", 1, ""}, {"a181c50000", 2, ""}} {
		data := unhex(t, test.hex)
		checkFaultEverywhere(t, o, data, fault{cbor.ErrInvalidTag, test.off, test.path})
		for _, r := range valuePaths(o, data) {
			if !errors.Is(r.err, errUser) {
				t.Errorf("%s, %s: %v, want the error of the TagFunc beside ErrInvalidTag", test.hex, r.path, r.err)
			}
		}
	}
}

func TestErrorMessages(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []string{"1c", "0000", "61ff", "a200000000", "c000", "18"} {
		_, err := cbor.Decode(unhex(t, s))
		e, ok := err.(*cbor.DecodeError)
		if !ok {
			t.Fatalf("%s: %v is a %T", s, err, err)
		}
		msg := err.Error()
		if !strings.HasPrefix(msg, "cbor: ") || strings.Count(msg, "cbor: ") != 1 || strings.HasSuffix(msg, ".") || seen[msg] {
			t.Errorf("%s: message %q", s, msg)
		}
		seen[msg] = true
		if errors.Unwrap(err) != e.Err || e.Err == nil {
			t.Errorf("%s: Unwrap", s)
		}
	}
	_, err := cbor.Decode(unhex(t, "82a163612f621c00"))
	for _, want := range []string{"6", "/0/a~1b"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("message %q lacks %q", err, want)
		}
	}
}
