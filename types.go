package cbor

import (
	"fmt"
	"math"
)

// A Tag is a tagged item whose number has no other meaning to the decoder
// (RFC 8949, section 3.4).
type Tag struct {
	Number  uint64
	Content any
}

// A Simple is a simple value (RFC 8949, section 3.3) other than false, true
// and null.
type Simple uint8

// Undefined is the simple value undefined.
const Undefined = Simple(23)

// String returns the value in diagnostic notation.
func (s Simple) String() string {
	if s == Undefined {
		return "undefined"
	}
	return fmt.Sprintf("simple(%d)", uint8(s))
}

// A ByteString is a byte string as the key of a map, where a []byte could not
// be compared.
type ByteString string

// A Map is a map in the order of the input. It holds keys of every type.
type Map []Entry

// An Entry is a key of a [Map] and its value.
type Entry struct{ Key, Value any }

// Get returns the value of a scalar key: of any integer type of Go, float64,
// string, []byte or ByteString, bool, nil, or Simple. It looks at one entry
// after the other; range over the Map for keys of other types. An integer and
// a float are never the same key, nor a byte string and a text string.
func (m Map) Get(key any) (value any, ok bool) {
	key, ok = normalKey(key)
	if !ok {
		return nil, false
	}
	for i := range m {
		if m[i].Key == key { // no panic: the types differ or are comparable
			return m[i].Value, true
		}
	}
	return nil, false
}

// normalKey returns key with the type that it has in a Map.
func normalKey(key any) (any, bool) {
	switch k := key.(type) {
	case nil, bool, string, float64, int64, ByteString, Simple:
		return key, true
	case []byte:
		return ByteString(k), true
	case int:
		return int64(k), true
	case int8:
		return int64(k), true
	case int16:
		return int64(k), true
	case int32:
		return int64(k), true
	case uint:
		return normalUint(uint64(k)), true
	case uint8:
		return int64(k), true
	case uint16:
		return int64(k), true
	case uint32:
		return int64(k), true
	case uint64:
		return normalUint(k), true
	case uintptr:
		return normalUint(uint64(k)), true
	}
	return nil, false
}

// normalUint returns u as an int64 if it fits.
func normalUint(u uint64) any {
	if u <= math.MaxInt64 {
		return int64(u)
	}
	return u
}

// A RawMessage is one encoded item. It can delay decoding, or give the exact
// bytes of an item for a hash or a signature.
type RawMessage []byte

// Kind returns the kind of the item, from its initial byte alone. It is
// KindInvalid if m is empty.
func (m RawMessage) Kind() Kind {
	if len(m) == 0 {
		return KindInvalid
	}
	return kindOf(m[0])
}

// MarshalCBOR returns m, or null if m is nil.
func (m RawMessage) MarshalCBOR() ([]byte, error) {
	if m == nil {
		return []byte{0xf6}, nil
	}
	return m, nil
}

// UnmarshalCBOR sets *m to a copy of data in new memory.
func (m *RawMessage) UnmarshalCBOR(data []byte) error {
	if m == nil {
		return fmt.Errorf("cbor: UnmarshalCBOR on a nil *RawMessage")
	}
	*m = append(RawMessage{}, data...)
	return nil
}

// A Kind is the kind of a data item, as its initial byte tells it.
type Kind uint8

const (
	KindInvalid   Kind = iota // no item begins like this
	KindUint                  // unsigned integer
	KindNegInt                // negative integer
	KindBytes                 // byte string
	KindText                  // text string
	KindArray                 // array
	KindMap                   // map
	KindTag                   // tag
	KindBool                  // false, true
	KindNull                  // null
	KindUndefined             // undefined
	KindSimple                // another simple value
	KindFloat                 // floating-point number
	KindEnd                   // the end of the enclosing array or map
)

var kindNames = [...]string{
	KindInvalid:   "invalid initial byte",
	KindUint:      "unsigned integer",
	KindNegInt:    "negative integer",
	KindBytes:     "byte string",
	KindText:      "text string",
	KindArray:     "array",
	KindMap:       "map",
	KindTag:       "tag",
	KindBool:      "boolean",
	KindNull:      "null",
	KindUndefined: "undefined",
	KindSimple:    "simple value",
	KindFloat:     "floating-point number",
	KindEnd:       "end of the array or map",
}

// String returns the name of the kind in the terms of RFC 8949.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// kindOf returns the kind of the item that begins with ib. A break is KindEnd.
func kindOf(ib byte) Kind {
	info := ib & infoMask
	switch major := ib >> 5; {
	case info >= 28 && info <= 30:
		return KindInvalid
	case major == majorSimple:
		return simpleKinds[info]
	case info == infoIndefinite && (major <= majorNegInt || major == majorTag):
		return KindInvalid
	default:
		return KindUint + Kind(major)
	}
}

var simpleKinds = [32]Kind{
	0: KindSimple, 1: KindSimple, 2: KindSimple, 3: KindSimple, 4: KindSimple, 5: KindSimple, 6: KindSimple,
	7: KindSimple, 8: KindSimple, 9: KindSimple, 10: KindSimple, 11: KindSimple, 12: KindSimple, 13: KindSimple,
	14: KindSimple, 15: KindSimple, 16: KindSimple, 17: KindSimple, 18: KindSimple, 19: KindSimple,
	20: KindBool, 21: KindBool, 22: KindNull, 23: KindUndefined, 24: KindSimple,
	25: KindFloat, 26: KindFloat, 27: KindFloat, 31: KindEnd,
}
