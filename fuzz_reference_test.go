package cbor_test

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/streamcbor/cbor"
)

// A refItem is an item in the reference, a decoder with no regard to speed.
type refItem struct {
	major  byte
	info   byte
	arg    uint64
	text   []byte     // of a string, its chunks joined
	chunks [][]byte   // of a string
	items  []*refItem // of an array, a map (keys and values), a tag
}

// parseRef returns the item that data, which is well-formed, holds.
func parseRef(data []byte) *refItem {
	it, rest := refNext(data)
	if it == nil || len(rest) > 0 {
		panic("not well-formed")
	}
	return it
}

// refNext returns the next item, or nil at a break.
func refNext(b []byte) (*refItem, []byte) {
	it := &refItem{major: b[0] >> 5, info: b[0] & 31}
	b = b[1:]
	indefinite := it.info == 31
	if it.major == 7 && indefinite {
		return nil, b
	}
	it.arg = uint64(it.info)
	if it.info >= 24 && it.info < 28 {
		n := 1 << (it.info - 24)
		it.arg = new(big.Int).SetBytes(b[:n]).Uint64()
		b = b[n:]
	}
	switch {
	case it.major == 2 || it.major == 3:
		if !indefinite {
			it.text, b = b[:it.arg], b[it.arg:]
			it.chunks = [][]byte{it.text}
			break
		}
		it.text = []byte{}
		for {
			var chunk *refItem
			if chunk, b = refNext(b); chunk == nil {
				break
			}
			it.chunks = append(it.chunks, chunk.text)
			it.text = append(it.text, chunk.text...)
		}
	case it.major >= 4 && it.major <= 6:
		count := map[byte]uint64{4: it.arg, 5: 2 * it.arg, 6: 1}[it.major]
		for i := uint64(0); indefinite || i < count; i++ {
			var sub *refItem
			if sub, b = refNext(b); sub == nil {
				break
			}
			it.items = append(it.items, sub)
		}
	}
	return it, b
}

// any reports whether f holds for it or an item inside.
func (it *refItem) any(f func(*refItem) bool) bool {
	return f(it) || slices.ContainsFunc(it.items, func(sub *refItem) bool { return sub.any(f) })
}

// oddKeys reports whether it is a map whose keys fxamacker/cbor treats differently.
func (it *refItem) oddKeys() bool {
	if it.major != 5 {
		return false
	}
	null := 0
	for i := 0; i < len(it.items); i += 2 {
		k := it.items[i]
		if k.class() == 2 {
			return true
		}
		if k.major == 7 && (k.info == 22 || k.info == 23) {
			null++
		}
	}
	return null > 1
}

// class returns 0 for a text key, 1 for one that Go can compare, else 2.
func (it *refItem) class() int {
	switch {
	case it.major == 3:
		return 0
	case it.major >= 4 && it.major <= 6, it.major == 1 && it.arg > math.MaxInt64, it.isFloat() && math.IsNaN(it.float()):
		return 2
	}
	return 1
}

func (it *refItem) isFloat() bool { return it.major == 7 && it.info >= 25 && it.info <= 27 }

// float returns the value of a float by the definition of IEEE 754.
func (it *refItem) float() float64 {
	var expBits, mantBits uint
	switch it.info {
	case 25:
		expBits, mantBits = 5, 10
	case 26:
		expBits, mantBits = 8, 23
	default:
		return math.Float64frombits(it.arg)
	}
	sign := it.arg >> (expBits + mantBits) << 63
	exp := int(it.arg >> mantBits & (1<<expBits - 1))
	mant := it.arg & (1<<mantBits - 1)
	bias := 1<<(expBits-1) - 1
	if exp == 1<<expBits-1 {
		return math.Float64frombits(sign | 0x7ff<<52 | mant<<(52-mantBits))
	}
	if exp == 0 {
		exp = 1
	} else {
		mant |= 1 << mantBits
	}
	f := math.Ldexp(float64(mant), exp-bias-int(mantBits))
	return math.Float64frombits(math.Float64bits(f) | sign)
}

// form returns a notation that is the same for equal keys only.
func (it *refItem) form() string {
	switch it.major {
	case 2, 3:
		return fmt.Sprintf("%d:%x", it.major, it.text)
	case 4:
		var b strings.Builder
		for _, sub := range it.items {
			b.WriteString(sub.form() + ",")
		}
		return "[" + b.String() + "]"
	case 5:
		var pairs []string
		for i := 0; i < len(it.items); i += 2 {
			pairs = append(pairs, it.items[i].form()+"="+it.items[i+1].form())
		}
		slices.Sort(pairs)
		return "{" + strings.Join(pairs, ",") + "}"
	case 6:
		return fmt.Sprintf("%d(%s)", it.arg, it.items[0].form())
	}
	if it.isFloat() {
		return fmt.Sprintf("f%x", math.Float64bits(it.float()+0)) // -0 + 0 is 0
	}
	return fmt.Sprintf("%d %d", it.major, it.arg)
}

var errRef = errors.New("not valid")

// value returns what Decode must return; anyKeys is set in tag 259.
func (it *refItem) value(anyKeys bool) (any, error) {
	switch it.major {
	case 0:
		if it.arg > math.MaxInt64 {
			return it.arg, nil
		}
		return int64(it.arg), nil
	case 1:
		if it.arg > math.MaxInt64 {
			i := new(big.Int).SetUint64(it.arg)
			return i.Neg(i.Add(i, big.NewInt(1))), nil
		}
		return -1 - int64(it.arg), nil
	case 2:
		return it.text, nil
	case 3:
		for _, c := range it.chunks {
			if !utf8.Valid(c) {
				return nil, errRef
			}
		}
		return string(it.text), nil
	case 4:
		a := []any{}
		for _, sub := range it.items {
			v, err := sub.value(false)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		return a, nil
	case 5:
		return it.mapValue(anyKeys)
	case 6:
		return it.tagValue()
	}
	switch {
	case it.isFloat():
		return it.float(), nil
	case it.arg == 20, it.arg == 21:
		return it.arg == 21, nil
	case it.arg == 22:
		return nil, nil
	}
	return cbor.Simple(it.arg), nil
}

func (it *refItem) mapValue(anyKeys bool) (any, error) {
	class := 0
	if anyKeys {
		class = 1
	}
	seen := map[string]bool{}
	text, comparable, ordered := map[string]any{}, map[any]any{}, cbor.Map{}
	for i := 0; i < len(it.items); i += 2 {
		k := it.items[i]
		key, err := k.value(false)
		if err != nil || seen[k.form()] {
			return nil, errRef
		}
		seen[k.form()] = true
		v, err := it.items[i+1].value(false)
		if err != nil {
			return nil, err
		}
		class = max(class, k.class())
		if k.major == 2 {
			key = cbor.ByteString(k.text)
		}
		if k.class() == 0 {
			text[key.(string)] = v
		}
		if k.class() < 2 {
			comparable[key] = v
		}
		ordered = append(ordered, cbor.Entry{Key: key, Value: v})
	}
	return []any{text, comparable, ordered}[class], nil
}

func (it *refItem) tagValue() (any, error) {
	content := it.items[0]
	v, err := content.value(it.arg == 259 && content.major == 5)
	if err != nil {
		return nil, err
	}
	switch it.arg {
	case 0:
		if content.major != 3 {
			return nil, errRef
		}
		return refTime(v.(string))
	case 1:
		return refEpoch(content, v)
	case 2, 3:
		if content.major != 2 {
			return nil, errRef
		}
		i, _ := new(big.Int).SetString("0"+hex.EncodeToString(content.text), 16)
		if it.arg == 3 {
			i.Neg(i.Add(i, big.NewInt(1)))
		}
		return i, nil
	case 259:
		if content.major != 5 {
			return nil, errRef
		}
		return v, nil
	case 55799:
		return v, nil
	}
	return cbor.Tag{Number: it.arg, Content: v}, nil
}

// refTime returns the time of tag 0; package time parses it with 59 for a
// second of 60.
func refTime(s string) (any, error) {
	leap := len(s) > 19 && s[17:19] == "60"
	if leap {
		s = s[:17] + "59" + s[19:]
	}
	if len(s) < 20 || strings.Contains(s, ",") || strings.ContainsAny(s[:19], "+.") {
		return nil, errRef
	}
	t, err := time.Parse(time.RFC3339, strings.NewReplacer("t", "T", "z", "Z").Replace(s))
	if leap {
		t = t.Add(time.Second)
	}
	if err != nil || t.Year() > 9999 {
		return nil, errRef
	}
	return t, nil
}

// refEpoch returns the time of tag 1 by exact arithmetic.
func refEpoch(content *refItem, v any) (any, error) {
	ns := new(big.Int)
	switch v := v.(type) {
	case int64:
		ns.Mul(big.NewInt(v), big.NewInt(1e9))
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, errRef
		}
		f := new(big.Float).SetPrec(2000).SetFloat64(v)
		f.Mul(f, big.NewFloat(1e9)).Add(f, big.NewFloat(0.5)) // to the nearest
		if f.Int(ns); f.Sign() < 0 && !f.IsInt() {
			ns.Sub(ns, big.NewInt(1)) // floor
		}
	default:
		return nil, errRef
	}
	sec, rest := new(big.Int).DivMod(ns, big.NewInt(1e9), new(big.Int))
	if content.major > 1 && content.major != 7 || !sec.IsInt64() || sec.Int64() < -62167219200 || sec.Int64() > 253402300799 {
		return nil, errRef
	}
	return time.Unix(sec.Int64(), rest.Int64()).UTC(), nil
}

// TestRandomItems compares Decode with the reference on items made at random,
// with few different keys in varying encodings, so that many are duplicates.
func TestRandomItems(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	valid := 0
	for range 50_000 {
		data := randomItem(r, nil, 5)
		if err := cbor.Wellformed(data); err != nil {
			t.Fatalf("%x: %v", data, err)
		}
		want, refErr := parseRef(data).value(false)
		v, err := cbor.Decode(data)
		if (err == nil) != (refErr == nil) {
			t.Fatalf("%x: %v; reference: %v", data, err, refErr)
		}
		if err == nil {
			valid++
			if diff := diffValues(want, v, exact); diff != "" {
				t.Fatalf("%x (-want +got):\n%s", data, diff)
			}
		}
	}
	if valid < 10_000 || valid > 49_000 {
		t.Errorf("%d of the items are valid: they try little", valid)
	}
}

// randomItem appends an item with up to the given levels to b.
func randomItem(r *rand.Rand, b []byte, levels int) []byte {
	kind := r.IntN(20)
	if levels == 0 {
		kind = r.IntN(12)
	}
	switch {
	case kind < 4:
		return randomHead(r, b, byte(r.IntN(2)), r.Uint64()>>(r.IntN(3)*31))
	case kind < 8:
		major := byte(2 + r.IntN(2))
		if r.IntN(3) > 0 {
			return randomString(r, b, major)
		}
		b = append(b, major<<5|31)
		for range r.IntN(3) {
			b = randomString(r, b, major)
		}
		return append(b, 0xff)
	case kind < 10:
		return append(b, 0xe0|byte(r.IntN(24)))
	case kind < 12:
		floats := []string{"\xf9\x00\x00", "\xf9\x80\x00", "\xfa\x80\x00\x00\x00", "\xf9\x7e\x00", "\xfa\x7f\xc0\x00\x00", "\xf9\x7c\x01", "\xfb\x3f\xf0\x00\x00\x00\x00\x00\x00", "\xf9\x3c\x00"}
		return append(b, floats[r.IntN(len(floats))]...)
	case kind < 14:
		return randomContainer(r, b, 4, 1, levels)
	case kind < 18:
		return randomContainer(r, b, 5, 2, levels)
	}
	numbers := []uint64{0, 1, 2, 3, 259, 55799, 100}
	return randomItem(r, randomHead(r, b, 6, numbers[r.IntN(len(numbers))]), levels-1)
}

func randomContainer(r *rand.Rand, b []byte, major byte, per, levels int) []byte {
	count := r.IntN(4)
	if r.IntN(50) == 0 {
		count = 40
	}
	indefinite := r.IntN(3) == 0
	if indefinite {
		b = append(b, major<<5|31)
	} else {
		b = randomHead(r, b, major, uint64(count))
	}
	for i := range count * per {
		if per == 2 && i%2 == 0 && r.IntN(2) == 0 {
			b = randomHead(r, b, 0, uint64(i)) // a key of its own
			continue
		}
		b = randomItem(r, b, levels-1)
	}
	if indefinite {
		b = append(b, 0xff)
	}
	return b
}

// randomHead appends a head with a small argument, or any, in any width.
func randomHead(r *rand.Rand, b []byte, major byte, arg uint64) []byte {
	if major <= 1 && r.IntN(4) > 0 {
		arg %= 3
	}
	switch width := r.IntN(10); {
	case width == 0 || arg > math.MaxUint32:
		return binary.BigEndian.AppendUint64(append(b, major<<5|27), arg)
	case width == 1 || arg > math.MaxUint16:
		return binary.BigEndian.AppendUint32(append(b, major<<5|26), uint32(arg))
	case width == 2 || arg > math.MaxUint8:
		return binary.BigEndian.AppendUint16(append(b, major<<5|25), uint16(arg))
	case width == 3 || arg > 23:
		return append(b, major<<5|24, byte(arg))
	}
	return append(b, major<<5|byte(arg))
}

func randomString(r *rand.Rand, b []byte, major byte) []byte {
	texts := []string{"", "a", "b", "ab", "aa", "long text with 24 bytes.", "é", "2013-03-21T20:04:00Z"}
	if r.IntN(50) == 0 {
		texts = append(texts, "\xff", "a\xc3")
	}
	s := texts[r.IntN(len(texts))]
	return append(randomHead(r, b, major, uint64(len(s))), s...)
}
