package cbor

import (
	"bytes"
	"errors"
	"io"
	"math/big"
	"reflect"
	"testing"
	"testing/iotest"
	"time"
)

// fuzzTypes are decoded into by FuzzUnmarshal; everyType has them all.
type (
	everyType struct {
		diffMixed
		I    int16
		U    uint64
		F    float32
		S    string
		X    []byte
		Y    [3]byte
		T    time.Time
		N    big.Int
		R    RawMessage
		G    Tag
		V    Simple
		K    ByteString
		O    Map
		H    hexItem
		E    *everyType
		L    []everyType
		M    map[string]everyType
		Ints []int64
		Flts []float64
		Strs []string
		Any  any
		Anys []any
		A    map[any]any
		Q    map[string]any
		W    map[string]string
		Z    map[float64]*int
		Tup  diffTuple
		Num  diffNum
		From fromItem
	}
	// A fromItem reads any item by the pull methods.
	fromItem struct{ v any }
)

func (f *fromItem) UnmarshalCBORFrom(d *Decoder) (err error) {
	f.v, err = d.ReadValue()
	return err
}

var fuzzTypes = []reflect.Type{
	reflect.TypeFor[everyType](), reflect.TypeFor[diffNested](), reflect.TypeFor[any](), reflect.TypeFor[[]any](), reflect.TypeFor[map[any]any](),
	reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](), reflect.TypeFor[[]int64](), reflect.TypeFor[[]float64](),
	reflect.TypeFor[[]string](), reflect.TypeFor[[][]byte](), reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[string](),
	reflect.TypeFor[[]time.Time](), reflect.TypeFor[big.Int](), reflect.TypeFor[RawMessage](), reflect.TypeFor[Tag](), reflect.TypeFor[Map](),
	reflect.TypeFor[struct{}](), reflect.TypeFor[inner](), reflect.TypeFor[diffTuple](), reflect.TypeFor[diffNum](), reflect.TypeFor[[2]inner](),
	reflect.TypeFor[map[inner][]int](), reflect.TypeFor[map[int8]Simple](), reflect.TypeFor[map[float32]hexItem](), reflect.TypeFor[map[shape]int](),
	reflect.TypeFor[map[[1]any]int](), reflect.TypeFor[fromItem](), reflect.TypeFor[[]fromItem](), reflect.TypeFor[tree](),
}

func FuzzUnmarshal(f *testing.F) {
	for _, tt := range unmarshaled {
		f.Add(unhex(f, tt.hex), uint8(0))
	}
	for _, tt := range mismatched {
		f.Add(unhex(f, tt.hex), uint8(1))
	}
	for i, item := range diffItems {
		f.Add(unhex(f, item), uint8(i))
	}
	f.Fuzz(func(t *testing.T, data []byte, mode uint8) {
		o := Options{
			CopyBytes:          mode&1 != 0,
			AllowDuplicateKeys: mode&2 != 0,
			RawTags:            mode&4 != 0,
			InvalidUTF8:        UTF8Mode((mode >> 3 & 3) % 3),
			MaxDepth:           int(mode >> 5),
		}
		for _, typ := range fuzzTypes {
			checkUnmarshal(t, o, data, typ)
		}
	})
}

// checkUnmarshal decodes the items of data into typ, from memory and from a
// stream.
func checkUnmarshal(t *testing.T, o Options, data []byte, typ reflect.Type) {
	v := reflect.New(typ)
	err := o.Unmarshal(data, v.Interface())
	var e *DecodeError
	if err != nil && err != io.EOF && !errors.As(err, &e) {
		t.Fatalf("%x into %v: got the error %v, of type %T", data, typ, err, err)
	}
	wellformed := o.Wellformed(data)
	if err == nil && wellformed != nil {
		t.Fatalf("%x into %v: got %v, Wellformed %v", data, typ, v.Elem(), wellformed)
	}
	for _, fault := range []error{ErrMalformed, io.ErrUnexpectedEOF, ErrLimit} {
		if errors.Is(err, fault) && !errors.Is(wellformed, fault) && !errors.Is(err, ErrType) {
			t.Fatalf("%x into %v: got %v, Wellformed %v", data, typ, err, wellformed)
		}
	}
	// What is left of the item after a mismatch is passed over by the next call,
	// in memory and on the stream alike.
	mem, str := o.NewDecoderBytes(data), o.NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
	for i := range 4 {
		v, w := reflect.New(typ), reflect.New(typ)
		err1, err2 := mem.Decode(v.Interface()), str.Decode(w.Interface())
		if i == 0 && err1 == nil && err != nil && !errors.Is(err, ErrTrailingData) {
			t.Fatalf("%x into %v: Unmarshal %v, Decoder %v", data, typ, err, v.Elem())
		}
		if (err1 == nil) != (err2 == nil) || err1 != nil && err1.Error() != err2.Error() {
			t.Fatalf("%x into %v: from memory %v, from a stream %v", data, typ, err1, err2)
		}
		if mem.InputOffset() != str.InputOffset() {
			t.Fatalf("%x into %v: at %d in memory, at %d on a stream", data, typ, mem.InputOffset(), str.InputOffset())
		}
		if err1 == nil && !equalValues(v.Elem(), w.Elem()) && !hasNaN(v.Elem()) {
			t.Fatalf("%x into %v: from memory %#v, from a stream %#v", data, typ, v.Elem(), w.Elem())
		}
		if err1 == io.EOF {
			break
		}
	}
}

// hasNaN reports whether v has a NaN, which equals nothing, in an interface or
// as a key.
func hasNaN(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return v.Float() != v.Float()
	case reflect.Interface, reflect.Pointer:
		return !v.IsNil() && hasNaN(v.Elem())
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if hasNaN(v.Index(i)) {
				return true
			}
		}
	case reflect.Map:
		for i := v.MapRange(); i.Next(); {
			if hasNaN(i.Key()) || hasNaN(i.Value()) {
				return true
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if hasNaN(v.Field(i)) {
				return true
			}
		}
	}
	return false
}
