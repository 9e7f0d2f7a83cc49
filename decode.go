package cbor

import (
	"math"
	"math/big"
)

// Decode decodes data, which holds exactly one item, into the Go value that
// the package comment lists for it. With an error the value is nil: [io.EOF]
// for empty input, a [*DecodeError] otherwise; if bytes follow the item, it is
// an [ErrTrailingData].
//
// Byte strings of definite length alias data, as data[i:j:j]: later changes of
// data show through, and retaining one of them keeps all of data alive. See
// [Options].CopyBytes. The caller owns all else.
func Decode(data []byte) (any, error) { return Options{}.Decode(data) }

// DecodeFirst is like [Decode] for the first item in data, and returns the
// bytes after it. Rest aliases data.
func DecodeFirst(data []byte) (v any, rest []byte, err error) {
	return Options{}.DecodeFirst(data)
}

// Wellformed checks that data holds exactly one well-formed item (RFC 8949,
// section 5.3). It does not check validity: UTF-8, duplicate keys and the
// content of tags. It allocates nothing for up to 32 levels.
func Wellformed(data []byte) error { return Options{}.Wellformed(data) }

// Decode is like the function [Decode], under the options.
func (o Options) Decode(data []byte) (any, error) {
	if len(data) > 0 && o.MaxDepth == 0 && o.MaxItemBytes == 0 {
		if n := int(itemSizes[data[0]]); n == len(data) || n == 0 && itemSize(data) == len(data) {
			if v, ok := lone(data, &o); ok {
				return v, nil
			}
		}
	}
	var b builder
	b.reset(data, &o)
	v, err := b.item()
	b.release()
	if err == nil && b.pos < len(data) {
		return nil, errTrailing(b.off())
	}
	return v, err
}

// DecodeFirst is like the function [DecodeFirst], under the options.
func (o Options) DecodeFirst(data []byte) (v any, rest []byte, err error) {
	var b builder
	b.reset(data, &o)
	v, err = b.item()
	b.release()
	if err != nil {
		return nil, nil, err
	}
	return v, data[b.pos:], nil
}

// Wellformed is like the function [Wellformed], under the options.
func (o Options) Wellformed(data []byte) error {
	var frames [32 + 1]frame // one for a string of indefinite length
	c := cursor{buf: data, full: data, frames: frames[:0]}
	if err := c.begin(&o); err != nil {
		return err
	}
	if err := c.skipItem(); err != nil {
		return err
	}
	if c.pos < len(data) {
		return errTrailing(c.off())
	}
	return nil
}

// errTrailing returns the error for data that goes on at off, behind the item.
func errTrailing(off int64) error {
	return errorAt(off, ErrTrailingData, "data after the item; DecodeFirst, DecodeSequence and Decoder read several items")
}

// A builder builds Go values from the items at its cursor.
type builder struct {
	cursor
	*scratch
	opt    Options
	depth  int  // arrays, maps and tags that may still be opened
	anyMap bool // the next item is a map that tag 259 allows any keys
}

// reset makes b, which is zero, read from data. A composite literal would be
// made elsewhere and then copied.
func (b *builder) reset(data []byte, o *Options) {
	b.buf, b.full = data, data
	b.opt = *o
}

// item returns the value of the next top-level item, or io.EOF.
func (b *builder) item() (any, error) {
	if err := b.begin(&b.opt); err != nil {
		return nil, err
	}
	b.depth = b.max
	v, err := b.value()
	if err != nil {
		return nil, b.failed(err)
	}
	return v, nil
}

// failed returns err with its path, and makes the builder ready for another item.
func (b *builder) failed(err error) error {
	b.anyMap = false
	if s := b.scratch; s != nil {
		if e, ok := err.(*DecodeError); ok && len(s.path) > 0 {
			e.Path = joinPath(s.path)
		}
		s.usedTexts, s.usedEntries = max(s.usedTexts, len(s.texts)), max(s.usedEntries, len(s.entries))
		s.path, s.digests, s.inKey = nil, nil, 0
		s.texts, s.entries, s.hashes, s.unknown = s.texts[:0], s.entries[:0], s.hashes[:0], s.unknown[:0]
	}
	return err
}

// value returns the value of the next item. This is the hot switch: arguments
// up to 23 are handled in place, since an out-of-line head parser costs up to
// four times as much on one-byte heads.
func (b *builder) value() (any, error) {
	if b.pos >= len(b.buf) {
		if err := b.more(1, b.off()); err != nil {
			return nil, err
		}
	}
	ib := b.buf[b.pos]
	if one := &oneByte[ib]; one.ok {
		b.pos++
		return one.value, nil
	}
	off := b.off()
	arg := uint64(ib & infoMask)
	if arg < 24 {
		b.pos++
	} else {
		switch rest := b.buf[b.pos+1:]; {
		case ib == majorUint<<5|24 && len(rest) >= 1:
			b.pos += 2
			return b.boxInt(int64(argument(rest, 1))), nil
		case ib == majorUint<<5|25 && len(rest) >= 2:
			b.pos += 3
			return b.boxInt(int64(argument(rest, 2))), nil
		case ib == majorUint<<5|26 && len(rest) >= 4:
			b.pos += 5
			return b.boxInt(int64(argument(rest, 4))), nil
		case ib == majorSimple<<5|27 && len(rest) >= 8:
			b.pos += 9
			return b.boxFloat(math.Float64frombits(argument(rest, 8))), nil
		}
		var err error
		if arg, err = b.longHead(ib); err != nil {
			return nil, err
		}
	}
	switch ib >> 5 {
	case majorUint:
		if arg <= math.MaxInt64 {
			return b.boxInt(int64(arg)), nil
		}
		return arg, nil
	case majorNegInt:
		if arg <= math.MaxInt64 {
			return b.boxInt(^int64(arg)), nil
		}
		return bigNegative(arg), nil
	case majorBytes:
		s, err := b.byteString(ib, arg, off)
		if err != nil {
			return nil, err
		}
		return s, nil
	case majorText:
		if isIndefinite(ib) {
			s, err := b.joinText(ib)
			return b.boxString(aliasString(s)), err
		}
		s, err := b.body(arg, off)
		if err != nil {
			return nil, err
		}
		return b.textValue(s, off)
	case majorArray:
		return b.array(ib, arg, off)
	case majorMap:
		return b.mapValue(ib, arg, off)
	case majorTag:
		return b.tag(arg, off)
	}
	return b.simple(ib, arg, off)
}

// lone returns the value of data, which is one item whose size itemSize tells,
// unless it is one for the builder, which takes longer to set up.
func lone(data []byte, o *Options) (v any, ok bool) {
	ib, rest := data[0], data[1:len(data):len(data)]
	if one := &oneByte[ib]; one.ok {
		return one.value, true
	}
	if ib>>5 == majorBytes || ib>>5 == majorText {
		if info := ib & infoMask; info >= 24 {
			rest = rest[1<<(info-24):]
		}
		switch {
		case ib>>5 == majorBytes:
			return rest, !o.CopyBytes
		case !validUTF8(rest):
			return nil, false
		case o.AliasText:
			return aliasString(rest), true
		}
		return boxText(rest), true
	}
	arg := argument(rest, len(rest))
	switch {
	case ib>>5 == majorSimple:
		return float(ib, arg), true
	case arg > math.MaxInt64 && ib>>5 == majorNegInt:
		return bigNegative(arg), true
	case arg > math.MaxInt64:
		return arg, true
	}
	return int64(arg) ^ -int64(ib>>5), true
}

// oneByte has the values of the items that are an initial byte alone and have
// no content.
var oneByte = func() (items [256]struct {
	value any
	ok    bool
}) {
	var b builder
	for ib := range items {
		if itemSizes[ib] != 1 {
			continue
		}
		v, info := &items[ib], uint64(ib&infoMask)
		switch v.ok = true; ib >> 5 {
		case majorUint:
			v.value = int64(info)
		case majorNegInt:
			v.value = ^int64(info)
		case majorSimple:
			v.value, _ = b.simple(byte(ib), info, 0)
		default: // an empty string
			v.ok = false
		}
	}
	return items
}()

// simple returns the value of an item of major type 7 (RFC 8949, section 3.3).
func (b *builder) simple(ib byte, arg uint64, off int64) (any, error) {
	switch ib & infoMask {
	case 20:
		return false, nil
	case 21:
		return true, nil
	case 22:
		return nil, nil
	case 25, 26, 27:
		return b.boxFloat(float(ib, arg)), nil
	case infoIndefinite:
		return nil, errBreak(off)
	}
	return Simple(arg), nil
}

// bigNegative returns -1 - arg.
func bigNegative(arg uint64) *big.Int {
	i := new(big.Int).SetUint64(arg)
	return i.Not(i)
}

// enter opens a level for the head at off.
func (b *builder) enter(off int64) error {
	if b.depth <= 0 {
		return errDepth(off, b.max)
	}
	b.depth--
	return nil
}

// array returns the array whose head (ib, n) is at off.
func (b *builder) array(ib byte, n uint64, off int64) (any, error) {
	if err := b.enter(off); err != nil {
		return nil, err
	}
	if isIndefinite(ib) {
		b.acquire()
		a, err := b.elementsToBreak()
		if err != nil {
			return nil, err
		}
		b.depth++
		return a, nil
	}
	if n == 0 {
		b.depth++
		return emptyArray, nil
	}
	b.acquire()
	room := b.reserve(n)
	if n > maxTiny || room < int(n) {
		a, err := b.elements(make([]any, 0, room), n)
		if err != nil {
			return nil, err
		}
		b.depth++
		return a, nil
	}
	a, header := tiny[any](room)
	a, err := b.elements(a, n)
	if err != nil {
		return nil, err
	}
	b.depth++
	return boxArray(header, a), nil
}

// Empty slices are boxed once: nothing can be written into them.
var (
	emptyArray any = []any{}
	emptyMap   any = Map{}
)

// elements appends items to a until it has n.
func (b *builder) elements(a []any, n uint64) ([]any, error) {
	for {
		a = b.scalars(a, n)
		if uint64(len(a)) == n {
			return a, nil
		}
		v, err := b.value()
		if err != nil {
			return nil, b.inArray(err, uint64(len(a)))
		}
		a = append(a, v)
	}
}

// scalars appends to a, until it has n elements, those that come next and are at
// hand as long as they are items of one byte, unsigned integers, short text or
// float64. It takes two thirds of the time of value.
func (b *builder) scalars(a []any, n uint64) []any {
	for uint64(len(a)) < n && b.pos < len(b.buf) {
		ib, rest := b.buf[b.pos], b.buf[b.pos+1:]
		if one := &oneByte[ib]; one.ok {
			b.pos++
			a = append(a, one.value)
			continue
		}
		switch {
		case ib == majorUint<<5|24 && len(rest) >= 1:
			b.pos += 2
			a = append(a, b.boxInt(int64(argument(rest, 1))))
		case ib == majorUint<<5|25 && len(rest) >= 2:
			b.pos += 3
			a = append(a, b.boxInt(int64(argument(rest, 2))))
		case ib == majorUint<<5|26 && len(rest) >= 4:
			b.pos += 5
			a = append(a, b.boxInt(int64(argument(rest, 4))))
		case ib == majorSimple<<5|27 && len(rest) >= 8:
			b.pos += 9
			a = append(a, b.boxFloat(math.Float64frombits(argument(rest, 8))))
		case ib-majorText<<5 < 24 && len(rest) >= 24+maxShort: // else textValue may do better
			n := int(ib - majorText<<5)
			s, err := b.text(rest[:n:n], b.off())
			if err != nil {
				return a // for value to return
			}
			b.pos += 1 + n
			a = append(a, b.boxString(s))
		default:
			return a
		}
	}
	return a
}

// elementsToBreak returns the items of an array of indefinite length.
func (b *builder) elementsToBreak() ([]any, error) {
	a := []any{}
	for i := uint64(0); ; i++ {
		end, err := b.atBreak()
		if err != nil {
			return nil, b.inArray(err, i)
		}
		if end {
			return a, nil
		}
		v, err := b.value()
		if err != nil {
			return nil, b.inArray(err, i)
		}
		a = append(a, v)
	}
}
