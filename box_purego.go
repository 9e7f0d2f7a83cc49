//go:build purego

package cbor

func (b *builder) boxInt(i int64) any     { return i }
func (b *builder) boxFloat(f float64) any { return f }
func (b *builder) boxString(s string) any { return s }
func boxText(s []byte) any                { return string(s) }

const maxTiny = 4

func tinyArray(n int) (a []any, boxed *[]any) { return make([]any, 0, n), nil }
func boxArray(boxed *[]any, a []any) any      { return a }
