package cbor

import (
	"encoding"
	"errors"
	"io"
)

// decodeUnmarshaler calls UnmarshalCBOR.
func decodeUnmarshaler(p *plan, b *builder, r ref, h headAt) error {
	raw, err := b.rawItem(h)
	if err != nil {
		return err
	}
	if err := p.value(r).Addr().Interface().(Unmarshaler).UnmarshalCBOR(raw); err != nil {
		return p.refused(kindOf(h.ib).String(), h.off, err)
	}
	return nil
}

// decodeFrom calls UnmarshalCBORFrom with a Decoder over the one item, so that
// the method can neither read what follows nor meet an error of the reader.
func decodeFrom(p *plan, b *builder, r ref, h headAt) error {
	raw, err := b.rawItem(h)
	if err != nil {
		return err
	}
	d := &Decoder{b: builder{opt: b.opt}}
	d.reset(cursor{full: raw, base: h.off})
	d.lent = true
	err = p.value(r).Addr().Interface().(UnmarshalerFrom).UnmarshalCBORFrom(d)
	if err == nil {
		err = d.resume()
	}
	d.b.release()
	switch {
	case !d.lent:
		err = errors.New("UnmarshalCBORFrom reset its Decoder")
	case err == nil:
		if len(d.b.frames) == 0 && d.b.pos == len(raw) {
			return nil
		}
		err = errors.New("UnmarshalCBORFrom read less than one item")
	case err != d.last: // of the method itself, or wrapped by it
	case err == io.EOF:
		err = errors.New("UnmarshalCBORFrom read more than one item")
	default:
		e := err.(*DecodeError)
		if e.Path != "" { // the path goes on
			b.path = append(b.path, e.Path[1:])
		}
		return &DecodeError{Offset: e.Offset, Err: e.Err}
	}
	return p.refused(kindOf(h.ib).String(), h.off, err)
}

// decodeHookedString calls UnmarshalBinary for byte strings and UnmarshalText
// for text strings. Neither method may keep the bytes that it gets.
func decodeHookedString(p *plan, b *builder, r ref, h headAt) error {
	text := h.ib>>5 == majorText
	if !(text && (p.text || p.isURL)) && !(h.ib>>5 == majorBytes && p.binary) {
		return p.base(p, b, r, h)
	}
	s, err := b.transient(h)
	if err != nil {
		return err
	}
	if text && p.text {
		err = p.value(r).Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(s)
	} else {
		err = p.value(r).Addr().Interface().(encoding.BinaryUnmarshaler).UnmarshalBinary(s)
	}
	if err != nil {
		return p.refused(kindOf(h.ib).String(), h.off, err)
	}
	return nil
}
