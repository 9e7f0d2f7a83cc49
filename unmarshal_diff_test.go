package cbor

import (
	"errors"
	"math"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"time"

	fxcbor "github.com/fxamacker/cbor/v2"
)

// The types that both decoders fill in TestUnmarshalDifferential. Simple, Tag,
// RawMessage and the like are types of each package and tested elsewhere.
type (
	diffBase struct {
		ID   int
		Name string `cbor:"name,omitempty"`
	}
	diffPair  struct{ A, B string }
	diffMixed struct {
		diffBase
		*diffPair
		B     bool
		Inner diffBase `json:"inner"`
	}
	diffNum struct {
		A int               `cbor:"1,keyasint"`
		B []byte            `cbor:"-1,keyasint"`
		C map[string]uint16 `cbor:"500,keyasint,omitempty"`
	}
	diffTuple struct {
		_ struct{} `cbor:",toarray"`
		A uint8
		B string
		C *float64
	}
	diffNested struct {
		L []diffNested
		M map[int]diffNested
		P *diffNested
		T diffTuple
	}
	diffTags struct {
		A int `cbor:"b"`
		B int `json:"c"`
		C int `cbor:"-"`
		D int `cbor:"-,"`
		E int `cbor:",omitempty"`
		f int //lint:ignore U1000 decoders leave it alone
	}
	diffTwins struct {
		diffOne
		diffTwo
	}
	diffOne   struct{ X, Y int }
	diffTwo   struct{ X, Z int }
	diffRank  struct{ diffNamed }
	diffNamed struct {
		X int
		Y int `cbor:"X"`
	}
	diffBlob   []byte
	diffText   string
	diffCount  uint32
	diffByte   uint8
	diffDeep   struct{ A struct{ B struct{ C []int } } }
	diffScalar struct {
		I  int
		I8 int8
		U  uint
		F  float32
		D  float64
		S  string
		B  bool
		X  []byte
		Y  [4]byte
		T  time.Time
		N  *big.Int
		Z  any
	}
)

var diffTypes = []any{
	false, int(0), int8(0), int16(0), int32(0), int64(0), uint(0), uint8(0), uint16(0), uint32(0), uint64(0),
	float32(0), float64(0), "", []byte(nil), [4]byte{}, time.Time{}, big.Int{},
	diffBlob(nil), diffText(""), diffCount(0), diffByte(0),
	[]bool(nil), []int(nil), []int8(nil), []int16(nil), []int32(nil), []int64(nil), []uint(nil), []uint16(nil), []uint32(nil), []uint64(nil),
	[]float32(nil), []float64(nil), []string(nil), [][]byte(nil), [][]int(nil), []diffText(nil), []diffCount(nil), []diffByte(nil),
	[]*int(nil), []time.Time(nil), []big.Int(nil), []diffBase(nil), []diffTuple(nil), []map[string]int(nil),
	[0]int{}, [2]int{}, [3]string{}, [2][2]int{}, [2]diffBase{}, [3]diffByte{},
	map[string]string(nil), map[string]int(nil), map[string][]byte(nil), map[string]float64(nil), map[string]bool(nil),
	map[int]string(nil), map[int8]int8(nil), map[uint64]bool(nil), map[bool]int(nil), map[float64]string(nil), map[diffText]int(nil),
	map[[2]byte]int(nil), map[string]map[string]int(nil), map[string]diffBase(nil), map[string]*diffBase(nil), map[diffBase]int(nil),
	(*int)(nil), (**string)(nil), (*diffBase)(nil), (*[]int)(nil), (*map[string]int)(nil), (*time.Time)(nil), (*big.Int)(nil),
	struct{}{}, diffBase{}, diffPair{}, diffMixed{}, diffNum{}, diffTuple{}, diffNested{}, diffTags{}, diffTwins{}, diffRank{}, diffDeep{}, diffScalar{},
	struct{ A, B any }{}, struct{ A []any }{}, struct{ A map[string]any }{},
}

// diffItems are decoded into each of the types: some match, most do not.
var diffItems = []string{
	"00", "01", "17", "1818", "187f", "1880", "18ff", "190100", "197fff", "198000", "19ffff", "1a0000ffff", "1a7fffffff", "1a80000000", "1affffffff",
	"1b7fffffffffffffff", "1b8000000000000000", "1bffffffffffffffff",
	"20", "37", "387f", "3880", "397fff", "398000", "3a7fffffff", "3a80000000", "3b7fffffffffffffff", "3b8000000000000000", "3bffffffffffffffff",
	"f93c00", "f93e00", "f97c00", "f97e00", "fa47c35000", "fa7f7fffff", "fb3ff199999999999a", "fb7e37e43c8800759c", "fb41d452d9ec200000",
	"f4", "f5", "f6", "f7",
	"40", "4401020304", "420102", "450102030405", "5f 4101 420203 ff",
	"60", "6161", "6a73747265616d696e67", "7f 6161 6162 ff", "74323031332d30332d32315432303a30343a30305a", "61ff",
	"80", "8101", "820102", "83010203", "8261616162", "826161f6", "82f5f4", "82 4101 4102", "82 820102 8101", "83 01 6161 f6", "83 01 6161 f93e00",
	"9f ff", "9f 01 20 ff", "9f 6161 6162 6163 ff", "83 f93c00 fb3ff199999999999a 01", "82 c100 c101", "81 c24101", "84 18ff 00 01 190100", "82 a0 a1 614902",
	"82 a1 624944 01 a1 646e616d65 6162",
	"a0", "a1 6161 6162", "a2 6161 01 6162 02", "a1 6161 4101", "a1 6161 f5", "a1 6161 f93e00", "a1 01 6161", "a2 01 02 20 03", "a1 f5 01", "a1 f4 f5", "a1 18ff f4",
	"a1 f93e00 6161", "a1 420102 05", "a1 6161 a1 6162 01", "a1 6161 a1 624944 01", "bf 6161 01 ff", "a1 6161 f6", "a1 f6 01", "a1 a1 624944 01 02",
	"a2 624944 01 646e616d65 6162", "a2 626964 01 644e414d45 6162", "a3 624944 01 65696e6e6572 a1 624944 02 6142 f5", "a2 6141 6161 6142 6162",
	"a2 01 05 20 4101", "a1 1901f4 a1 6161 02", "a1 31 02", "a2 6131 05 6178 01", "a1 6158 05", "a3 6158 01 6159 02 615a 03", "a5 6162 01 6163 02 6143 03 612d 04 6145 05",
	"a1 6166 01", "a2 614c 81 a1 6150 a0 614d a1 01 a0", "a1 6154 83 01 6161 f6", "a1 6154 82 01 6161", "a1 6141 a1 6142 a1 6143 820102", "a1 6141 8101", "a1 6141 a1 6162 01",
	"a2 6149 01 6253 f6 f6", "a4 6149 20 624938 387f 6155 05 6146 f93c00", "a4 6144 fb3ff199999999999a 6153 6161 6142 f5 6158 4101",
	"a3 6159 4401020304 6154 c1 1a514b67b0 614e c249010000000000000000", "a1 615a f6", "a1 624938 1880", "a1 6146 fb7e37e43c8800759c", "a1 6153 4161", "a1 6158 6161", "a1 6159 83010203",
	"c0 74323031332d30332d32315432303a30343a30305a", "c1 00", "c1 20", "c1 fb41d452d9ec200000", "c2 4101", "c2 49010000000000000000", "c3 4101", "c3 49010000000000000000", "c2 40",
	"d9d9f7 01", "d864 00", "d9d9f7 a1 6161 01", "d82a 4101", "d864 6161", "d864 8101", "d9d9f7 f6", "d864 a1 624944 01",
	"1c", "18", "81", "a1 01", "ff", "81 ff", "5f 01 ff", "9f", "f818", "a1 6161", "0000", "c1", "f9 00", "62 61",
}

// differs returns why the result for data in a type is not that of fxamacker/cbor
// on purpose, or "".
func differs(t reflect.Type, hex string, err, fxErr error) string {
	ok, fxOK := err == nil, fxErr == nil
	item := strings.ReplaceAll(hex, " ", "")
	switch {
	case errors.Is(err, ErrDuplicateKey) && fxOK:
		return "duplicate keys are an error"
	case ok && !fxOK && item[0] == 'a' && strings.ContainsRune("48acdef", rune(item[2])) && isStruct(t):
		return "keys that cannot name a field are unknown fields"
	case ok && !fxOK && item[:2] == "d8" && holdsTime(t):
		return "a tag that time.Time does not know is dropped"
	case !ok && fxOK && holdsTime(t):
		return "NaN, infinities and years beyond 9999 are no times"
	case ok && !fxOK && (item[0] == 'c' || item[:2] == "3b") && isFloat(t):
		return "integers and bignums of any size go into floats"
	case !ok && fxOK && strings.Contains(err.Error(), "map does not fit big.Int"):
		return "a big.Int is no struct without fields"
	}
	return ""
}

func isFloat(t reflect.Type) bool { return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64 }

func isStruct(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct
}

func holdsTime(t reflect.Type) bool {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t == reflect.TypeFor[time.Time]()
}

// TestUnmarshalDifferential decodes all items into all types with this package
// and with fxamacker/cbor.
func TestUnmarshalDifferential(t *testing.T) {
	fx, err := fxcbor.DecOptions{
		BigIntDec: fxcbor.BigIntDecodePointer,
		IntDec:    fxcbor.IntDecConvertSignedOrBigInt,
		TimeTag:   fxcbor.DecTagOptional,

		DefaultMapType: reflect.TypeFor[map[string]any](),
	}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	count, same := map[string]int{}, 0
	for _, zero := range diffTypes {
		typ := reflect.TypeOf(zero)
		for _, item := range diffItems {
			data := unhex(t, item)
			got, want := reflect.New(typ), reflect.New(typ)
			err, fxErr := Unmarshal(data, got.Interface()), fx.Unmarshal(data, want.Interface())
			if why := differs(typ, item, err, fxErr); why != "" {
				count[why]++
				continue
			}
			if (err == nil) != (fxErr == nil) {
				t.Errorf("%s into %v: got %v, fxamacker %v", item, typ, err, fxErr)
				continue
			}
			if err == nil {
				same++
				if !equalValues(got.Elem(), want.Elem()) {
					t.Errorf("%s into %v: got %#v, fxamacker %#v", item, typ, got.Elem(), want.Elem())
				}
			}
		}
	}
	t.Logf("%d types, %d items, %d equal values", len(diffTypes), len(diffItems), same)
	for why, n := range count {
		t.Logf("%d differences: %s", n, why)
	}
}

// equalValues compares deeply; times by the instant, NaN equals itself.
func equalValues(v, w reflect.Value) bool {
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		return v.Float() == w.Float() || math.IsNaN(v.Float()) && math.IsNaN(w.Float())
	case reflect.Pointer:
		return v.IsNil() == w.IsNil() && (v.IsNil() || equalValues(v.Elem(), w.Elem()))
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.IsNil() != w.IsNil() || v.Len() != w.Len() {
			return false
		}
		for i := range v.Len() {
			if !equalValues(v.Index(i), w.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		if x, ok := v.Interface().(time.Time); ok {
			return x.Equal(w.Interface().(time.Time))
		}
		if x, ok := v.Interface().(big.Int); ok {
			y := w.Interface().(big.Int)
			return x.Cmp(&y) == 0
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() && !equalValues(v.Field(i), w.Field(i)) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(v.Interface(), w.Interface())
}
