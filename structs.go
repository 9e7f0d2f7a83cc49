package cbor

import (
	"reflect"
	"strconv"
)

// A fieldSet has a bit for each field of a struct that was met.
type fieldSet struct {
	small [4]uint64
	large []uint64 // instead of small, for more fields than that has bits
}

func (s *fieldSet) init(n int) {
	if n > 64*len(s.small) {
		s.large = make([]uint64, (n+63)/64)
	}
}

// add adds field i and reports whether it is new.
func (s *fieldSet) add(i int) bool {
	words := s.large
	if words == nil {
		words = s.small[:]
	}
	bit := uint64(1) << (i & 63)
	w := &words[i>>6]
	fresh := *w&bit == 0
	*w |= bit
	return fresh
}

// decodeStruct decodes a map into a struct. It expects the keys in the order of
// the fields and compares each first with the field after the one before.
func decodeStruct(p *plan, b *builder, v reflect.Value, h headAt) error {
	if h.ib>>5 != majorMap {
		return p.other(b, v, h)
	}
	s := p.fields
	if s.bad != "" {
		return p.mismatch("keyasint of "+s.bad, h.off)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	var met fieldSet
	met.init(len(s.fields))
	base := len(b.pairs) // where the keys begin that name no field
	next := 0
	for i := uint64(0); ; i++ {
		if end, err := b.last(h, i); err != nil {
			return err
		} else if end {
			break
		}
		off := b.off()
		f, err := s.nextKey(p, b, next)
		if err != nil {
			return err
		}
		if f < 0 {
			if err := b.pass(); err != nil {
				return b.inPair(err, off)
			}
			continue
		}
		next = f + 1
		if err := s.decodeField(b, v, f, off, met.add(f)); err != nil {
			return err
		}
	}
	b.depth++
	if len(b.pairs) > base {
		return b.checkUnknown(base)
	}
	return nil
}

// nextKey reads a key and returns the field that it names, or -1.
func (s *structPlan) nextKey(p *plan, b *builder, next int) (int, error) {
	h, ok := b.small()
	if ok && next < len(s.fields) {
		f := &s.fields[next]
		if h.ib>>5 == majorText {
			n := len(f.name)
			if h.arg == uint64(n) && !f.isNum && n <= len(b.buf)-b.pos && string(b.buf[b.pos:b.pos+n]) == f.name {
				b.pos += n
				return next, nil
			}
		} else if h.ib>>5 <= majorNegInt && f.isNum && f.num == int64(h.arg)^-int64(h.ib>>5) {
			return next, nil
		}
	}
	if !ok {
		var err error
		if h, err = b.readHead(); err != nil {
			return -1, err
		}
	}
	return s.anyKey(p, b, h)
}

// anyKey does the work of nextKey for the key with the head h.
func (s *structPlan) anyKey(p *plan, b *builder, h headAt) (int, error) {
	at := b.pushPair()
	pr := &b.pairs[at]
	*pr = pair{off: h.off}
	switch h.ib >> 5 {
	case majorText:
		t, err := b.transient(h)
		if err != nil {
			b.path = b.path[:0]
			return -1, err
		}
		if f := s.byText(t); f >= 0 {
			b.popPairs(at)
			return f, nil
		}
		pr.key.text = aliasString(t)
	case majorArray, majorMap, majorTag:
		b.unread(h)
		if err := b.pass(); err != nil {
			return -1, err
		}
		if !b.opt.AllowDuplicateKeys {
			pr.key = key{class: oddKeys, text: b.digestKey(h.off)}
		}
	default:
		if f := s.byArgument(h.ib, h.arg); f >= 0 {
			b.popPairs(at)
			return f, nil
		}
		k, err := b.otherKey(h.ib, h.arg, h.off, oddKeys)
		if err != nil {
			return -1, err
		}
		pr.key = k
	}
	return -1, s.unknown(p, b, at)
}

// unknown does what the options say about the key of the pair at the index at,
// which names no field.
func (s *structPlan) unknown(p *plan, b *builder, at int) error {
	if off := b.pairs[at].off; b.opt.DisallowUnknownFields {
		name := strconv.Quote(b.pairs[at].key.text)
		if b.pairs[at].key.class != textKeys {
			name = b.notation(off)
		}
		return b.inMap(errorAt(off, ErrType, "%s has no field %s", p.typ, name), b.pairs[at].key, off)
	}
	if b.opt.AllowDuplicateKeys {
		b.popPairs(at)
	}
	return nil
}

// checkUnknown looks for duplicates among the keys that name no field, which
// are the pairs from base on, and drops them.
func (b *builder) checkUnknown(base int) error {
	if pairs := b.pairs[base:]; len(pairs) > 1 {
		if _, dup := b.uniquePairs(pairs, false); dup != nil {
			return b.duplicate(dup.off)
		}
	}
	b.popPairs(base)
	return nil
}

// decodeField decodes the value of the key at off into field i of v.
func (s *structPlan) decodeField(b *builder, v reflect.Value, i int, off int64, fresh bool) error {
	f := &s.fields[i]
	if !fresh && !b.opt.AllowDuplicateKeys {
		return b.duplicate(off)
	}
	fv, err := f.in(b, v)
	if err == nil {
		if !fresh {
			fv.SetZero()
		}
		err = b.decodeInto(f.plan, fv)
	}
	if err != nil {
		return b.inPair(f.explain(err), off)
	}
	return nil
}

// in returns the field of v, with the embedded structs on the way allocated.
func (f *field) in(b *builder, v reflect.Value) (reflect.Value, error) {
	v = v.Field(f.index[0])
	for _, i := range f.index[1:] {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				if !v.CanSet() {
					return v, errorAt(b.off(), ErrType, "a nil pointer to the unexported %s cannot be set", v.Type().Elem())
				}
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v, nil
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

// inPair adds to the path of err that it happened in the value of the key at off.
func (b *builder) inPair(err error, off int64) error {
	if _, ok := err.(*DecodeError); !ok {
		return err
	}
	return b.inMap(err, b.keyAt(off), off)
}

// decodeTuple decodes an array into a struct with the option toarray.
func decodeTuple(p *plan, b *builder, v reflect.Value, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, v, h)
	}
	fields := p.fields.fields
	if !isIndefinite(h.ib) && h.arg != uint64(len(fields)) {
		return p.mismatch("array of "+strconv.FormatUint(h.arg, 10)+" elements", h.off)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	for i := uint64(0); ; i++ {
		end, err := b.last(h, i)
		if err != nil {
			return b.inArray(err, i)
		}
		if end != (i == uint64(len(fields))) {
			return p.mismatch("array of another number of elements", h.off)
		}
		if end {
			break
		}
		f := &fields[i]
		fv, err := f.in(b, v)
		if err == nil {
			err = b.decodeInto(f.plan, fv)
		}
		if err != nil {
			return b.inArray(f.explain(err), i)
		}
	}
	b.depth++
	return nil
}
