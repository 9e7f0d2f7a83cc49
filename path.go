package cbor

import (
	"slices"
	"strconv"
	"strings"
)

// inArray adds to the path of err that it happened in element i.
func (b *builder) inArray(err error, i uint64) error {
	if _, ok := err.(*DecodeError); ok && b.scratch != nil {
		b.path = append(b.path, strconv.FormatUint(i, 10))
	}
	return err
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3

// joinPath returns the JSON Pointer for segments that are innermost first.
func joinPath(path []string) string {
	var s strings.Builder
	for _, segment := range slices.Backward(path) {
		s.WriteByte('/')
		s.WriteString(segment)
	}
	return s.String()
}
