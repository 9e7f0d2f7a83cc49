package cbor

import (
	"encoding/binary"
	"reflect"
	"strconv"
	"strings"
)

// fewFields is how many fields a struct may have whose bits are on the stack.
const fewFields = 256

// decodeStruct decodes a map into a struct. It expects the keys in the order of
// the fields and compares each first with the encoded key of the field after the
// one before.
func decodeStruct(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorMap {
		return p.other(b, r, h)
	}
	s := p.fields
	if err := b.enter(h.off); err != nil {
		return err
	}
	var few [fewFields / 64]uint64
	met := few[:] // a bit for each field
	if len(s.fields) > fewFields {
		met = make([]uint64, (len(s.fields)+63)/64)
	}
	base := len(b.unknown) // where the keys begin that name no field
	next, indefinite := 0, isIndefinite(h.ib)
	for i := uint64(0); ; i++ {
		if indefinite {
			if end, err := b.atBreak(); err != nil {
				return err
			} else if end {
				break
			}
		} else if i >= h.arg {
			break
		}
		k := span{off: b.off()}
		if next >= len(s.fields) || !b.skipKey(&s.expect[next]) {
			f, err := s.anyKey(p, b)
			if err != nil {
				return err
			}
			k.end = b.off()
			if f < 0 {
				if err := b.pass(); err != nil {
					return b.inPair(err, k)
				}
				continue
			}
			next = f
		}
		k.end = b.off()
		f := &s.fields[next]
		w, bit := &met[next>>6], uint64(1)<<(next&63)
		second := *w&bit != 0
		if second && !b.opt.AllowDuplicateKeys {
			return b.duplicate(k)
		}
		next++
		*w |= bit
		var err error
		if second {
			err = b.secondField(f, r)
		} else {
			err = b.decodeField(f, r)
		}
		if err != nil {
			return b.inPair(f.explain(err), k)
		}
	}
	b.depth++
	if len(b.unknown) > base {
		return b.checkUnknown(base)
	}
	return nil
}

// skipKey passes over the key e if it is next. Most keys differ in the first 8
// bytes or are no longer.
func (c *cursor) skipKey(e *expected) bool {
	rest, n := c.buf[c.pos:], len(e.key)
	if len(rest) >= 8 {
		if binary.LittleEndian.Uint64(rest)&e.mask != e.word {
			return false
		}
		if n <= 8 {
			c.pos += n
			return true
		}
	}
	if n > len(rest) || string(rest[:n]) != e.key {
		return false
	}
	c.pos += n
	return true
}

// decodeBadStruct is for structs with a keyasint whose name is no integer.
func decodeBadStruct(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorMap {
		return p.other(b, r, h)
	}
	return errorAt(h.off, ErrType, "the name of %s is no integer, which keyasint asks for", p.fields.bad)
}

// decodeField decodes the next item into the field f of r.
func (b *builder) decodeField(f *field, r ref) error {
	if f.parent == nil {
		if h, ok := b.small(); ok {
			return f.plan.decode(f.plan, b, f.direct(r), h)
		}
		return b.decodeInto(f.plan, f.direct(r))
	}
	to, err := f.in(b, r)
	if err != nil {
		return err
	}
	return b.decodeInto(f.plan, to)
}

// secondField decodes the next item into the field f of r, where it replaces
// the value of an earlier key. Null, which makes nil or leaves alone, does so
// behind tags that the field does not know too.
func (b *builder) secondField(f *field, r ref) error {
	to, err := f.in(b, r)
	if err != nil {
		return err
	}
	depth := b.depth
	h, err := b.readHead()
	for err == nil && h.ib>>5 == majorTag && f.plan.drops(b, h.arg) {
		if err = b.enter(h.off); err == nil {
			h, err = b.readHead()
		}
	}
	if err != nil {
		return err
	}
	switch v := f.plan.value(to); {
	case isNull(h.ib):
	case f.plan.sealed:
		renewFields(v)
	default:
		renew(v)
	}
	err = f.plan.decode(f.plan, b, to, h)
	b.depth = depth
	return err
}

// maxHops is how many pointers and interfaces may refer to each other.
const maxHops = 1000

// renew zeroes v, or what pointers and interfaces lead to from there, which are
// kept.
func renew(v reflect.Value) {
	for range maxHops {
		e := v
		if e.Kind() == reflect.Interface {
			e = e.Elem()
		}
		if e.Kind() != reflect.Pointer || e.IsNil() {
			break
		}
		v = e.Elem()
	}
	v.SetZero()
}

// renewFields zeroes the fields of v that can be set.
func renewFields(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.CanSet():
			f.SetZero()
		case v.Type().Field(i).Anonymous && f.Kind() == reflect.Struct:
			renewFields(f)
		}
	}
}

// anyKey reads a key and returns the field that it names, or -1.
func (s *structPlan) anyKey(p *plan, b *builder) (int, error) {
	h, err := b.readHead()
	if err != nil {
		return -1, err
	}
	var k key
	switch h.ib >> 5 {
	case majorText:
		t, err := b.transient(h)
		if err != nil {
			b.path = b.path[:0]
			return -1, err
		}
		if f := s.byText(t); f >= 0 {
			return f, nil
		}
		k.hash = textHash(t)
	case majorArray, majorMap, majorTag:
		b.unread(h)
		if err := b.pass(); err != nil {
			return -1, err
		}
		if !b.opt.AllowDuplicateKeys {
			k.hash = textHash(b.digestKey(h.off))
		}
	default:
		if f := s.byArgument(h.ib, h.arg); f >= 0 {
			return f, nil
		}
		if err := b.otherKey(&k, h.ib, h.arg, h.off, oddKeys); err != nil {
			return -1, err
		}
	}
	return -1, p.unknown(b, unknownKey{span{h.off, b.off()}, k.hash})
}

// maxNamed is the most bytes of a key that stand in the message of an error.
const maxNamed = 100

// unknown does what the options say about the key k, which names no field.
func (p *plan) unknown(b *builder, k unknownKey) error {
	if b.opt.DisallowUnknownFields {
		name := b.keyName(k.span)
		if len(name) > maxNamed {
			name = strings.ToValidUTF8(name[:maxNamed], "") + "…"
		}
		if b.bytes(k.span)[0]>>5 == majorText {
			name = strconv.Quote(name)
		}
		return b.inPair(errorAt(k.off, ErrType, "%s has no field %s", p.typ, name), k.span)
	}
	if !b.opt.AllowDuplicateKeys {
		b.unknown = append(b.unknown, k)
	}
	return nil
}

// An unknownKey is a key that names no field.
type unknownKey struct {
	span
	hash uint32
}

// checkUnknown looks for duplicates among the keys that name no field, which
// are those from base on, and drops them.
func (b *builder) checkUnknown(base int) error {
	keys := b.unknown[base:]
	b.unknown = b.unknown[:base]
	if len(keys) < 2 {
		return nil
	}
	hashes := b.hashes[len(b.hashes):]
	for i := range keys {
		hashes = append(hashes, keys[i].hash)
	}
	if dups := duplicates(b, unknownKeys{b, keys}, hashes, false); dups != nil {
		return b.duplicate(keys[dups[0].i].span)
	}
	return nil
}

// unknownKeys are the keys of a struct that name no field. They are read again
// where their hashes are equal, and so keep nothing of the input alive.
type unknownKeys struct {
	b    *builder
	keys []unknownKey
}

func (u unknownKeys) equal(i, j int) bool     { return equalKeys(u.key(i), u.key(j)) }
func (u unknownKeys) seededHash(i int) uint32 { return seededHash(u.key(i)) }

// key returns key i as readKey does, but for what is inside of an oddKey.
func (u unknownKeys) key(i int) any {
	k := u.keys[i].span
	raw := u.b.bytes(k)
	again := builder{cursor: cursor{buf: raw, full: raw, base: k.off, end: noEnd}, opt: u.b.opt}
	again.opt.AliasText = true
	again.acquire()
	defer again.release()
	switch raw[0] >> 5 {
	case majorArray, majorMap, majorTag:
		again.pos = len(raw)
		return &oddKey{text: again.digestKey(k.off)}
	}
	var x key
	again.readKey(&x, oddKeys)
	return again.boxKey(&x)
}

// in returns the field in the struct, with the embedded structs on the way
// allocated.
func (f *field) in(b *builder, r ref) (ref, error) {
	if f.parent == nil {
		return f.direct(r), nil
	}
	v := f.parent.value(r).Field(f.index[0])
	for _, i := range f.index[1:] {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return r, errNilEmbedded(b.off(), v)
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	if f.unexported { // a pointer
		if v.IsNil() {
			return r, errNilEmbedded(b.off(), v)
		}
		v = v.Elem()
	}
	return refOf(v), nil
}

// errNilEmbedded returns the error for v, a nil pointer of an unexported type
// that is embedded.
func errNilEmbedded(off int64, v reflect.Value) error {
	return errorAt(off, ErrType, "a nil pointer to the unexported %s cannot be set", v.Type().Elem())
}

// explain adds to an item that does not fit which field it was for.
func (f *field) explain(err error) error {
	if e, ok := err.(*DecodeError); ok {
		if m, ok := e.Err.(*mismatch); ok && m.label == "" {
			m.label = f.label
		}
	}
	return err
}

// decodeTuple decodes an array into a struct with the option toarray.
func decodeTuple(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	fields := p.fields.fields
	if !isIndefinite(h.ib) && h.arg != uint64(len(fields)) {
		return p.mismatch("array of "+strconv.FormatUint(h.arg, 10)+" elements", h.off)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	indefinite := isIndefinite(h.ib)
	for i := uint64(0); ; i++ {
		end := i == uint64(len(fields))
		if indefinite {
			if stop, err := b.atBreak(); err != nil {
				return b.inArray(err, i)
			} else if stop != end {
				return p.mismatch("array of another number of elements", h.off)
			}
		}
		if end {
			break
		}
		f := &fields[i]
		if err := b.decodeField(f, r); err != nil {
			return b.inArray(f.explain(err), i)
		}
	}
	b.depth++
	return nil
}
