package cbor

import (
	"encoding/hex"
	"errors"
	"io"
	"math"
	"math/big"
	"net/netip"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// unhex returns the bytes of s, in which spaces are allowed.
func unhex(tb testing.TB, s string) []byte {
	tb.Helper()
	data, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

func ptr[T any](x T) *T { return &x }

func bigInt(s string) *big.Int {
	i, ok := new(big.Int).SetString(s, 0)
	if !ok {
		panic(s)
	}
	return i
}

type (
	namedInt    int16
	namedText   string
	namedBytes  []byte
	namedByte   byte
	namedInts   []int64
	namedFloats []float64
	chain       struct {
		Value int
		Next  *chain
	}
	tree struct {
		Kids  []tree
		ByKey map[string]*tree
	}
	inner  struct{ X, Y int }
	hidden struct{ Shown int }
	outer  struct {
		inner
		*Deep
		hidden `cbor:"hidden"`
		Y      string
	}
	Deep struct{ Z int }
	ints struct {
		A int `cbor:"1,keyasint"`
		B int `cbor:"-2,keyasint"`
		C int `cbor:"1000,keyasint,omitempty"`
		D int `cbor:"1"`
	}
	tuple struct {
		_ struct{} `cbor:",toarray"`
		A int
		B string
		C []int
	}
	cases struct {
		Name  int
		NAME  int
		Other int `json:"other,omitempty"`
		Kelin int `cbor:"Kelvin"`
		Skip  int `cbor:"-"`
		Dash  int `cbor:"-,"`
		lower int //lint:ignore U1000 decoders leave it alone
	}
	tagged struct {
		A int `cbor:"alpha" json:"gamma"`
		B int `json:"beta"`
	}
	shape interface{ Area() float64 }
	disc  struct{ R float64 }
)

func (d disc) Area() float64 { return 3 * d.R * d.R }

// unmarshaled lists items and what they give in a new target of the type of
// want.
var unmarshaled = []struct {
	name string
	hex  string
	want any
}{
	{"bool false", "f4", false},
	{"bool true", "f5", true},
	{"int", "01", int(1)},
	{"int8 max", "187f", int8(127)},
	{"int8 min", "387f", int8(-128)},
	{"int16 min", "397fff", int16(-32768)},
	{"int32 min", "3a7fffffff", int32(math.MinInt32)},
	{"int64 max", "1b7fffffffffffffff", int64(math.MaxInt64)},
	{"int64 min", "3b7fffffffffffffff", int64(math.MinInt64)},
	{"named int", "1903e8", namedInt(1000)},
	{"int in a long head", "1b0000000000000001", int8(1)},
	{"uint8 max", "18ff", uint8(255)},
	{"uint64 max", "1bffffffffffffffff", uint64(math.MaxUint64)},
	{"uintptr", "18ff", uintptr(255)},
	{"bignum into int", "c24101", int(1)},
	{"negative bignum into int", "c34101", int(-2)},
	{"bignum with leading zeros into uint64", "c249 00ffffffffffffffff", uint64(math.MaxUint64)},
	{"bignum into float64", "c249 010000000000000000", float64(1 << 63 * 2)},
	{"unknown tag on int", "d903e8 01", int(1)},
	{"tags on tags", "d9d9f7 d903e8 01", int(1)},
	{"int into float64", "1903e8", float64(1000)},
	{"-2^64 into float64", "3bffffffffffffffff", float64(-0x1p64)},
	{"negative int into float32", "20", float32(-1)},
	{"half into float64", "f93e00", float64(1.5)},
	{"half into float32", "f93e00", float32(1.5)},
	{"double rounded into float32", "fb3fb999999999999a", float32(0.1)},
	{"infinity into float32", "fb7ff0000000000000", float32(math.Inf(1))},
	{"text", "6161", "a"},
	{"chunked text", "7f 6161 6162 ff", "ab"},
	{"named text", "6161", namedText("a")},
	{"bytes", "4101", []byte{1}},
	{"empty bytes", "40", []byte{}},
	{"chunked bytes", "5f 4101 40 4102 ff", []byte{1, 2}},
	{"array into bytes", "83 01 18ff 00", []byte{1, 255, 0}},
	{"named bytes", "4101", namedBytes{1}},
	{"bytes of a named type", "4101", []namedByte{1}},
	{"byte array, rest zeroed", "420102", [3]byte{1, 2, 0}},
	{"byte array, surplus dropped", "43010203", [2]byte{1, 2}},
	{"array into byte array", "8201 02", [2]byte{1, 2}},
	{"array of ints, surplus dropped", "83 01 02 a16161f6", [2]int{1, 2}},
	{"array of ints, rest zeroed", "9f 01 ff", [2]int{1, 0}},
	{"empty slice", "80", []int{}},
	{"ints", "85 00 20 1903e8 3903e7 1b7fffffffffffffff", []int64{0, -1, 1000, -1000, math.MaxInt64}},
	{"ints, indefinite", "9f 00 20 c24105 ff", []int64{0, -1, 5}},
	{"ints with null", "83 01 f6 03", []int64{1, 0, 3}},
	{"named ints", "8201 20", namedInts{1, -1}},
	{"small ints", "82 187f 387f", []int8{127, -128}},
	{"uints", "82 00 19ffff", []uint16{0, 65535}},
	{"floats", "86 f93e00 fa3fc00000 fb3ff8000000000000 01 20 1903e8", []float64{1.5, 1.5, 1.5, 1, -1, 1000}},
	{"named floats", "81 f93e00", namedFloats{1.5}},
	{"float32s", "82 fb3fb999999999999a 05", []float32{0.1, 5}},
	{"texts", "83 6161 60 7f6162ff", []string{"a", "", "b"}},
	{"bools", "82f4f5", []bool{false, true}},
	{"anys", "84 01 f6 f7 8101", []any{int64(1), nil, nil, []any{int64(1)}}},
	{"slices of slices", "82 8101 80", [][]int{{1}, {}}},
	{"pointers", "82 01 f6", []*int{ptr(1), nil}},
	{"pointer to pointer", "01", ptr(ptr(1))},
	{"tagged null is a nil pointer", "d9d9f7 f6", (*int)(nil)},
	{"map of text", "a2 6161 6162 6163 60", map[string]string{"a": "b", "c": ""}},
	{"map of any", "bf 6161 f7 6162 8101 ff", map[string]any{"a": nil, "b": []any{int64(1)}}},
	{"map of int keys", "a2 01 6161 20 6162", map[int8]string{1: "a", -1: "b"}},
	{"map of float keys", "a2 01 01 fb3ff8000000000000 02", map[float64]int{1: 1, 1.5: 2}},
	{"map of any keys", "a4 01 01 6161 02 4101 03 f6 04", map[any]int{int64(1): 1, "a": 2, ByteString("\x01"): 3, nil: 4}},
	{"map of byte-string keys", "a1 4101 01", map[ByteString]int{"\x01": 1}},
	{"map of array keys", "a1 4101 01", map[[2]byte]int{{1, 0}: 1}},
	{"map of struct keys", "a1 a16158 01 02", map[inner]int{{X: 1}: 2}},
	{"map of text-unmarshaler keys", "a1 67312e322e332e34 01", map[netip.Addr]int{netip.MustParseAddr("1.2.3.4"): 1}},
	{"empty map", "a0", map[string]int{}},
	{"list", "a2 6556616c7565 01 644e657874 a1 6576616c7565 02", chain{1, &chain{2, nil}}},
	{"tree", "a1 644b696473 82 a0 a1 6542794b6579 a1 6161 f6", tree{Kids: []tree{{}, {ByKey: map[string]*tree{"a": nil}}}}},
	{"embedded structs", "a5 6158 01 6159 6162 615a 03 6668696464656e a1 6553686f776e 04 6553686f776e 05",
		outer{inner: inner{X: 1}, Deep: &Deep{3}, hidden: hidden{4}, Y: "b"}},
	{"integer keys", "a5 01 0a 21 0b 1903e8 0c 6131 0d 02 0e", ints{10, 11, 12, 13}},
	{"no integer keys", "a3 4101 4101 e1 01 f4 01", diffNum{}},
	{"integer keys in long heads", "a2 1801 0a 3900 01 0b", ints{A: 10, B: 11}},
	{"tuple", "83 01 6161 8102", tuple{A: 1, B: "a", C: []int{2}}},
	{"tuple, indefinite", "9f 01 6161 f6 ff", tuple{A: 1, B: "a"}},
	{"exact name", "a1 644e414d45 01", cases{NAME: 1}},
	{"other case: the first", "a1 646e616d65 01", cases{Name: 1}},
	{"other case beyond ASCII", "a1 68e284aa656c76696e 01", cases{Kelin: 1}},
	{"json tag", "a1 654f54484552 01", cases{Other: 1}},
	{"fields left alone", "a3 64536b6970 01 656c6f776572 02 612d 03", cases{Dash: 3}},
	{"cbor tag before json tag", "a2 65616c706861 01 6462657461 02", tagged{1, 2}},
	{"chunked key", "a1 7f 62616c 63706861 ff 01", tagged{A: 1}},
	{"keys that name no field", "a5 01 02 4158 03 f6 04 8101 05 6158 06", inner{X: 6}},
	{"undefined leaves a field alone", "a1 6158 f7", inner{}},
	{"self-described", "d9d9f7 a1 6158 01", inner{X: 1}},
	{"time, tag 0", "c0 74323031332d30332d32315432303a30343a30305a", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
	{"time, tag 1", "c1 1a514b67b0", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
	{"time, tag 1, float", "c1 fb41d452d9ec200000", time.Date(2013, 3, 21, 20, 4, 0, 5e8, time.UTC)},
	{"time, text", "74323031332d30332d32315432303a30343a30305a", time.Date(2013, 3, 21, 20, 4, 0, 0, time.UTC)},
	{"time, number", "20", time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC)},
	{"time, float", "f93800", time.Date(1970, 1, 1, 0, 0, 0, 5e8, time.UTC)},
	{"big.Int", "3bffffffffffffffff", *bigInt("-18446744073709551616")},
	{"big.Int, bignum", "c249010000000000000000", bigInt("18446744073709551616")},
	{"RawMessage", "82 d9d9f7 01 f6", []RawMessage{{0xd9, 0xd9, 0xf7, 1}, {0xf6}}},
	{"Tag", "c1 01", Tag{1, int64(1)}},
	{"Map", "a2 6162 01 8101 f7", Map{{"b", int64(1)}, {[]any{int64(1)}, Undefined}}},
	{"Simple", "85 e0 f4 f6 f7 f8ff", []Simple{0, 20, 22, 23, 255}},
	{"ByteString", "4101", ByteString("\x01")},
	{"netip.Addr from text", "67312e322e332e34", netip.MustParseAddr("1.2.3.4")},
	{"netip.Addr from bytes behind tag 52", "d834 4401020304", netip.MustParseAddr("1.2.3.4")},
	{"netip.Addr from bytes behind tag 54", "d836 50 20010db8000000000000000000000001", netip.MustParseAddr("2001:db8::1")},
	{"url.URL from bytes", "47 687474703a2f2f", url.URL{Scheme: "http"}},
	{"url.URL from text behind tag 32", "d820 68 687474703a2f2f61", url.URL{Scheme: "http", Host: "a"}},
}

func TestUnmarshal(t *testing.T) {
	for _, tt := range unmarshaled {
		t.Run(tt.name, func(t *testing.T) {
			v := reflect.New(reflect.TypeOf(tt.want))
			if err := Unmarshal(unhex(t, tt.hex), v.Interface()); err != nil {
				t.Fatal(err)
			}
			if got := v.Elem().Interface(); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %#v, want %#v", got, tt.want)
			}
		})
	}
}

// TestUnmarshalCutOff checks every proper prefix of the items above.
func TestUnmarshalCutOff(t *testing.T) {
	for _, tt := range unmarshaled {
		data := unhex(t, tt.hex)
		for n := 1; n < len(data); n++ {
			err := Unmarshal(data[:n:n], reflect.New(reflect.TypeOf(tt.want)).Interface())
			if !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: the first %d bytes: got %v, want %v", tt.name, n, err, io.ErrUnexpectedEOF)
			}
			var e *DecodeError
			want := Wellformed(data[:n])
			if errors.As(err, &e) && e.Offset != want.(*DecodeError).Offset {
				t.Errorf("%s: the first %d bytes: got offset %d, want that of %v", tt.name, n, e.Offset, want)
			}
		}
	}
}

// mismatched lists items that a new target of the type of target refuses.
var mismatched = []struct {
	name   string
	hex    string
	target any
	err    error
	msg    string
}{
	{"text into int", "6161", int(0), ErrType, "cbor: offset 0: text string does not fit int"},
	{"float into int", "f93c00", int(0), ErrType, "cbor: offset 0: floating-point number does not fit int"},
	{"too large for int8", "1880", int8(0), ErrType, "cbor: offset 0: unsigned integer 128 does not fit int8"},
	{"too small for int8", "3880", int8(0), ErrType, "cbor: offset 0: negative integer -129 does not fit int8"},
	{"too large for int64", "1b8000000000000000", int64(0), ErrType, "cbor: offset 0: unsigned integer 9223372036854775808 does not fit int64"},
	{"too small for int64", "3b8000000000000000", int64(0), ErrType, "cbor: offset 0: negative integer -9223372036854775809 does not fit int64"},
	{"negative into uint", "20", uint(0), ErrType, "cbor: offset 0: negative integer -1 does not fit uint"},
	{"bignum too large for uint64", "c249010000000000000000", uint64(0), ErrType, ""},
	{"bignum that is none", "c2 01", int(0), ErrInvalidTag, ""},
	{"too large for float32", "fb47f0000000000000", float32(0), ErrType, ""},
	{"simple value into uint8", "e0", uint8(0), ErrType, "cbor: offset 0: simple value does not fit uint8"},
	{"bool into int", "f5", int(0), ErrType, "cbor: offset 0: boolean does not fit int"},
	{"int into bool", "01", false, ErrType, "cbor: offset 0: unsigned integer does not fit bool"},
	{"text into bytes", "6161", []byte(nil), ErrType, "cbor: offset 0: text string does not fit []uint8"},
	{"text into byte array", "6161", [1]byte{}, ErrType, ""},
	{"bytes into string", "4161", "", ErrType, "cbor: offset 0: byte string does not fit string"},
	{"text into ByteString", "6161", ByteString(""), ErrType, ""},
	{"byte string into ints", "4101", []int(nil), ErrType, ""},
	{"byte string into Simples", "4101", []Simple(nil), ErrType, ""},
	{"256 into bytes", "81 190100", []byte(nil), ErrType, "cbor: offset 1, /0: unsigned integer 256 does not fit uint8"},
	{"map into slice", "a0", []int(nil), ErrType, "cbor: offset 0: map does not fit []int"},
	{"array into map", "80", map[string]int(nil), ErrType, "cbor: offset 0: array does not fit map[string]int"},
	{"array into struct", "80", inner{}, ErrType, "cbor: offset 0: array does not fit cbor.inner"},
	{"map into tuple", "a0", tuple{}, ErrType, "cbor: offset 0: map does not fit cbor.tuple"},
	{"short tuple", "82 01 6161", tuple{}, ErrType, "cbor: offset 0: array of 2 elements does not fit cbor.tuple"},
	{"long tuple, indefinite", "9f 01 6161 80 01 ff", tuple{}, ErrType, ""},
	{"short tuple, indefinite", "9f 01 6161 ff", tuple{}, ErrType, ""},
	{"tuple field", "83 01 02 80", tuple{}, ErrType, "cbor: offset 2, /1: unsigned integer does not fit string (tuple.B)"},
	{"struct field", "a2 6158 01 6159 6161", inner{}, ErrType, "cbor: offset 6, /Y: text string does not fit int (inner.Y)"},
	{"element of a field", "a1 644b696473 82 a0 01", tree{}, ErrType, "cbor: offset 8, /Kids/1: unsigned integer does not fit cbor.tree (tree.Kids)"},
	{"path of a key in other case", "a1 6178 6161", inner{}, ErrType, "cbor: offset 3, /x: text string does not fit int (inner.X)"},
	{"path of an integer key", "a1 21 6161", ints{}, ErrType, "cbor: offset 2, /-2: text string does not fit int (ints.B)"},
	{"map value", "a1 61 2f 6161", map[string]int(nil), ErrType, "cbor: offset 3, /~1: text string does not fit int"},
	{"map key", "a1 01 01", map[string]int(nil), ErrType, "cbor: offset 1: unsigned integer does not fit string"},
	{"element of ints", "82 01 6161", []int64(nil), ErrType, "cbor: offset 2, /1: text string does not fit int64"},
	{"element of floats", "82 01 6161", []float64(nil), ErrType, "cbor: offset 2, /1: text string does not fit float64"},
	{"element of texts", "82 6161 01", []string(nil), ErrType, "cbor: offset 3, /1: unsigned integer does not fit string"},
	{"time that is none", "6161", time.Time{}, ErrType, "cbor: offset 0: text string that is not RFC 3339 does not fit time.Time"},
	{"time, NaN", "f97e00", time.Time{}, ErrType, ""},
	{"time beyond the year 9999", "1b000000ffffffffff", time.Time{}, ErrType, ""},
	{"time, tag 0 on a number", "c0 01", time.Time{}, ErrInvalidTag, ""},
	{"time, tag 0 on other text", "c0 6161", time.Time{}, ErrInvalidTag, ""},
	{"time, tag 1 on text", "c1 74323031332d30332d32315432303a30343a30305a", time.Time{}, ErrInvalidTag, ""},
	{"time, bytes", "4101", time.Time{}, ErrType, ""},
	{"big.Int, float", "f93c00", big.Int{}, ErrType, ""},
	{"Tag without a tag", "01", Tag{}, ErrType, ""},
	{"Simple, number", "01", Simple(0), ErrType, ""},
	{"interface with methods", "a1 01 a0", map[int]shape(nil), ErrType, "cbor: offset 2, /1: map, which is a map[string]interface {} in Go, does not fit cbor.shape"},
	{"keyasint without an integer", "a0", struct {
		A int `cbor:"a,keyasint"`
	}{}, ErrType, ""},
	{"channel", "01", (chan int)(nil), ErrType, "cbor: offset 0: unsigned integer does not fit chan int"},
	{"netip.Addr", "6161", netip.Addr{}, ErrType, ""},
	{"duplicate field", "a2 6158 01 6158 02", inner{}, ErrDuplicateKey, "cbor: offset 4, /X: duplicate map key"},
	{"two keys for one field", "a2 6158 01 6178 02", inner{}, ErrDuplicateKey, "cbor: offset 4, /x: duplicate map key"},
	{"duplicate unknown key", "a2 6141 01 6141 02", inner{}, ErrDuplicateKey, "cbor: offset 4, /A: duplicate map key"},
	{"duplicate unknown array key", "a2 8101 01 811801 02", inner{}, ErrDuplicateKey, "cbor: offset 4, /[1]: duplicate map key"},
	{"duplicate key of a map", "a2 6161 01 6161 02", map[string]int(nil), ErrDuplicateKey, "cbor: offset 4, /a: duplicate map key"},
	{"duplicate key of a text map", "a2 6161 60 6161 60", map[string]string(nil), ErrDuplicateKey, "cbor: offset 4, /a: duplicate map key"},
	{"duplicate key of an any map", "a2 6161 60 6161 60", map[string]any(nil), ErrDuplicateKey, "cbor: offset 4, /a: duplicate map key"},
	{"one key in Go", "a2 01 01 f93c00 01", map[float64]int(nil), ErrDuplicateKey, ""},
	{"NaN twice", "a2 f97e00 01 fa7fc00000 01", map[float64]int(nil), ErrDuplicateKey, ""},
	{"array key in map[any]int", "a1 8101 01", map[any]int(nil), ErrMapKey, ""},
	{"tag key in map[any]int", "a1 c101 01", map[any]int(nil), ErrMapKey, ""},
	{"invalid text", "61ff", "", ErrInvalidUTF8, ""},
	{"invalid key", "a1 61ff 01", inner{}, ErrInvalidUTF8, ""},
	{"break", "ff", int(0), ErrMalformed, ""},
	{"break in a definite array", "81ff", []int(nil), ErrMalformed, ""},
	{"break as a value", "bf 6158 ff", inner{}, ErrMalformed, ""},
	{"break as a value of a map", "bf 6158 ff", map[string]int(nil), ErrMalformed, ""},
	{"break in an unknown field", "bf 6141 ff", inner{}, ErrMalformed, ""},
	{"break in a tag", "c1ff", time.Time{}, ErrMalformed, ""},
	{"break in a pointer", "ff", (*int)(nil), ErrMalformed, ""},
	{"break in an interface", "ff", any(nil), ErrMalformed, ""},
	{"break in raw", "ff", RawMessage(nil), ErrMalformed, ""},
	{"reserved head", "1c", int(0), ErrMalformed, ""},
	{"malformed unknown field", "a1 6141 1c", inner{}, ErrMalformed, "cbor: offset 3, /A: not well-formed: reserved additional information 28"},
}

func TestUnmarshalMismatch(t *testing.T) {
	for _, tt := range mismatched {
		t.Run(tt.name, func(t *testing.T) {
			typ := reflect.TypeFor[any]()
			if tt.target != nil {
				typ = reflect.TypeOf(tt.target)
			}
			err := Unmarshal(unhex(t, tt.hex), reflect.New(typ).Interface())
			var e *DecodeError
			if !errors.Is(err, tt.err) || !errors.As(err, &e) {
				t.Fatalf("got %v, want %v", err, tt.err)
			}
			if tt.msg != "" && err.Error() != tt.msg {
				t.Errorf("got  %v\nwant %v", err, tt.msg)
			}
		})
	}
}

func TestUnmarshalNull(t *testing.T) {
	type target struct {
		P *int
		S []int
		M map[string]int
		A any
		I error
		N int
		T string
		W [1]int
		D inner
		E time.Time
		B big.Int
	}
	now := time.Unix(1, 0).UTC()
	full := func() target {
		return target{ptr(1), []int{1}, map[string]int{"a": 1}, 1, io.EOF, 1, "t", [1]int{1}, inner{1, 2}, now, *big.NewInt(5)}
	}
	for _, null := range []string{"f6", "f7", "d9d9f7f6"} {
		data := []byte{0xab}
		for _, name := range "PSMAINTWDEB" {
			data = append(append(data, 0x61, byte(name)), unhex(t, null)...)
		}
		got, want := full(), full()
		want.P, want.S, want.M, want.A, want.I = nil, nil, nil, nil, nil
		if err := Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", null, got, err, want)
		}
	}
}

func TestUnmarshalTarget(t *testing.T) {
	for _, v := range []any{nil, 1, inner{}, (*int)(nil), map[string]int{}} {
		if err := Unmarshal([]byte{1}, v); !errors.Is(err, ErrType) {
			t.Errorf("%T: got %v, want ErrType", v, err)
		}
	}
	var i int
	if err := Unmarshal(nil, &i); err != io.EOF {
		t.Errorf("no data: got %v, want io.EOF", err)
	}
	err := Unmarshal([]byte{1, 2}, &i)
	if e, ok := err.(*DecodeError); !ok || !errors.Is(err, ErrTrailingData) || e.Offset != 1 {
		t.Errorf("trailing data: got %v, want ErrTrailingData at offset 1", err)
	}
	if rest, err := UnmarshalFirst([]byte{1, 2}, &i); err != nil || len(rest) != 1 || rest[0] != 2 || i != 1 {
		t.Errorf("UnmarshalFirst: got %d, %x, %v", i, rest, err)
	}
	if rest, err := UnmarshalFirst([]byte{0x60, 2}, &i); !errors.Is(err, ErrType) || rest != nil {
		t.Errorf("UnmarshalFirst with a mismatch: got %x, %v", rest, err)
	}
}

// TestUnmarshalConcurrent uses types for the first time from several goroutines.
func TestUnmarshalConcurrent(t *testing.T) {
	type leaf struct {
		A, B int
		L    map[string][]*leaf
	}
	type root struct {
		X leaf
		Y *root
		Z []leaf
	}
	data := unhex(t, "a3 6158 a2 6141 01 614c a1 6161 81 a1 6142 02 6159 a0 615a 81 a0")
	want := root{leaf{A: 1, L: map[string][]*leaf{"a": {{B: 2}}}}, &root{}, []leaf{{}}}
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			var r root
			if err := Unmarshal(data, &r); err != nil || !reflect.DeepEqual(r, want) {
				t.Errorf("got %+v, %v", r, err)
			}
		})
	}
	wg.Wait()
}
