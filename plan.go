package cbor

import (
	"encoding"
	"math/big"
	"reflect"
	"sync"
	"time"
)

// NOTE: A plan says how to decode into one Go type. It is built at the first
// use of the type and never changes then, so that all goroutines share it.
// Plans refer to each other by pointer, which is how recursive types end:
// while a type is being planned, its plan is there but not complete. Only
// complete plans enter the cache.

// A decodeFunc decodes the item whose head h was just read into r, which has
// the type of p.
type decodeFunc func(p *plan, b *builder, r ref, h headAt) error

type plan struct {
	typ      reflect.Type
	size     uintptr
	decode   decodeFunc
	base     decodeFunc  // what decode does without UnmarshalBinary and UnmarshalText
	key      *plan       // of a map
	elem     *plan       // of a pointer, slice, array or map
	fields   *structPlan // of a struct
	max      uint64      // of an integer: the greatest argument that fits
	tags     tagSet      // the tags that decode does not drop
	nillable bool        // null sets it to nil
	binary   bool        // has UnmarshalBinary
	text     bool        // has UnmarshalText
	isURL    bool        // is a url.URL, whose UnmarshalBinary takes text
	raw      bool        // decode takes tags as they are
	loose    bool        // of a map: not every key can be compared
	inexact  bool        // of a map: keys that are equal as data items may differ in Go
	sealed   bool        // of an embedded unexported struct: only its fields can be set
}

// A tagSet has a bit for each of the tags 0 to 3.
type tagSet uint8

const (
	timeTags   tagSet = 1<<tagTime | 1<<tagEpoch
	bignumTags tagSet = 1<<tagBignum | 1<<tagNegBignum
	allTags    tagSet = 0xff
)

func (s tagSet) has(number uint64) bool {
	return s == allTags || number <= tagNegBignum && s>>number&1 != 0
}

var plans sync.Map // of *plan by reflect.Type

// planFor returns the plan for t.
func planFor(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	m := planner{}
	m.plan(t)
	for t, p := range m {
		p.seal()
		plans.LoadOrStore(t, p)
	}
	p, _ := plans.Load(t)
	return p.(*plan)
}

// A planner has the plans that are being built.
type planner map[reflect.Type]*plan

func (m planner) plan(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	if p, ok := m[t]; ok {
		return p
	}
	p := &plan{typ: t, size: t.Size(), decode: decodeNothing}
	m[t] = p
	if !p.special() && !p.hooked() {
		m.byKind(p)
		p.hookStrings()
	}
	return p
}

var (
	anyType         = reflect.TypeFor[any]()
	simpleType      = reflect.TypeFor[Simple]()
	unmarshaler     = reflect.TypeFor[Unmarshaler]()
	unmarshalerFrom = reflect.TypeFor[UnmarshalerFrom]()
	binaryType      = reflect.TypeFor[encoding.BinaryUnmarshaler]()
	textType        = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// special plans the types that the package gives a meaning of their own.
func (p *plan) special() bool {
	switch p.typ {
	case reflect.TypeFor[time.Time]():
		p.decode, p.tags = decodeTime, timeTags
	case reflect.TypeFor[big.Int]():
		p.decode, p.tags = decodeBigInt, bignumTags
	case reflect.TypeFor[RawMessage]():
		p.decode, p.tags, p.raw = decodeRaw, allTags, true
	case reflect.TypeFor[Tag]():
		p.decode, p.tags = decodeTag, allTags
	case reflect.TypeFor[Map]():
		p.decode, p.nillable = decodeOrdered, true
	case simpleType:
		p.decode = decodeSimple
	case reflect.TypeFor[ByteString]():
		p.decode = decodeByteString
	default:
		return false
	}
	return true
}

// hooked plans the types that decode themselves.
func (p *plan) hooked() bool {
	if k := p.typ.Kind(); k == reflect.Pointer || k == reflect.Interface {
		return false
	}
	switch ptr := reflect.PointerTo(p.typ); {
	case ptr.Implements(unmarshalerFrom):
		p.decode = decodeFrom
	case ptr.Implements(unmarshaler):
		p.decode = decodeUnmarshaler
	default:
		return false
	}
	p.tags, p.raw = allTags, true
	return true
}

// hookStrings puts UnmarshalBinary and UnmarshalText before what is planned.
func (p *plan) hookStrings() {
	if k := p.typ.Kind(); k == reflect.Pointer || k == reflect.Interface {
		return
	}
	ptr := reflect.PointerTo(p.typ)
	p.binary, p.text = ptr.Implements(binaryType), ptr.Implements(textType)
	p.isURL = p.binary && p.typ.PkgPath() == "net/url" && p.typ.Name() == "URL"
	if p.binary || p.text {
		p.base, p.decode = p.decode, decodeHookedString
	}
}

// byKind plans a type by its kind.
func (m planner) byKind(p *plan) {
	t := p.typ
	switch t.Kind() {
	case reflect.Bool:
		p.decode = decodeBool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		p.decode, p.tags = decodeInt, bignumTags
		p.max = 1<<(t.Bits()-1) - 1
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		p.decode, p.tags = decodeUint, bignumTags
		p.max = 1<<t.Bits() - 1
	case reflect.Float32, reflect.Float64:
		p.decode, p.tags = decodeFloat, bignumTags
	case reflect.String:
		p.decode = decodeString
	case reflect.Interface:
		p.decode, p.nillable, p.tags = decodeInterface, true, allTags
	case reflect.Pointer:
		m.pointer(p)
	case reflect.Slice:
		m.slice(p)
	case reflect.Array:
		p.elem = m.plan(t.Elem())
		p.decode = decodeArray
		if p.elem.isByte() {
			p.decode = decodeByteArray
		}
	case reflect.Map:
		m.mapping(p)
	case reflect.Struct:
		p.decode = decodeStruct
		p.fields = m.structure(p)
		if p.fields.toArray {
			p.decode = decodeTuple
		} else if p.fields.bad != "" {
			p.decode = decodeBadStruct
		}
	}
}

// isByte reports whether a slice of p takes a byte string.
func (p *plan) isByte() bool {
	return p.typ.Kind() == reflect.Uint8 && p.typ != simpleType && p.tags != allTags && p.base == nil
}

func (m planner) pointer(p *plan) {
	p.nillable = true
	seen := map[reflect.Type]bool{}
	for t := p.typ; t.Kind() == reflect.Pointer; t = t.Elem() {
		if seen[t] {
			return // type P *P holds nothing
		}
		seen[t] = true
	}
	p.elem = m.plan(p.typ.Elem())
	p.decode, p.tags, p.raw = decodePointer, p.elem.tags, p.elem.raw
}

func (m planner) slice(p *plan) {
	p.nillable = true
	p.elem = m.plan(p.typ.Elem())
	p.decode = decodeSlice
	if p.elem.isByte() {
		p.decode = decodeBytes
	} else if fast, ok := fastSlices[p.typ]; ok {
		p.decode = fast
	}
}

func (m planner) mapping(p *plan) {
	p.nillable = true
	p.key, p.elem = m.plan(p.typ.Key()), m.plan(p.typ.Elem())
	p.loose, p.inexact = looseKey(p.typ.Key()), inexactKey(p.typ.Key())
	p.decode = decodeMap
	if fast, ok := fastMaps[p.typ]; ok {
		p.decode = fast
	}
}

// looseKey reports whether some values of t cannot be compared.
func looseKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Array:
		return looseKey(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if looseKey(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// inexactKey reports whether values of t, but for a float or an interface
// itself, may differ in Go that come from equal data items.
func inexactKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer:
		return true
	case reflect.Interface:
		return t.NumMethod() > 0
	case reflect.Array:
		return inexactPart(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if inexactPart(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// inexactPart is inexactKey for a part of a key.
func inexactPart(t reflect.Type) bool {
	k := t.Kind()
	return k == reflect.Float32 || k == reflect.Float64 || k == reflect.Interface || inexactKey(t)
}

// decodeNothing is for types that hold no item, such as channels.
func decodeNothing(p *plan, b *builder, r ref, h headAt) error {
	return p.other(b, r, h)
}
