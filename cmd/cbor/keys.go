package main

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/big"
	"slices"

	"github.com/streamcbor/cbor"
)

// key reads the next item, the key of a map. Equal keys, and no others, have
// the same id; name returns the key as the path of an error has it.
func (h *check) key() (id string, name func() string, err error) {
	off := h.d.InputOffset()
	kind, err := h.d.PeekKind()
	if err != nil {
		return "", nil, notEOF(err, h.d)
	}
	if kind == cbor.KindText {
		text, err := h.d.ReadTextBytes()
		if err != nil {
			return "", nil, err
		}
		return keyID(appendString(nil, 't', text)), func() string { return string(text) }, nil
	}
	raw, err := h.d.ReadRaw()
	if err != nil {
		return "", nil, err
	}
	if _, err := h.strict.Decode(raw); err != nil {
		return "", nil, moved(err, off)
	}
	// Keys are compared before tags are interpreted (RFC 8949, section 5.6.1).
	plain := h.strict
	plain.RawTags, plain.Maps = true, cbor.MapOrdered
	v, err := plain.Decode(raw)
	if err != nil {
		return "", nil, moved(err, off)
	}
	return keyID(appendKey(nil, v)), func() string { return notationOf(raw) }, nil
}

// moved returns the error of an item that begins at offset off of the input,
// without its path: a fault inside a key has the path of its map.
func moved(err error, off int64) error {
	var e *cbor.DecodeError
	if !errors.As(err, &e) {
		return err
	}
	return &cbor.DecodeError{Offset: off + e.Offset, Err: e.Err}
}

// notationOf returns a well-formed item in diagnostic notation.
func notationOf(raw []byte) string {
	s, err := cbor.Diagnose(raw)
	if err != nil { // deeper than the default limit
		return "..."
	}
	return s
}

// keyID returns what stands for a key in memory: the key, or a hash if it is long.
func keyID(key []byte) string {
	if len(key) > sha256.Size {
		sum := sha256.Sum256(key)
		return "#" + string(sum[:])
	}
	return string(key)
}

// appendKey appends an encoding of v, a value with Tag for every tag and Map
// for every map, that is the same for equal data items only.
func appendKey(dst []byte, v any) []byte {
	switch v := v.(type) {
	case int64:
		return binary.BigEndian.AppendUint64(append(dst, 'i'), uint64(v))
	case uint64:
		return binary.BigEndian.AppendUint64(append(dst, 'u'), v)
	case *big.Int: // below int64
		return appendString(dst, 'n', v.Bytes())
	case float64:
		if v == 0 {
			v = 0 // -0.0 too
		}
		return binary.BigEndian.AppendUint64(append(dst, 'f'), math.Float64bits(v))
	case []byte:
		return appendString(dst, 'b', v)
	case cbor.ByteString:
		return appendString(dst, 'b', []byte(v))
	case string:
		return appendString(dst, 't', []byte(v))
	case bool:
		if v {
			return append(dst, 's', 21)
		}
		return append(dst, 's', 20)
	case nil:
		return append(dst, 's', 22)
	case cbor.Simple:
		return append(dst, 's', byte(v))
	case cbor.Tag:
		return appendKey(binary.BigEndian.AppendUint64(append(dst, '('), v.Number), v.Content)
	case []any:
		dst = binary.BigEndian.AppendUint64(append(dst, '['), uint64(len(v)))
		for _, element := range v {
			dst = appendKey(dst, element)
		}
		return dst
	case cbor.Map:
		return appendMap(dst, v)
	}
	panic("cbor: unknown type of a key")
}

// appendMap appends a map, whose order does not matter.
func appendMap(dst []byte, m cbor.Map) []byte {
	entries := make([]string, len(m))
	for i, e := range m {
		entries[i] = string(appendKey(appendKey(nil, e.Key), e.Value))
	}
	slices.Sort(entries)
	dst = binary.BigEndian.AppendUint64(append(dst, '{'), uint64(len(m)))
	for _, e := range entries {
		dst = append(dst, e...)
	}
	return dst
}

func appendString(dst []byte, class byte, s []byte) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, class), uint64(len(s)))
	return append(dst, s...)
}
