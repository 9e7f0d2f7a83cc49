package cbor

import (
	"math"
	"reflect"
)

// last reports whether the container whose head is h ends before its item i. A
// map has h.arg pairs.
func (b *builder) last(h headAt, i uint64) (bool, error) {
	if !isIndefinite(h.ib) {
		return i >= h.arg, nil
	}
	return b.atBreak()
}

// room returns how many of n elements of the given size, in bytes, are to be
// allocated before they are read: by the budget, and large ones step by step.
func (b *builder) room(n uint64, size uintptr) int {
	const most = 64 // bytes for each element that the budget has
	k := b.reserve(n)
	if size > most {
		k = min(k, max(4, k/int(size/most)))
	}
	return k
}

func decodeSlice(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	v := p.value(r)
	room := b.room(h.arg, p.elem.size)
	s := v
	used := v.Cap() // elements that may hold something
	if v.IsNil() || used < room {
		s, used = reflect.MakeSlice(p.typ, room, room), 0
	} else {
		s = v.Slice(0, used)
	}
	all := elementsOf(s, p)
	length := s.Len()
	n := 0
	for ; ; n++ {
		end, err := b.last(h, uint64(n))
		if err != nil {
			return b.inArray(err, uint64(n))
		}
		if end {
			break
		}
		if n == length {
			s = growSlice(s, n)
			all, length = elementsOf(s, p), s.Len()
		}
		if n < used {
			s.Index(n).SetZero()
		}
		if err := b.decodeInto(p.elem, all.at(n)); err != nil {
			v.Set(s.Slice(0, n))
			return b.inArray(err, uint64(n))
		}
	}
	v.Set(s.Slice(0, n))
	b.depth++
	return nil
}

// growSlice returns a larger slice with the n elements of s.
func growSlice(s reflect.Value, n int) reflect.Value {
	large := n + n/2 + 4
	if n < 256 {
		large = 2*n + 4
	}
	t := reflect.MakeSlice(s.Type(), large, large)
	reflect.Copy(t, s)
	return t
}

func decodeArray(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	all, length := p.elements(r), p.typ.Len()
	n := 0
	for ; ; n++ {
		end, err := b.last(h, uint64(n))
		if err == nil && !end {
			if n < length {
				err = b.decodeInto(p.elem, all.at(n))
			} else {
				err = b.pass()
			}
		}
		if err != nil {
			return b.inArray(err, uint64(n))
		}
		if end {
			break
		}
	}
	for ; n < length; n++ {
		p.elem.value(all.at(n)).SetZero()
	}
	b.depth++
	return nil
}

func decodePointer(p *plan, b *builder, r ref, h headAt) error {
	if isNull(h.ib) || h.ib == initialBreak {
		return p.other(b, r, h)
	}
	if h.ib>>5 == majorTag {
		switch {
		case p.drops(b, h.arg):
			return p.dropTag(b, r, h) // null may be behind it
		case b.opt.Tags[h.arg] != nil && !p.raw:
			return p.tagged(b, r, h) // which may be a pointer
		}
	}
	return p.elem.decode(p.elem, b, p.pointee(r), h)
}

func decodeInterface(p *plan, b *builder, r ref, h headAt) error {
	if isNull(h.ib) || h.ib == initialBreak {
		return p.other(b, r, h)
	}
	v := p.value(r)
	if e := v.Elem(); e.Kind() == reflect.Pointer && !e.IsNil() && !circular(v) {
		q := planFor(e.Type().Elem())
		if h.ib>>5 == majorTag && q.drops(b, h.arg) {
			return p.dropTag(b, r, h)
		}
		return q.decode(q, b, refBehind(e), h)
	}
	b.unread(h)
	x, err := b.value()
	if err != nil {
		return err
	}
	if p.typ == anyType {
		*as[any](r) = x
		return nil
	}
	if t := reflect.TypeOf(x); x != nil && !t.Implements(p.typ) {
		return p.mismatch(kindOf(h.ib).String()+", which is a "+t.String()+" in Go,", h.off)
	}
	return p.assign(v, x, h.off)
}

// circular reports whether from v pointers and interfaces lead to each other
// without end.
func circular(v reflect.Value) bool {
	for range maxHops {
		if k := v.Kind(); k != reflect.Pointer && k != reflect.Interface || v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	return true
}

func decodeMap(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorMap {
		return p.other(b, r, h)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	v := p.value(r)
	m, add := v, v.Len() > 0
	if add || v.IsNil() {
		m = reflect.MakeMapWithSize(p.typ, p.mapRoom(b, h))
	}
	if v.IsNil() {
		v.Set(m)
	}
	err := p.pairs(b, m, h)
	if add {
		for i := m.MapRange(); i.Next(); {
			v.SetMapIndex(i.Key(), i.Value())
		}
	}
	if err != nil {
		return err
	}
	b.depth++
	return nil
}

// mapRoom returns how many entries to make room for; a pair has two bytes at
// least.
func (p *plan) mapRoom(b *builder, h headAt) int {
	return b.room(2*min(h.arg, math.MaxInt32), p.key.size+p.elem.size) / 2
}

// pairs decodes the pairs of the map whose head is h into m, which is empty.
func (p *plan) pairs(b *builder, m reflect.Value, h headAt) error {
	k := reflect.New(p.key.typ).Elem()
	e := reflect.New(p.elem.typ).Elem()
	toKey, toElem := refOf(k), refOf(e)
	var seen map[string]reflect.Value // keys that Go may tell apart, by their digests
	for i := uint64(0); ; i++ {
		if end, err := b.last(h, i); end || err != nil {
			return err
		}
		at := span{off: b.off()}
		k.SetZero()
		b.inKey++
		if err := p.readKey(b, k, toKey); err != nil {
			b.path = b.path[:0]
			return err
		}
		b.inKey--
		at.end = b.off()
		dup := false
		if p.inexact || k.CanFloat() && math.IsNaN(k.Float()) {
			var first reflect.Value
			digest := b.digestKey(at.off)
			if first, dup = seen[digest]; !dup {
				if seen == nil {
					seen = map[string]reflect.Value{}
				}
				first = reflect.New(p.key.typ).Elem()
				first.Set(k)
				seen[digest] = first
			}
			k.Set(first)
		}
		if b.inKey == 0 {
			b.digests = b.digests[:0] // no key is around that would need them
		}
		e.SetZero()
		if err := b.decodeInto(p.elem, toElem); err != nil {
			return b.inPair(err, at)
		}
		size := m.Len()
		m.SetMapIndex(k, e)
		if (dup || m.Len() == size) && !b.opt.AllowDuplicateKeys {
			return b.duplicate(at)
		}
	}
}

// readKey decodes a key into k, which is at r.
func (p *plan) readKey(b *builder, k reflect.Value, r ref) error {
	off := b.off()
	if p.key.typ.Kind() == reflect.Interface && p.key.typ.NumMethod() == 0 {
		var x key
		err := b.readKey(&x, comparableKeys)
		if v := b.boxKey(&x); v != nil {
			k.Set(reflect.ValueOf(v))
		}
		return err
	}
	if err := b.decodeInto(p.key, r); err != nil {
		return err
	}
	if p.loose && !k.Comparable() {
		return errorAt(off, ErrMapKey, "a key of type %s that Go cannot compare", p.key.typ)
	}
	return nil
}
