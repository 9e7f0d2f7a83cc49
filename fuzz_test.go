package cbor_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	fx "github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

// addSeeds adds the examples of the RFC and the vectors, where they are.
func addSeeds(f *testing.F) {
	for _, a := range appendixA {
		f.Add(unhex(f, a.hex))
	}
	for _, group := range appendixF {
		for s := range strings.SplitSeq(group.examples, ", ") {
			f.Add(unhex(f, s))
		}
	}
	for _, k := range equalKeys {
		f.Add(unhex(f, "a2"+k.first+"00"+k.second+"01"))
	}
	if !haveVectors() {
		f.Log("no vectors in " + vectorDir)
		return
	}
	for _, e := range readEdges(f) {
		f.Add(e.data)
	}
	for _, vectors := range readVectors(f) {
		short := slices.DeleteFunc(vectors, func(v vector) bool { return len(v.data) > 100 })
		for i := 0; i < len(short); i += 1 + len(short)/30 {
			f.Add(short[i].data)
		}
	}
}

// fuzzSize is the most bytes of an input, and the limit of its levels.
const fuzzSize = 2048

// lenient is fxamacker/cbor with its limits raised, so that it refuses
// malformed input only.
var lenient = func() fx.DecMode {
	m, err := fx.DecOptions{
		DupMapKey: fx.DupMapKeyEnforcedAPF, BigIntDec: fx.BigIntDecodePointer,
		MaxNestedLevels: 65535, MaxArrayElements: math.MaxInt32, MaxMapPairs: math.MaxInt32,
	}.DecMode()
	if err != nil {
		panic(err)
	}
	return m
}()

// FuzzDecode compares Decode with fxamacker/cbor and with the reference of
// this file, and checks what must hold for every input.
func FuzzDecode(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzSize {
			return
		}
		o := cbor.Options{MaxDepth: fuzzSize}
		input := bytes.Clone(data)
		wf := o.Wellformed(data)
		fxWF := lenient.Wellformed(data)
		if (wf == nil) != (fxWF == nil) && !claimsTooMany(append(data, 0)) {
			t.Fatalf("Wellformed: %v; fxamacker: %v", wf, fxWF)
		}
		var v any
		var err error
		if n := allocated(func() { v, err = o.Decode(data) }); n > 160*uint64(len(data))+64<<10 {
			t.Errorf("%d bytes allocated for %d", n, len(data))
		}
		if !bytes.Equal(input, data) {
			t.Fatal("the input changed")
		}
		checkPathsAgree(t, o, data, v, err)
		if wf != nil {
			if err == nil {
				t.Fatalf("Decode accepts what Wellformed refuses: %v", wf)
			}
			return
		}
		item := parseRef(data)
		want, refErr := item.value(false)
		if (err == nil) != (refErr == nil) {
			t.Fatalf("Decode: %v; reference: %v", err, refErr)
		}
		if err == nil {
			if diff := diffValues(want, v, exact); diff != "" {
				t.Errorf("against the reference (-want +got):\n%s", diff)
			}
		}
		compareFx(t, item, data, v, err)
	})
}

// checkPathsAgree compares Decode with the other paths, each on one kind of
// input: a Decoder for each takes most of the time.
func checkPathsAgree(t *testing.T, o cbor.Options, data []byte, v any, err error) {
	t.Helper()
	checkSame := func(path string, w any, pathErr error) {
		t.Helper()
		if fmt.Sprint(pathErr) != fmt.Sprint(err) && !errors.Is(err, cbor.ErrTrailingData) {
			t.Errorf("%s: %v; Decode: %v", path, pathErr, err)
		}
		if err == nil && diffValues(v, w, exact) != "" {
			t.Errorf("%s (-Decode +got):\n%s", path, diffValues(v, w, exact))
		}
	}
	w, _, pathErr := o.DecodeFirst(data)
	checkSame("DecodeFirst", w, pathErr)
	stream := func() *cbor.Decoder { return o.NewDecoder(iotest.OneByteReader(bytes.NewReader(data))) }
	w, pathErr = stream().ReadValue()
	checkSame("ReadValue", w, pathErr)

	o.InvalidUTF8 = cbor.AllowInvalidUTF8 // for the pull methods
	wf := o.Wellformed(data)
	_, rawErr := stream().ReadRaw()
	for path, pathErr := range map[string]error{"Skip": stream().Skip(), "ReadRaw": rawErr, "pull": pull(o.NewDecoderBytes(data))} {
		if errors.Is(wf, cbor.ErrTrailingData) != (wf != nil && pathErr == nil) {
			t.Errorf("%s: %v; Wellformed: %v", path, pathErr, wf)
		}
		if errors.Is(wf, io.ErrUnexpectedEOF) != errors.Is(pathErr, io.ErrUnexpectedEOF) && path != "pull" {
			t.Errorf("%s: %v; Wellformed: %v", path, pathErr, wf)
		}
	}
	if wf == nil && len(data) <= cbor.DefaultMaxDepth {
		if _, err := cbor.Diagnose(data); err != nil {
			t.Errorf("Diagnose: %v", err)
		}
	}
}

// compareFx compares Decode with Unmarshal of fxamacker/cbor. What is
// documented to differ is listed here and in fxValue, and nowhere else:
//
//   - fx refuses keys that Go cannot compare and lets some tags as keys pass;
//   - fx takes NaNs for different keys, null and undefined for the same;
//   - fx takes times beyond the years 0 to 9999, NaN and infinities for times, and
//     no second 60; it is laxer about the form of RFC 3339;
//   - fx knows no tag 259.
func compareFx(t *testing.T, item *refItem, data []byte, v any, err error) {
	t.Helper()
	if item.any(func(it *refItem) bool { return it.oddKeys() || it.major == 6 && it.arg == 259 }) {
		return
	}
	var w any
	fxErr := lenient.Unmarshal(data, &w)
	if (err == nil) != (fxErr == nil) {
		if !item.any(func(it *refItem) bool { return it.major == 6 && it.arg <= 1 }) {
			t.Fatalf("Decode: %v; fxamacker: %v", err, fxErr)
		}
		return
	}
	if err != nil {
		return
	}
	if diff := diffValues(fxValue(w), ourValue(v), sameEnough); diff != "" {
		t.Errorf("against fxamacker (-fx +got):\n%s", diff)
	}
}

// sameEnough compares times to the nanosecond, NaNs as equal, and integers by value.
var sameEnough = cmp.Options{
	cmp.Comparer(func(a, b float64) bool { return a == b || a != a && b != b }),
	cmp.Comparer(func(a, b time.Time) bool { d := a.Sub(b); return d >= -1 && d <= 1 }),
	cmp.Comparer(equalBig),
}

// fxValue returns v, which fxamacker/cbor decoded, with the types of this
// package: it has uint64 for all unsigned integers, its own types for tags,
// simple values and byte strings as keys, nil for undefined, and keeps tag
// 55799 inside tags.
func fxValue(v any) any {
	switch v := v.(type) {
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	case fx.SimpleValue:
		return cbor.Simple(v)
	case fx.ByteString:
		return cbor.ByteString(v)
	case fx.Tag:
		if v.Number == 55799 {
			return fxValue(v.Content)
		}
		return cbor.Tag{Number: v.Number, Content: fxValue(v.Content)}
	case []any:
		for i := range v {
			v[i] = fxValue(v[i])
		}
	case map[any]any:
		m := make(map[any]any, len(v))
		for k, e := range v {
			m[fxValue(k)] = fxValue(e)
		}
		return m
	}
	return v
}

// ourValue returns v with nil for undefined and one type of map.
func ourValue(v any) any {
	switch v := v.(type) {
	case cbor.Simple:
		if v == cbor.Undefined {
			return nil
		}
	case cbor.Tag:
		return cbor.Tag{Number: v.Number, Content: ourValue(v.Content)}
	case []any:
		a := make([]any, len(v))
		for i := range v {
			a[i] = ourValue(v[i])
		}
		return a
	case map[string]any:
		m := make(map[any]any, len(v))
		for k, e := range v {
			m[k] = ourValue(e)
		}
		return m
	case map[any]any:
		m := make(map[any]any, len(v))
		for k, e := range v {
			m[ourValue(k)] = ourValue(e)
		}
		return m
	}
	return v
}

// FuzzSequence checks that a sequence is decoded as its items are one by one,
// from memory and from a stream, and that Diagnose agrees.
func FuzzSequence(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzSize {
			return
		}
		d := cbor.NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
		rest := data
		items := 0
		for v, err := range cbor.DecodeSequence(data) {
			items++
			w, r, firstErr := cbor.DecodeFirst(rest)
			x, streamErr := d.ReadValue()
			if fmt.Sprint(err) != fmt.Sprint(streamErr) {
				t.Errorf("item %d: %v; stream: %v", items, err, streamErr)
			}
			if (err == nil) != (firstErr == nil) {
				t.Fatalf("item %d: %v; DecodeFirst: %v", items, err, firstErr)
			}
			if err != nil {
				base := int64(len(data) - len(rest))
				e, f := err.(*cbor.DecodeError), firstErr.(*cbor.DecodeError)
				if e.Offset != base+f.Offset || e.Path != f.Path {
					t.Errorf("item %d at %d: %v; DecodeFirst: %v", items, base, err, firstErr)
				}
				rest = nil
				break
			}
			if diff := diffValues(w, v, exact) + diffValues(w, x, exact); diff != "" {
				t.Errorf("item %d:\n%s", items, diff)
			}
			rest = r
		}
		if len(rest) > 0 {
			t.Errorf("%d bytes left", len(rest))
		}
		s, err := cbor.Diagnose(data)
		lines := 0
		if len(data) > 0 {
			lines = 1 + strings.Count(s, "\n")
		}
		if err == nil && lines < items || strings.HasSuffix(s, "\n") {
			t.Errorf("Diagnose writes %d lines for %d items", lines, items)
		}
	})
}

// FuzzUTF8 compares the modes for text that is not UTF-8 with a search over
// the characters that could begin at each byte.
func FuzzUTF8(f *testing.F) {
	for _, test := range illFormed {
		f.Add(unhex(f, test.hex), uint8(3))
	}
	f.Add([]byte("a\u00e9\u6c34\U00010151"), uint8(200))
	f.Fuzz(func(t *testing.T, text []byte, cut uint8) {
		if len(text) > 1000 {
			return
		}
		data := textItem(string(text))
		n := min(int(cut), len(text))
		chunks := append(append(append([]byte{0x7f}, textItem(string(text[:n]))...), textItem(string(text[n:]))...), 0xff)
		for _, c := range []struct {
			data  []byte
			want  string
			valid bool
		}{
			{data, replaceIllFormed(text), utf8.Valid(text)},
			{chunks, replaceIllFormed(text[:n]) + replaceIllFormed(text[n:]), utf8.Valid(text[:n]) && utf8.Valid(text[n:])},
		} {
			if v, err := (cbor.Options{InvalidUTF8: cbor.ReplaceInvalidUTF8}).Decode(c.data); v != c.want || err != nil {
				t.Errorf("replace: %q, %v, want %q", v, err, c.want)
			}
			if v, err := (cbor.Options{InvalidUTF8: cbor.AllowInvalidUTF8}).Decode(c.data); v != string(text) || err != nil {
				t.Errorf("allow: %q, %v, want %q", v, err, text)
			}
			if v, err := cbor.Decode(c.data); c.valid && (v != string(text) || err != nil) || !c.valid && !errors.Is(err, cbor.ErrInvalidUTF8) {
				t.Errorf("reject: %q, %v", v, err)
			}
		}
	})
}

// replaceIllFormed replaces each maximal ill-formed subpart of s by U+FFFD: the
// longest bytes at a place that begin some character, or one byte.
func replaceIllFormed(s []byte) string {
	var b strings.Builder
	for len(s) > 0 {
		n := 0
		for k := min(4, len(s)); k > 0 && n == 0; k-- {
			if beginsCharacter(s[:k]) {
				n = k
			}
		}
		if n > 0 && utf8.Valid(s[:n]) {
			b.Write(s[:n])
		} else {
			b.WriteRune('\ufffd')
		}
		s = s[max(n, 1):]
	}
	return b.String()
}

// beginsCharacter reports whether some bytes after p make it one character.
// The bytes tried have one in each range of table 3-7 of the standard.
func beginsCharacter(p []byte) bool {
	if utf8.Valid(p) {
		return utf8.RuneCount(p) == 1
	}
	if len(p) == utf8.UTFMax {
		return false
	}
	for _, c := range []byte{0x80, 0x90, 0xa0} {
		if beginsCharacter(append(p[:len(p):len(p)], c)) {
			return true
		}
	}
	return false
}
