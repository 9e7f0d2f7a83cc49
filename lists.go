package cbor

import (
	"encoding/binary"
	"math"
	"reflect"
	"unsafe"
)

// NOTE: The slices and maps here are decoded without a reflect.Value for each
// element. All do what decodeSlice and decodeMap do; an element whose head they
// do not expect is decoded by its plan.

var fastSlices, fastMaps map[reflect.Type]decodeFunc

func init() { // not in the declaration, which would refer to itself
	fastSlices = map[reflect.Type]decodeFunc{
		reflect.TypeFor[[]int]():     decodeInts[int],
		reflect.TypeFor[[]int8]():    decodeInts[int8],
		reflect.TypeFor[[]int16]():   decodeInts[int16],
		reflect.TypeFor[[]int32]():   decodeInts[int32],
		reflect.TypeFor[[]int64]():   decodeInts[int64],
		reflect.TypeFor[[]uint]():    decodeInts[uint],
		reflect.TypeFor[[]uint16]():  decodeInts[uint16],
		reflect.TypeFor[[]uint32]():  decodeInts[uint32],
		reflect.TypeFor[[]uint64]():  decodeInts[uint64],
		reflect.TypeFor[[]float32](): decodeFloats[float32],
		reflect.TypeFor[[]float64](): decodeFloats[float64],
		reflect.TypeFor[[]string]():  decodeStrings,
		reflect.TypeFor[[]any]():     decodeAnys,
	}
	fastMaps = map[reflect.Type]decodeFunc{
		reflect.TypeFor[map[string]string](): textMap((*builder).textFor),
		reflect.TypeFor[map[string]any]():    textMap(func(b *builder, _ *plan) (any, error) { return b.anyElement() }),
	}
}

type integer interface {
	int | int8 | int16 | int32 | int64 | uint | uint16 | uint32 | uint64
}

// A list is a slice that is being decoded.
type list[T any] struct {
	s    []T // all of the capacity
	n    int // elements that were decoded
	used int // elements that may hold something
	dst  *[]T
}

// startList begins the array whose head is h.
func startList[T any](b *builder, r ref, h headAt) (l list[T], err error) {
	if err := b.enter(h.off); err != nil {
		return l, err
	}
	l.dst = as[[]T](r)
	l.s = (*l.dst)[:cap(*l.dst)]
	l.used = len(l.s)
	if room := b.room(h.arg, unsafe.Sizeof(*new(T))); room > len(l.s) || *l.dst == nil {
		l.s, l.used = make([]T, room), 0
	}
	return l, nil
}

// next makes room for the next element, zeroed, and reports whether there is
// one. An error is the end of the list.
func (l *list[T]) next(b *builder, h headAt) (bool, error) {
	end, err := b.last(h, uint64(l.n))
	if end || err != nil {
		*l.dst = l.s[:l.n]
		if err != nil {
			return false, b.inArray(err, uint64(l.n))
		}
		b.depth++
		return false, nil
	}
	l.room()
	return true, nil
}

// room makes room for one more element.
func (l *list[T]) room() {
	if l.n == len(l.s) {
		l.s = append(l.s, *new(T))
		l.s = l.s[:cap(l.s)]
	}
	if l.n < l.used {
		clear(l.s[l.n : l.n+1])
	}
}

// slow decodes the next element by its plan.
func (l *list[T]) slow(p *plan, b *builder) error {
	if err := b.decodeInto(p.elem, refTo(&l.s[l.n])); err != nil {
		*l.dst = l.s[:l.n]
		return b.inArray(err, uint64(l.n))
	}
	l.n++
	return nil
}

// left returns how many elements from n on can be decoded into what is
// allocated, not more than the array has if its length is definite.
func (l *list[T]) left(h headAt) int {
	k := len(l.s) - l.n
	if !isIndefinite(h.ib) {
		k = int(min(uint64(k), h.arg-uint64(l.n)))
	}
	return k
}

func decodeInts[T integer](p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	l, err := startList[T](b, r, h)
	if err != nil {
		return err
	}
	for {
		l.n += integers(&b.cursor, l.s[l.n:l.n+l.left(h)], p.elem.max)
		more, err := l.next(b, h)
		if !more {
			return err
		}
		if err := l.slow(p, b); err != nil {
			return err
		}
	}
}

// integers decodes integers into dst as long as they are whole in buf and not
// above max, and returns how many.
func integers[T integer](c *cursor, dst []T, max uint64) int {
	signed := ^T(0) < 0
	buf := c.buf[c.pos:]
	n := 0
	for n < len(dst) && len(buf) > 0 {
		ib := buf[0]
		arg, size := uint64(ib&infoMask), 1
		if arg >= 24 {
			switch {
			case arg == 24 && len(buf) >= 2:
				arg, size = uint64(buf[1]), 2
			case arg == 25 && len(buf) >= 3:
				arg, size = uint64(binary.BigEndian.Uint16(buf[1:])), 3
			case arg == 26 && len(buf) >= 5:
				arg, size = uint64(binary.BigEndian.Uint32(buf[1:])), 5
			case arg == 27 && len(buf) >= 9:
				arg, size = binary.BigEndian.Uint64(buf[1:]), 9
			default:
				arg = math.MaxUint64
				ib = initialBreak
			}
		}
		if ib>>5 > majorNegInt || arg > max || ib>>5 != 0 && !signed {
			break
		}
		dst[n] = T(int64(arg) ^ -int64(ib>>5))
		n++
		buf = buf[size:]
	}
	c.pos = len(c.buf) - len(buf)
	return n
}

func decodeFloats[T float32 | float64](p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	l, err := startList[T](b, r, h)
	if err != nil {
		return err
	}
	for {
		l.n += floats(&b.cursor, l.s[l.n:l.n+l.left(h)])
		more, err := l.next(b, h)
		if !more {
			return err
		}
		if err := l.slow(p, b); err != nil {
			return err
		}
	}
}

// floats decodes floats and small integers into dst as long as they are whole
// in buf and fit, and returns how many.
func floats[T float32 | float64](c *cursor, dst []T) int {
	buf := c.buf[c.pos:]
	n := 0
	for n < len(dst) && len(buf) > 0 {
		var f float64
		size := 1
		switch ib := buf[0]; {
		case ib == majorSimple<<5|27 && len(buf) >= 9:
			f, size = math.Float64frombits(binary.BigEndian.Uint64(buf[1:])), 9
		case ib == majorSimple<<5|26 && len(buf) >= 5:
			f, size = float(ib, uint64(binary.BigEndian.Uint32(buf[1:]))), 5
		case ib == majorSimple<<5|25 && len(buf) >= 3:
			f, size = halfFloat(binary.BigEndian.Uint16(buf[1:])), 3
		case ib < 24:
			f = float64(ib)
		default:
			size = 0
		}
		t := T(f)
		if size == 0 || math.IsInf(float64(t), 0) && !math.IsInf(f, 0) {
			break
		}
		dst[n] = t
		n++
		buf = buf[size:]
	}
	c.pos = len(c.buf) - len(buf)
	return n
}

func decodeStrings(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	l, err := startList[string](b, r, h)
	if err != nil {
		return err
	}
	for {
		more, err := l.next(b, h)
		if !more {
			return err
		}
		eh, ok := b.small()
		if !ok || eh.ib>>5 != majorText {
			if ok {
				b.unread(eh)
			}
			if err := l.slow(p, b); err != nil {
				return err
			}
			continue
		}
		if l.s[l.n], err = b.textString(eh.ib, eh.arg, eh.off); err != nil {
			*l.dst = l.s[:l.n]
			return b.inArray(err, uint64(l.n))
		}
		l.n++
	}
}

func decodeAnys(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorArray {
		return p.other(b, r, h)
	}
	l, err := startList[any](b, r, h)
	if err != nil {
		return err
	}
	for {
		more, err := l.next(b, h)
		if !more {
			return err
		}
		if l.s[l.n], err = b.anyElement(); err != nil {
			*l.dst = l.s[:l.n]
			return b.inArray(err, uint64(l.n))
		}
		l.n++
	}
}

// anyElement returns the next item for an interface, where undefined is nil.
func (b *builder) anyElement() (any, error) {
	if ib, err := b.peek(); err == nil && isNull(ib) {
		b.pos++
		return nil, nil
	}
	return b.value()
}

// textMap returns a decodeFunc for a map[string]V, whose values value reads.
func textMap[V any](value func(*builder, *plan) (V, error)) decodeFunc {
	return func(p *plan, b *builder, r ref, h headAt) error {
		dst := as[map[string]V](r)
		if h.ib>>5 != majorMap || len(*dst) > 0 {
			return decodeMap(p, b, r, h)
		}
		if err := b.enter(h.off); err != nil {
			return err
		}
		if *dst == nil {
			*dst = make(map[string]V, p.mapRoom(b, h))
		}
		for i := uint64(0); ; i++ {
			if end, err := b.last(h, i); err != nil {
				return err
			} else if end {
				break
			}
			at := span{off: b.off()}
			k, err := b.textFor(p.key)
			if err != nil {
				b.path = b.path[:0]
				return err
			}
			at.end = b.off()
			x, err := value(b, p.elem)
			if err != nil {
				return b.inPair(err, at)
			}
			(*dst)[k] = x
			if !b.opt.AllowDuplicateKeys && uint64(len(*dst)) != i+1 {
				return b.duplicate(at)
			}
		}
		b.depth++
		return nil
	}
}

// textFor decodes the next item into a string by p.
func (b *builder) textFor(p *plan) (string, error) {
	h, ok := b.small()
	if !ok {
		var err error
		if h, err = b.readHead(); err != nil {
			return "", err
		}
	}
	if h.ib>>5 == majorText {
		return b.textString(h.ib, h.arg, h.off)
	}
	s := new(string)
	err := p.decode(p, b, refTo(s), h)
	return *s, err
}
