package cbor

import (
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestUnmarshalLastValue decodes keys that come twice: the last value counts, and
// pointers that were there are kept.
func TestUnmarshalLastValue(t *testing.T) {
	type pair struct{ A, B int }
	type target struct {
		V any
		P *pair
		N any
		I int
		S pair
	}
	held, pointed, inner := pair{7, 7}, pair{8, 8}, pair{9, 9}
	nested := any(&inner)
	v := target{V: &held, P: &pointed, N: &nested, I: 5}
	data := unhex(t, "aa 6156 a1614101 6156 a1614202 6150 a1614103 6150 a1614204 614e a1614105 614e a1614206 6149 01 6149 f6 6153 a1614107 6153 a1614208")
	if err := (Options{AllowDuplicateKeys: true}).Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	if v.V != any(&held) || v.P != &pointed || v.N != any(&nested) || nested != any(&inner) {
		t.Errorf("a pointer was replaced: %+v", v)
	}
	if held != (pair{B: 2}) || pointed != (pair{B: 4}) || inner != (pair{B: 6}) || v.I != 1 || v.S != (pair{B: 8}) {
		t.Errorf("got %v, %v, %v, %v, %v", held, pointed, inner, v.I, v.S)
	}
}

// TestUnmarshalTagFuncPointer stores what a TagFunc returns in pointers and in
// what they point to.
func TestUnmarshalTagFuncPointer(t *testing.T) {
	var result any
	o := Options{Tags: map[uint64]TagFunc{
		32: func(c any) (any, error) { return url.Parse(c.(string)) },
		99: func(any) (any, error) { return result, nil },
	}}
	data := unhex(t, "d820 68 687474703a2f2f61")
	want := url.URL{Scheme: "http", Host: "a"}
	var p *url.URL
	var pp **url.URL
	var v url.URL
	var list []*url.URL
	var held any = new(url.URL)
	var none any
	for _, target := range []any{&p, &pp, &v, &held, &none} {
		if err := o.Unmarshal(data, target); err != nil {
			t.Errorf("%T: %v", target, err)
		}
	}
	if err := o.Unmarshal(append([]byte{0x81}, data...), &list); err != nil {
		t.Error(err)
	}
	for i, got := range []*url.URL{p, *pp, &v, list[0], held.(*url.URL), none.(*url.URL)} {
		if *got != want {
			t.Errorf("%d: got %v", i, got)
		}
	}
	if err := o.Unmarshal(unhex(t, "d863 00"), &p); err != nil || p != nil {
		t.Errorf("nil from a TagFunc: got %v, %v", p, err)
	}
	var n int
	for result = range map[any]bool{(*big.Int)(nil): true, (*int)(nil): true} {
		if err := o.Unmarshal(unhex(t, "d863 00"), &n); !errors.Is(err, ErrType) {
			t.Errorf("%T(nil) into an int: got %v, want ErrType", result, err)
		}
	}
	result, none = Undefined, nil
	if err := o.Unmarshal(unhex(t, "d863 00"), &none); err != nil || none != any(Undefined) {
		t.Errorf("Undefined from a TagFunc: got %v, %v", none, err)
	}
	result = Tag{7, int64(7)}
	var tag Tag
	if err := o.Unmarshal(unhex(t, "d863 01"), &tag); err != nil || tag != (Tag{7, int64(7)}) {
		t.Errorf("a Tag from a TagFunc: got %v, %v", tag, err)
	}
	var raw *RawMessage
	if err := o.Unmarshal(unhex(t, "d863 01"), &raw); err != nil || string(*raw) != "\xd8\x63\x01" {
		t.Errorf("RawMessage: got %x, %v", raw, err)
	}
}

// TestUnmarshalLastNull has null as the last value, which leaves the others alone,
// behind tags that the field does not know.
func TestUnmarshalLastNull(t *testing.T) {
	o := Options{AllowDuplicateKeys: true}
	for _, null := range []string{"f6", "d864 f6", "d864 d865 f7"} {
		var v struct {
			A int
			P *int
		}
		if err := o.Unmarshal(unhex(t, "a4 6141 05 6150 06 6141 "+null+" 6150 "+null), &v); err != nil || v.A != 5 || v.P != nil {
			t.Errorf("%s: got %v, %v", null, v, err)
		}
		o.MaxDepth = 1
		err := o.Unmarshal(unhex(t, "a2 6141 05 6141 "+null), &v)
		if deep := null != "f6"; errors.Is(err, ErrLimit) != deep || err != nil && err.(*DecodeError).Path != "/A" {
			t.Errorf("%s at depth 1: got %v", null, err)
		}
		o.MaxDepth = 0
	}
	var v struct{ A []int }
	if err := o.Unmarshal(unhex(t, "a2 6141 820102 6141 d864 8103"), &v); err != nil || !reflect.DeepEqual(v.A, []int{3}) {
		t.Errorf("got %v, %v", v, err)
	}
}

type tupleBase struct {
	_ struct{} `cbor:",toarray"`
	A int
}

// TestUnmarshalKeepsDefinitions decodes into structs as fxamacker/cbor has them.
func TestUnmarshalKeepsDefinitions(t *testing.T) {
	type lower struct{ A, B int }
	type named struct {
		lower `json:"x"`
		C     int
	}
	type pointed struct {
		*lower `cbor:"x"`
		C      int
	}
	data := unhex(t, "a2 6178 a2 6141 01 6142 02 6143 03")
	var n named
	if err := Unmarshal(data, &n); err != nil || n != (named{lower{1, 2}, 3}) {
		t.Errorf("an unexported struct with a name: got %+v, %v", n, err)
	}
	p := pointed{lower: new(lower)}
	if err := Unmarshal(data, &p); err != nil || *p.lower != (lower{1, 2}) || p.C != 3 {
		t.Errorf("a pointer to one: got %+v, %v", p, err)
	}
	if err := Unmarshal(data, &pointed{}); !errors.Is(err, ErrType) {
		t.Errorf("a nil pointer to one: got %v, want ErrType", err)
	}
	last := Options{
		AllowDuplicateKeys: true,
		Tags:               map[uint64]TagFunc{99: func(any) (any, error) { return lower{8, 9}, nil }},
	}
	for _, v := range []any{&named{}, &pointed{lower: new(lower)}} {
		twice := unhex(t, "a3 6143 04 6178 a1 6141 01 6178 a1 6142 02")
		if err := last.Unmarshal(twice, v); err != nil || fmt.Sprint(reflect.Indirect(reflect.ValueOf(v).Elem().Field(0))) != "{0 2}" {
			t.Errorf("%T twice: got %v, %v", v, v, err)
		}
		if err := last.Unmarshal(unhex(t, "a1 6178 d863 00"), v); !errors.Is(err, ErrType) {
			t.Errorf("%T from a TagFunc: got %v, %v; want ErrType", v, v, err)
		}
	}
	type indefinite struct {
		_ struct{} `cbor:",toindefarray"`
		A int
		B string
	}
	for _, item := range []string{"9f 01 6161 ff", "82 01 6161"} {
		var v indefinite
		if err := Unmarshal(unhex(t, item), &v); err != nil || v.A != 1 || v.B != "a" {
			t.Errorf("%s with toindefarray: got %+v, %v", item, v, err)
		}
	}
	var promoted struct {
		tupleBase
		B int
	}
	if err := Unmarshal(unhex(t, "82 01 02"), &promoted); err != nil || promoted.A != 1 || promoted.B != 2 {
		t.Errorf("toarray of an embedded struct: got %+v, %v", promoted, err)
	}
}

// TestUnmarshalBeforeError looks at the entries that came before a fault.
func TestUnmarshalBeforeError(t *testing.T) {
	numbers := map[string]int{"z": 9}
	err := Unmarshal(unhex(t, "a2 6161 01 6162 6163"), &numbers)
	if !errors.Is(err, ErrType) || !reflect.DeepEqual(numbers, map[string]int{"z": 9, "a": 1}) {
		t.Errorf("got %v, %v", numbers, err)
	}
	texts := map[string]string{"z": ""}
	err = Unmarshal(unhex(t, "a2 6161 6162 6162 01"), &texts)
	if !errors.Is(err, ErrType) || !reflect.DeepEqual(texts, map[string]string{"z": "", "a": "b"}) {
		t.Errorf("got %v, %v", texts, err)
	}
}

type emptyInterface any

// TestUnmarshalDuplicateKeys decodes maps whose keys are equal as data items but
// not in Go.
func TestUnmarshalDuplicateKeys(t *testing.T) {
	stamp := "c0 7819 323031332d30332d32315432303a30343a30302b30353a3330" // 2013-03-21T20:04:00+05:30
	for _, tt := range []struct {
		target any
		key    string
	}{
		{map[time.Time]int{}, stamp}, {map[time.Time]int{}, "c1 00"}, {map[[1]time.Time]int{}, "81" + stamp}, {map[struct{ T any }]int{}, "a1 6154 " + stamp},
		{map[*int]int{}, "01"}, {map[*big.Int]int{}, "c2 4101"}, {map[fmt.Stringer]int{}, "c2 49010000000000000000"},
		{map[[1]any]int{}, "81" + stamp}, {map[struct{ A [1]any }]int{}, "a1 6141 81" + stamp},
		{map[float64]int{}, "f97e00"}, {map[[1]float64]int{}, "81 f97e00"}, {map[struct{ F float32 }]int{}, "a1 6146 f97e00"},
		{map[emptyInterface]int{}, "4101"}, {map[emptyInterface]int{}, "f6"}, {map[any]int{}, "4101"},
	} {
		twice := unhex(t, "a2 "+tt.key+" 01 "+tt.key+" 02")
		v := reflect.New(reflect.TypeOf(tt.target))
		var e *DecodeError
		err := Unmarshal(twice, v.Interface())
		if want := int64(1 + len(unhex(t, tt.key)) + 1); !errors.Is(err, ErrDuplicateKey) || !errors.As(err, &e) || e.Offset != want {
			t.Errorf("%T, %s: got %v, %v; want a duplicate key at %d", tt.target, tt.key, v.Elem(), err, want)
		}
		v = reflect.New(reflect.TypeOf(tt.target))
		err = (Options{AllowDuplicateKeys: true}).Unmarshal(twice, v.Interface())
		if isNaN := strings.Contains(tt.key, "f97e00"); err != nil || !isNaN && v.Elem().Len() != 1 {
			t.Errorf("%T, %s, allowed: got %v, %v", tt.target, tt.key, v.Elem(), err)
		}
	}
	var m map[emptyInterface]int
	if err := Unmarshal(unhex(t, "a3 4101 01 f6 02 01 03"), &m); err != nil || !reflect.DeepEqual(m, map[emptyInterface]int{ByteString("\x01"): 1, nil: 2, int64(1): 3}) {
		t.Errorf("got %v, %v", m, err)
	}
}

// TestUnmarshalKeysForgotten decodes keys with keys inside, and then maps with
// duplicate keys by the same working memory.
func TestUnmarshalKeysForgotten(t *testing.T) {
	type holder struct{ A int }
	o := Options{Tags: map[uint64]TagFunc{99: func(any) (any, error) { return [1]any{int64(1)}, nil }}}
	for item, target := range map[string]any{
		"a1 a2 6141 01 8180 00 0a":         new(map[holder]int),
		"a1 a3 6141 01 8180 00 8181 00 0a": new(map[holder]int),
		"a1 81 d863 a1 8100 00 01":         new(map[[1]any]int),
		"a1 d863 a1 8100 00 01":            new(map[any]int),
		"a1 a1 6141 a1 8102 03 01":         new(map[struct{ A any }]int),
		"a1 81 a1 8102 03 01":              new(map[[1]any]int),
		"81 a1 a2 6141 01 8102 00 0a":      new([]map[holder]int),
	} {
		o.Unmarshal(unhex(t, item), target) // may be an ErrMapKey
		for bad, off := range map[string]int64{"a2 8501020304050085010203040500 00": 8, "a2 8102 00 8102 00": 4} {
			for range 4 {
				v, err := Decode(unhex(t, bad))
				var e *DecodeError
				if !errors.As(err, &e) || e.Err != ErrDuplicateKey && !errors.Is(err, ErrDuplicateKey) || e.Offset != off {
					t.Fatalf("%s after %s into %T: got %v, %v; want a duplicate key at %d", bad, item, target, v, err, off)
				}
			}
		}
		if v, err := Decode(unhex(t, "a1 8101 02")); err != nil || !reflect.DeepEqual(v, Map{{[]any{int64(1)}, int64(2)}}) {
			t.Errorf("after %s into %T: got %v, %v", item, target, v, err)
		}
	}
}

// TestUnmarshalNaNKeys decodes into nil maps with keys that do not equal
// themselves.
func TestUnmarshalNaNKeys(t *testing.T) {
	var m map[float64]int
	data := unhex(t, "a2 f97e00 01 f93c00 02")
	if err := Unmarshal(data, &m); err != nil || len(m) != 2 {
		t.Errorf("got %v, %v", m, err)
	}
	if err := Unmarshal(data, &m); err != nil || len(m) != 3 { // NaN once more
		t.Errorf("added: got %v, %v", m, err)
	}
}

// A sour returns an error that wraps io.EOF.
type sour struct{}

type sourError struct{}

func (*sourError) Error() string { return "sour" }
func (*sourError) Unwrap() error { return io.EOF }

func (*sour) UnmarshalCBOR([]byte) error { return &sourError{} }

// A sourFrom reads one item and returns such an error.
type sourFrom struct{}

func (*sourFrom) UnmarshalCBORFrom(d *Decoder) error {
	if err := d.Skip(); err != nil {
		return err
	}
	return &sourError{}
}

// TestUserEOF returns errors from user code that wrap io.EOF: they keep their
// type and are no io.EOF.
func TestUserEOF(t *testing.T) {
	o := Options{Tags: map[uint64]TagFunc{99: func(any) (any, error) { return nil, &sourError{} }}}
	for _, target := range []any{new(sour), new(sourFrom), new(any), new([]sour)} {
		err := o.Unmarshal(unhex(t, "81 d863 01"), target)
		var own *sourError
		if !errors.As(err, &own) || errors.Is(err, io.EOF) || !strings.HasSuffix(err.Error(), ": sour") {
			t.Errorf("%T: got %v", target, err)
		}
	}
}

// TestUnmarshalFloat32 rounds integers to float32 once.
func TestUnmarshalFloat32(t *testing.T) {
	for item, want := range map[string]float32{
		"1b1000001000000001": 0x1.000002p60, "3b1000001000000000": -0x1.000002p60, "c2481000001000000001": 0x1.000002p60,
		"3bffffffffffffffff": -0x1p64, "1bffffffffffffffff": 0x1p64, "1a01000001": 0x1p24, "1a01000003": 0x1.000004p24,
	} {
		var f float32
		if err := Unmarshal(unhex(t, item), &f); err != nil || f != want {
			t.Errorf("%s: got %v, %v; want %v", item, f, err, want)
		}
	}
}

// TestUnmarshalCircular decodes into interfaces that refer to each other.
func TestUnmarshalCircular(t *testing.T) {
	var a, b any
	a, b = &b, &a
	if err := Unmarshal([]byte{1}, &a); err != nil || a != any(int64(1)) {
		t.Errorf("two interfaces: got %v, %v", a, err)
	}
	var c any
	p := &c
	c = &p
	if err := Unmarshal([]byte{1}, &c); err != nil || c != any(int64(1)) {
		t.Errorf("an interface and a pointer: got %v, %v", c, err)
	}
}

// TestUnmarshalErrorTexts looks at messages that must help or stay short.
func TestUnmarshalErrorTexts(t *testing.T) {
	type badKey struct {
		A int `cbor:"x,keyasint"`
	}
	err := Unmarshal([]byte{0xa0}, new(badKey))
	if want := "cbor: offset 0: the name of badKey.A is no integer, which keyasint asks for"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	long := append([]byte{0xa1, 0x79, 0xff, 0xff}, strings.Repeat("k", 0xffff)...)
	err = (Options{DisallowUnknownFields: true}).Unmarshal(append(long, 0), new(inner))
	var e *DecodeError
	if !errors.As(err, &e) || len(e.Err.Error()) > 200 {
		t.Errorf("the message for a long key has %d bytes", len(e.Err.Error()))
	}
}
