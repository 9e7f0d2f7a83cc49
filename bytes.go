package cbor

// byteString returns the byte string whose head (ib, n) is at off. The result
// aliases the input if the length is definite, unless CopyBytes is set.
func (b *builder) byteString(ib byte, n uint64, off int64) ([]byte, error) {
	if isIndefinite(ib) {
		return b.joinBytes(ib)
	}
	s, err := b.body(n, off)
	if err != nil {
		return nil, err
	}
	if b.opt.CopyBytes {
		owned := make([]byte, len(s))
		copy(owned, s)
		return owned, nil
	}
	b.keep()
	return s, nil
}

// joinBytes returns the chunks of a byte string of indefinite length in a new
// slice (RFC 8949, section 3.2.3).
func (b *builder) joinBytes(ib byte) ([]byte, error) {
	joined := []byte{}
	for {
		chunk, _, ok, err := b.chunk(ib)
		if err != nil {
			return nil, err
		}
		if !ok {
			return joined, nil
		}
		joined = append(joined, chunk...)
	}
}
