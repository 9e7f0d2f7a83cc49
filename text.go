package cbor

import (
	"unicode/utf8"
	"unsafe"
)

// textString returns the text string whose head (ib, n) is at off. It is
// checked on the input and then copied once, or aliased under AliasText.
func (b *builder) textString(ib byte, n uint64, off int64) (string, error) {
	if isIndefinite(ib) {
		s, err := b.joinText(ib)
		return aliasString(s), err
	}
	s, err := b.body(n, off)
	if err != nil {
		return "", err
	}
	return b.text(s, off)
}

// text returns the string of the body s, whose head is at off.
func (b *builder) text(s []byte, off int64) (string, error) {
	if !validUTF8(s) {
		var err error
		if s, err = b.invalidText(s, off); err != nil {
			return "", err
		}
	}
	if b.opt.AliasText || b.ownsBlock(s) {
		b.keep()
		return aliasString(s), nil
	}
	return b.copyText(s), nil
}

// textValue is like text but returns the string as an interface. The last short
// string of an item is one allocation with its header.
func (b *builder) textValue(s []byte, off int64) (any, error) {
	if len(s) <= maxShort && len(b.buf)-b.pos < maxShort && (b.scratch == nil || b.headersLen == 0) && !b.opt.AliasText && validUTF8(s) {
		return boxText(s), nil
	}
	text, err := b.text(s, off)
	if err != nil {
		return nil, err
	}
	if b.opt.AliasText && len(text) > maxShort && unsafe.StringData(text) == unsafe.SliceData(s) {
		return b.boxAlias(text), nil
	}
	return b.boxString(text), nil
}

// textBytes is like textString but aliases the input where it can.
func (b *builder) textBytes(ib byte, n uint64, off int64) ([]byte, error) {
	if isIndefinite(ib) {
		return b.joinText(ib)
	}
	s, err := b.body(n, off)
	if err != nil {
		return nil, err
	}
	b.keep()
	if !validUTF8(s) {
		return b.invalidText(s, off)
	}
	return s, nil
}

// joinText returns the chunks of a text string of indefinite length in a new
// slice. Each chunk is text by itself (RFC 8949, section 3.2.3).
func (b *builder) joinText(ib byte) ([]byte, error) {
	joined := []byte{}
	for {
		chunk, off, ok, err := b.chunk(ib)
		if err != nil {
			return nil, err
		}
		if !ok {
			return joined, nil
		}
		if !validUTF8(chunk) {
			if chunk, err = b.invalidText(chunk, off); err != nil {
				return nil, err
			}
		}
		joined = append(joined, chunk...)
	}
}

// invalidText returns what becomes of s, which is not UTF-8 and whose head is
// at off.
func (b *builder) invalidText(s []byte, off int64) ([]byte, error) {
	switch b.opt.InvalidUTF8 {
	case ReplaceInvalidUTF8:
		return appendValidUTF8(nil, s), nil
	case AllowInvalidUTF8:
		return s, nil
	}
	return nil, errUTF8(off)
}

func errUTF8(off int64) error { // RFC 8949, section 3.1
	return errorAt(off, ErrInvalidUTF8, "text string is not valid UTF-8; see Options.InvalidUTF8")
}

// appendValidUTF8 appends s to dst with one U+FFFD for each maximal ill-formed
// subpart (The Unicode Standard, section 3.9, U+FFFD substitution).
func appendValidUTF8(dst, s []byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if r == utf8.RuneError && n == 1 {
			n = illFormed(s)
			dst = append(dst, "\uFFFD"...)
		} else {
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return dst
}

// illFormed returns the length of the maximal ill-formed subpart at the start
// of s: the longest beginning of a well-formed sequence there (The Unicode
// Standard, table 3-7), or else one byte.
func illFormed(s []byte) int {
	lo, hi, size := byte(0x80), byte(0xbf), 0
	switch c := s[0]; {
	case c >= 0xc2 && c <= 0xdf:
		size = 2
	case c >= 0xe0 && c <= 0xef:
		size = 3
		switch c {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		}
	case c >= 0xf0 && c <= 0xf4:
		size = 4
		switch c {
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	}
	n := 1
	for n < size && n < len(s) && s[n] >= lo && s[n] <= hi {
		lo, hi = 0x80, 0xbf
		n++
	}
	return n
}
