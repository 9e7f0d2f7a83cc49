package cbor

import "unsafe"

// aliasString returns a string that shares the memory of s, which must never
// change again.
func aliasString(s []byte) string { return unsafe.String(unsafe.SliceData(s), len(s)) }
