package cbor

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"
)

// A hexItem keeps its encoding in hexadecimal.
type hexItem string

func (h *hexItem) UnmarshalCBOR(data []byte) error {
	if data[0] == 0x40 {
		return errRefused
	}
	*h = hexItem(hex.EncodeToString(data))
	return nil
}

var errRefused = errors.New("refused")

// A reader reads what its own value says: "two" items, "none", and so on.
type reader string

func (r *reader) UnmarshalCBORFrom(d *Decoder) error {
	switch *r {
	case "none":
		return nil
	case "two":
		d.Skip()
		_, err := d.ReadValue()
		return err
	case "half":
		_, err := d.ReadArrayHeader()
		return err
	case "head":
		_, err := d.ReadTag()
		return err
	case "loop":
		for range d.Array() {
			break
		}
		return nil
	case "int":
		_, err := d.ReadInt64()
		return err
	case "elements":
		for range d.Array() {
			if _, err := d.ReadText(); err != nil {
				return err
			}
		}
		return nil
	case "refuse":
		return errRefused
	}
	s, err := d.ReadText()
	*r = reader(fmt.Sprintf("%s to %d", s, d.InputOffset()))
	return err
}

func TestUnmarshaler(t *testing.T) {
	type target struct {
		A hexItem
		P *hexItem
		N *hexItem
		S []hexItem
		M map[hexItem]int
	}
	data := unhex(t, "a5 6141 d9d9f7 8101 6150 f97e00 614e f6 6153 82 f6 f7 614d a1 4101 05")
	want := target{"d9d9f78101", ptr(hexItem("f97e00")), nil, []hexItem{"f6", "f7"}, map[hexItem]int{"4101": 5}}
	var got target
	if err := Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	err := Unmarshal(unhex(t, "a1 6153 81 40"), &got)
	if !errors.Is(err, errRefused) || !errors.Is(err, ErrType) ||
		err.Error() != "cbor: offset 4, /S/0: byte string does not fit cbor.hexItem (target.S): refused" {
		t.Errorf("got %v", err)
	}
}

func TestUnmarshalerFrom(t *testing.T) {
	var r reader
	rest, err := UnmarshalFirst(unhex(t, "6161 01"), &r)
	if err != nil || r != "a to 2" || len(rest) != 1 {
		t.Errorf("got %q, %x, %v", r, rest, err)
	}
	var list []reader
	if err := Unmarshal(unhex(t, "82 6161 6162"), &list); err != nil || !reflect.DeepEqual(list, []reader{"a to 3", "b to 5"}) {
		t.Errorf("got %q, %v", list, err)
	}
	for _, tt := range []struct {
		reader reader
		hex    string
		off    int64
		path   string
		err    error
	}{
		{"none", "01", 3, "/A", ErrType},
		{"two", "01", 3, "/A", ErrType},
		{"half", "8101", 3, "/A", ErrType},
		{"head", "c101", 3, "/A", ErrType},
		{"loop", "820102", 3, "/A", nil},
		{"int", "820102", 3, "/A", ErrType},
		{"refuse", "01", 3, "/A", errRefused},
		{"elements", "82616161ff", 6, "/A", ErrInvalidUTF8},
		{"none", "1c", 3, "/A", ErrMalformed},
		{"int", "811c", 4, "/A", ErrMalformed},
	} {
		v := struct{ A reader }{tt.reader}
		err := Unmarshal(unhex(t, "a16141"+tt.hex), &v)
		if !errors.Is(err, tt.err) || errors.Is(err, io.EOF) {
			t.Errorf("%s: got %v, want %v", tt.reader, err, tt.err)
		}
		if e, ok := err.(*DecodeError); ok && (e.Offset != tt.off || e.Path != tt.path) {
			t.Errorf("%s: got offset %d, path %q; want %d, %q", tt.reader, e.Offset, e.Path, tt.off, tt.path)
		}
	}
}

func TestUnmarshalInterface(t *testing.T) {
	n := 5
	var held any = &n
	if err := Unmarshal([]byte{7}, &held); err != nil || n != 7 || held != any(&n) {
		t.Errorf("a pointer in an interface: got %v, %d, %v", held, n, err)
	}
	var s shape = &disc{1}
	if err := Unmarshal(unhex(t, "a1 6152 f94000"), &s); err != nil || *s.(*disc) != (disc{2}) {
		t.Errorf("a pointer in an interface with methods: got %v, %v", s, err)
	}
	if err := Unmarshal(unhex(t, "f6"), &s); err != nil || s != nil {
		t.Errorf("null: got %v, %v", s, err)
	}
	if err := Unmarshal(unhex(t, "a0"), &s); !errors.Is(err, ErrType) {
		t.Errorf("an interface with methods: got %v, want ErrType", err)
	}
	var str fmt.Stringer
	if err := Unmarshal(unhex(t, "c1 00"), &str); err != nil || str != fmt.Stringer(time.Unix(0, 0).UTC()) {
		t.Errorf("a time: got %v, %v", str, err)
	}
	var self any
	self = &self
	if err := Unmarshal([]byte{1}, &self); err != nil || self != any(int64(1)) {
		t.Errorf("a pointer to itself: got %v, %v", self, err)
	}
	var old any = "text"
	if err := Unmarshal([]byte{1}, &old); err != nil || old != any(int64(1)) {
		t.Errorf("a value: got %v, %v", old, err)
	}
	type loop *loop
	var l loop
	if err := Unmarshal([]byte{1}, &l); !errors.Is(err, ErrType) {
		t.Errorf("a type that points to itself: got %v, want ErrType", err)
	}
}

func TestUnmarshalReuse(t *testing.T) {
	s := make([]int, 1, 4)
	first := &s[0]
	if err := Unmarshal(unhex(t, "83 f6 01 02"), &s); err != nil || !reflect.DeepEqual(s, []int{0, 1, 2}) || &s[0] != first {
		t.Errorf("slice of ints: got %v, %v", s, err)
	}
	in := []inner{{1, 2}, {3, 4}}
	keep := &in[0]
	if err := Unmarshal(unhex(t, "81 a1 6158 05"), &in); err != nil || !reflect.DeepEqual(in, []inner{{X: 5}}) || &in[0] != keep {
		t.Errorf("slice of structs: got %v, %v", in, err)
	}
	m := map[string]int{"a": 1, "b": 2}
	same := m
	if err := Unmarshal(unhex(t, "a2 6161 05 6163 06"), &m); err != nil || !reflect.DeepEqual(same, map[string]int{"a": 5, "b": 2, "c": 6}) {
		t.Errorf("map: got %v, %v", same, err)
	}
	texts := map[string]string{"a": "1"}
	if err := Unmarshal(unhex(t, "a1 6161 60"), &texts); err != nil || !reflect.DeepEqual(texts, map[string]string{"a": ""}) {
		t.Errorf("map of text: got %v, %v", texts, err)
	}
	if err := Unmarshal(unhex(t, "a2 6161 60 6161 60"), &texts); !errors.Is(err, ErrDuplicateKey) {
		t.Errorf("duplicate in a map with entries: got %v", err)
	}
	p := ptr(1)
	q := p
	if err := Unmarshal([]byte{2}, &p); err != nil || p != q || *p != 2 {
		t.Errorf("pointer: got %v, %v", *p, err)
	}
}

func TestUnmarshalOptions(t *testing.T) {
	t.Run("DisallowUnknownFields", func(t *testing.T) {
		o := Options{DisallowUnknownFields: true}
		for _, tt := range []struct{ hex, msg string }{
			{"a2 6158 01 6141 1c", `cbor: offset 4, /A: cbor.inner has no field "A"`},
			{"a1 03 01", `cbor: offset 1, /3: cbor.inner has no field 3`},
			{"a1 8101 01", `cbor: offset 1, /[1]: cbor.inner has no field [1]`},
		} {
			if err := o.Unmarshal(unhex(t, tt.hex), new(inner)); !errors.Is(err, ErrType) || err.Error() != tt.msg {
				t.Errorf("got %v, want %v", err, tt.msg)
			}
		}
	})
	t.Run("AllowDuplicateKeys", func(t *testing.T) {
		o := Options{AllowDuplicateKeys: true}
		var v struct {
			A inner
			M map[string]int
		}
		data := unhex(t, "a5 6141 a1 6158 01 6161 a1 6159 02 614d a2 6162 01 6162 02 615a 01 615a 02")
		err := o.Unmarshal(data, &v)
		if err != nil || v.A != (inner{Y: 2}) || !reflect.DeepEqual(v.M, map[string]int{"b": 2}) {
			t.Errorf("got %+v, %v", v, err)
		}
	})
	t.Run("InvalidUTF8", func(t *testing.T) {
		var v struct {
			S string `cbor:"a�"`
		}
		o := Options{InvalidUTF8: ReplaceInvalidUTF8}
		if err := o.Unmarshal(unhex(t, "a1 6261ff 61ff"), &v); err != nil || v.S != "\uFFFD" {
			t.Errorf("replace: got %q, %v", v.S, err)
		}
		if err := o.Unmarshal(unhex(t, "a2 61ff 01 61fe 01"), new(inner)); !errors.Is(err, ErrDuplicateKey) {
			t.Errorf("keys that are equal once replaced: got %v", err)
		}
		o.InvalidUTF8 = AllowInvalidUTF8
		if err := o.Unmarshal(unhex(t, "a2 61ff 01 61fe 01"), new(inner)); err != nil {
			t.Errorf("allow: got %v", err)
		}
	})
	t.Run("MaxItemBytes", func(t *testing.T) {
		data := unhex(t, "a2 6158 01 6141 8101")
		if err := (Options{MaxItemBytes: int64(len(data))}).Unmarshal(data, new(inner)); err != nil {
			t.Error(err)
		}
		if err := (Options{MaxItemBytes: int64(len(data)) - 1}).Unmarshal(data, new(inner)); !errors.Is(err, ErrLimit) {
			t.Errorf("got %v, want ErrLimit", err)
		}
	})
}

// TestUnmarshalTags has TagFuncs for targets of many kinds.
func TestUnmarshalTags(t *testing.T) {
	o := Options{Tags: map[uint64]TagFunc{
		1000: func(any) (any, error) { return disc{2}, nil },
		1001: func(c any) (any, error) { return c, nil },
		1002: func(c any) (any, error) { return nil, errRefused },
		0:    func(c any) (any, error) { return time.Unix(5, 0), nil },
	}}
	var v struct {
		D disc
		P *disc
		S shape
		I int8
		T time.Time
		R RawMessage
		N string
	}
	data := unhex(t, "a7 6144 d903e8 01 6150 d903e8 01 6153 d903e8 01 6149 d903e9 05 6154 c0 01 6152 d903ea 01 614e d903e9 6161")
	err := o.Unmarshal(data, &v)
	if err != nil || v.D.R != 2 || v.P.R != 2 || v.S != shape(disc{2}) || v.I != 5 || v.T.Unix() != 5 || len(v.R) != 4 || v.N != "a" {
		t.Errorf("got %+v, %v", v, err)
	}
	err = o.Unmarshal(unhex(t, "a1 6149 d903e8 01"), &v)
	if !errors.Is(err, ErrType) || err.Error() != "cbor: offset 3, /I: the value of a tag, of type cbor.disc, does not fit int8 (I)" {
		t.Errorf("got %v", err)
	}
	if err = o.Unmarshal(unhex(t, "d903ea 01"), &v); !errors.Is(err, ErrInvalidTag) || !errors.Is(err, errRefused) {
		t.Errorf("got %v", err)
	}
}

// TestUnmarshalDepth counts levels of all kinds, those passed over too.
func TestUnmarshalDepth(t *testing.T) {
	type target struct {
		S [][]int
		M map[string]map[string]int
		T int
		R RawMessage
		H hexItem
		W [0]int
		Z any
	}
	for _, tt := range []string{
		"a1 6153 81 80", "a1 614d a1 6161 a0", "a1 6154 c6 c6 01", "a1 6152 81 80", "a1 6148 81 80", "a1 6151 81 80",
		"a1 6157 81 80", "a1 615a c6 80", "a1 6151 9f 80 ff", "a1 81 80 01",
	} {
		data := unhex(t, tt)
		if err := (Options{MaxDepth: 3}).Unmarshal(data, new(target)); err != nil {
			t.Errorf("%s: %v", tt, err)
		}
		err := (Options{MaxDepth: 2}).Unmarshal(data, new(target))
		want := Options{MaxDepth: 2}.Wellformed(data)
		if !errors.Is(err, ErrLimit) || err.(*DecodeError).Offset != want.(*DecodeError).Offset ||
			!strings.Contains(err.Error(), "more than 2 levels") {
			t.Errorf("%s: got %v, want %v", tt, err, want)
		}
	}
}

func TestUnmarshalAlias(t *testing.T) {
	type target struct {
		B []byte
		R RawMessage
		S string
		C []byte
		T []byte
	}
	input := unhex(t, "a5 6142 420102 6152 4103 6153 6161 6143 5f 4104 ff 6154 c1 4105")
	aliases := func(b []byte, data []byte) bool {
		p, q := uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(unsafe.Pointer(unsafe.SliceData(data)))
		return p >= q && p < q+uintptr(len(data))
	}
	for _, o := range []Options{{}, {AliasText: true}, {CopyBytes: true}} {
		data := bytes.Clone(input)
		var v target
		if err := o.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		for name, b := range map[string][]byte{"B": v.B, "R": v.R, "T": v.T} {
			if aliases(b, data) == o.CopyBytes {
				t.Errorf("%+v: %s aliases: %v", o, name, !o.CopyBytes)
			}
			if !o.CopyBytes && cap(b) != len(b) {
				t.Errorf("%+v: %s has the capacity %d, want %d", o, name, cap(b), len(b))
			}
		}
		if aliases([]byte(v.C), data) {
			t.Errorf("%+v: joined chunks alias the input", o)
		}
		clear(data)
		if got, want := v.S == "a", !o.AliasText; got != want {
			t.Errorf("%+v: text kept: %v, want %v", o, got, want)
		}
	}
}

func TestUnmarshalAllocs(t *testing.T) {
	var r benchRecord
	data := encode(t, benchRecord{Time: 1, Level: "info", Message: strings.Repeat("m", 100), Trace: []byte{1}})
	for _, tt := range []struct {
		name  string
		data  []byte
		v     any
		o     Options
		limit float64
	}{
		{"struct with AliasText", data, &r, Options{AliasText: true}, 0},
		{"ints into the same slice", unhex(t, "83010203"), &[]int64{1, 2, 3}, Options{}, 0},
		{"unknown fields", unhex(t, "a2 6141 80 6142 a0"), &inner{}, Options{}, 0},
	} {
		got := testing.AllocsPerRun(100, func() {
			if err := tt.o.Unmarshal(tt.data, tt.v); err != nil {
				t.Fatal(err)
			}
		})
		if got > tt.limit && !raceEnabled {
			t.Errorf("%s: %v allocations, want %v", tt.name, got, tt.limit)
		}
	}
	// A length from the wire alone allocates no more than the input could hold.
	type large [1 << 16]byte
	for _, v := range []any{new([]large), new(map[int]large), new([]int64), new(map[string]string)} {
		head := byte(0x9b)
		if reflect.TypeOf(v).Elem().Kind() == reflect.Map {
			head = 0xbb
		}
		claim := append([]byte{head, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{0xff}, 1000)...)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := Unmarshal(claim, v); !errors.Is(err, ErrMalformed) {
			t.Errorf("%T: got %v, want ErrMalformed", v, err)
		}
		runtime.ReadMemStats(&after)
		got := after.TotalAlloc - before.TotalAlloc
		if got > 1<<20 {
			t.Errorf("%T: a false claim allocates %d bytes", v, got)
		}
	}
}

// TestUnmarshalLongPath has an error below many long keys, whose path must not
// cost more than the keys are long.
func TestUnmarshalLongPath(t *testing.T) {
	type nested map[string]nested
	const levels, length = 200, 5000
	var data []byte
	for range levels {
		data = append(data, 0xa1, 0x79, length>>8, length&0xff)
		data = append(data, bytes.Repeat([]byte("k"), length)...)
	}
	data = append(data, 0x01)
	want := strings.Repeat("/"+strings.Repeat("k", length), levels)
	for name, d := range map[string]*Decoder{
		"memory": NewDecoderBytes(data),
		"stream": NewDecoder(iotest.HalfReader(bytes.NewReader(data))),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := d.Decode(new(nested))
		runtime.ReadMemStats(&after)
		e, ok := err.(*DecodeError)
		if !ok || e.Path != want || e.Offset != int64(len(data)-1) || !errors.Is(err, ErrType) {
			t.Errorf("%s: got another error than an ErrType below %d keys", name, levels)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > 20*uint64(len(data)) {
			t.Errorf("%s: %d bytes allocated for %d of input", name, got, len(data))
		}
	}
}
