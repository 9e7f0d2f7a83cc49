package cbor

import (
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"
)

func decodeBool(p *plan, b *builder, r ref, h headAt) error {
	if h.ib&^1 != majorSimple<<5|20 {
		return p.other(b, r, h)
	}
	storeBool(r, h.ib&1 != 0)
	return nil
}

func decodeInt(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 > majorNegInt {
		return p.other(b, r, h)
	}
	if h.arg > p.max { // -1 - arg fits if arg does
		return p.tooLarge(h)
	}
	p.storeInt(r, int64(h.arg)^-int64(h.ib>>5))
	return nil
}

func decodeUint(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 > majorNegInt {
		return p.other(b, r, h)
	}
	if h.ib>>5 == majorNegInt || h.arg > p.max {
		return p.tooLarge(h)
	}
	p.storeUint(r, h.arg)
	return nil
}

// tooLarge returns the error for the integer h, which the target does not hold.
func (p *plan) tooLarge(h headAt) error {
	number := strconv.FormatUint(h.arg, 10)
	if h.ib>>5 == majorNegInt {
		number = bigNegative(h.arg).String()
	}
	return p.mismatch(kindOf(h.ib).String()+" "+number, h.off)
}

func decodeFloat(p *plan, b *builder, r ref, h headAt) error {
	var f float64
	switch h.ib >> 5 {
	case majorUint:
		f = float64(h.arg)
		if p.size == 4 {
			f = float64(float32(h.arg)) // rounded once
		}
	case majorNegInt:
		f = negativeFloat(h.arg)
		if p.size == 4 {
			f = float64(negativeFloat32(h.arg))
		}
	default:
		if kindOf(h.ib) != KindFloat {
			return p.other(b, r, h)
		}
		f = float(h.ib, h.arg)
		if p.size == 4 && overflowsFloat32(f) {
			return p.mismatch(kindOf(h.ib).String()+" "+strconv.FormatFloat(f, 'g', -1, 64), h.off)
		}
	}
	p.storeFloat(r, f)
	return nil
}

// overflowsFloat32 reports whether f, finite, becomes an infinity as a float32.
func overflowsFloat32(f float64) bool {
	return !math.IsInf(f, 0) && math.IsInf(float64(float32(f)), 0)
}

// negativeFloat returns -1 - arg, rounded once.
func negativeFloat(arg uint64) float64 {
	if arg == math.MaxUint64 {
		return -0x1p64
	}
	return -float64(arg + 1)
}

// negativeFloat32 is like negativeFloat for a float32.
func negativeFloat32(arg uint64) float32 {
	if arg == math.MaxUint64 {
		return -0x1p64
	}
	return -float32(arg + 1)
}

func decodeString(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorText {
		return p.other(b, r, h)
	}
	s, err := b.textString(h.ib, h.arg, h.off)
	if err != nil {
		return err
	}
	storeString(r, s)
	return nil
}

func decodeByteString(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorBytes {
		return p.other(b, r, h)
	}
	s, err := b.byteKey(h.ib, h.arg, h.off)
	if err != nil {
		return err
	}
	storeString(r, string(s.(ByteString)))
	return nil
}

// decodeBytes decodes into a slice of bytes. What it held may alias an input
// and is never written.
func decodeBytes(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorBytes {
		if h.ib>>5 == majorArray {
			storeBytes(r, nil)
		}
		return decodeSlice(p, b, r, h)
	}
	if h.arg <= uint64(len(b.buf)-b.pos) && !isIndefinite(h.ib) && !b.opt.CopyBytes {
		i, j := b.pos, b.pos+int(h.arg)
		b.pos = j
		b.keep()
		storeBytes(r, b.buf[i:j:j])
		return nil
	}
	s, err := b.byteString(h.ib, h.arg, h.off)
	if err != nil {
		return err
	}
	storeBytes(r, s)
	return nil
}

// decodeByteArray decodes into an array of bytes.
func decodeByteArray(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorBytes {
		return decodeArray(p, b, r, h)
	}
	s, err := b.transient(h)
	if err != nil {
		return err
	}
	dst := p.value(r).Bytes()
	clear(dst[copy(dst, s):])
	return nil
}

// transient returns the string whose head is h, text as the options want it. It
// may alias the input and is not for the user to keep.
func (b *builder) transient(h headAt) (s []byte, err error) {
	text := h.ib>>5 == majorText
	switch {
	case isIndefinite(h.ib) && text:
		return b.joinText(h.ib)
	case isIndefinite(h.ib):
		return b.joinBytes(h.ib)
	}
	s, err = b.body(h.arg, h.off)
	if err == nil && text && !validUTF8(s) {
		return b.invalidText(s, h.off)
	}
	return s, err
}

func decodeSimple(p *plan, b *builder, r ref, h headAt) error {
	if info := h.ib & infoMask; h.ib>>5 != majorSimple || info > 24 {
		return p.other(b, r, h)
	}
	p.storeUint(r, h.arg)
	return nil
}

func decodeTag(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorTag {
		return p.other(b, r, h)
	}
	if b.opt.Tags[h.arg] != nil {
		return p.tagged(b, r, h)
	}
	if err := b.enter(h.off); err != nil {
		return err
	}
	x, err := b.value()
	if err != nil {
		return err
	}
	b.depth++
	*as[Tag](r) = Tag{h.arg, x}
	return nil
}

func decodeRaw(p *plan, b *builder, r ref, h headAt) error {
	raw, err := b.rawItem(h)
	if err != nil {
		return err
	}
	storeBytes(r, raw)
	return nil
}

// rawItem returns the bytes of the item that begins with h. They alias the
// input unless CopyBytes is set.
func (b *builder) rawItem(h headAt) ([]byte, error) {
	if h.ib == initialBreak {
		return nil, errBreak(h.off)
	}
	b.unread(h)
	if err := b.pass(); err != nil {
		return nil, err
	}
	raw := b.since(h.off)
	if b.opt.CopyBytes {
		return slices.Clone(raw), nil
	}
	b.keep()
	return raw, nil
}

func decodeBigInt(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 > majorNegInt {
		return p.other(b, r, h)
	}
	x := as[big.Int](r)
	if h.ib>>5 == majorNegInt {
		x.Set(bigNegative(h.arg))
	} else {
		x.SetUint64(h.arg)
	}
	return nil
}

func decodeTime(p *plan, b *builder, r ref, h headAt) error {
	t, ok, err := b.timeOf(h)
	if err != nil {
		return err
	}
	if !ok {
		return p.notTime(b, r, h)
	}
	*as[time.Time](r) = t
	return nil
}

// notTime decodes an item that is no time without a tag.
func (p *plan) notTime(b *builder, r ref, h headAt) error {
	switch kindOf(h.ib) {
	case KindText:
		return p.mismatch("text string that is not RFC 3339", h.off)
	case KindUint, KindNegInt:
		return p.tooLarge(h)
	case KindFloat:
		f := strconv.FormatFloat(float(h.ib, h.arg), 'g', -1, 64)
		return p.mismatch("floating-point number "+f, h.off)
	}
	return p.other(b, r, h)
}

// decodeOrdered decodes a map in the order of the input.
func decodeOrdered(p *plan, b *builder, r ref, h headAt) error {
	if h.ib>>5 != majorMap {
		return p.other(b, r, h)
	}
	m, err := b.mapOf(h.ib, h.arg, h.off, oddKeys, oddKeys)
	if err != nil {
		return err
	}
	*as[Map](r) = m.(Map)
	return nil
}
