package cbor

import (
	"math"
	"math/big"
	"time"
)

// The tags with a built-in meaning.
const (
	tagTime         = 0     // RFC 8949, section 3.4.1: RFC 3339 text
	tagEpoch        = 1     // RFC 8949, section 3.4.2: seconds since 1970
	tagBignum       = 2     // RFC 8949, section 3.4.3: unsigned
	tagNegBignum    = 3     // RFC 8949, section 3.4.3: -1 - n
	tagAnyMap       = 259   // a map with keys of any type (IANA registry of tags)
	tagSelfDescribe = 55799 // RFC 8949, section 3.4.6
)

// tag returns the value of the tag whose head is at off.
func (b *builder) tag(number uint64, off int64) (any, error) {
	if err := b.enter(off); err != nil {
		return nil, err
	}
	fn, ok := b.opt.Tags[number]
	var v any
	var err error
	switch {
	case ok || b.opt.RawTags:
		v, err = b.userTag(number, fn, off)
	case number <= tagNegBignum:
		v, err = b.scalarTag(number, off)
	case number == tagAnyMap:
		v, err = b.anyMapTag(off)
	case number == tagSelfDescribe:
		v, err = b.value()
	default:
		v, err = b.userTag(number, nil, off)
	}
	if err != nil {
		return nil, err
	}
	b.depth++
	return v, nil
}

// userTag returns what fn makes of the content of the tag whose head is at off,
// or a Tag if fn is nil.
func (b *builder) userTag(number uint64, fn TagFunc, off int64) (any, error) {
	v, err := b.value()
	if err != nil {
		return nil, err
	}
	if fn == nil {
		return Tag{number, v}, nil
	}
	if v, err = fn(v); err != nil {
		return nil, &DecodeError{Offset: off, Err: &fault{ErrInvalidTag, "invalid content of " + tagName(number), notEOF(err)}}
	}
	return v, nil
}

// anyMapTag returns the map that is the content of tag 259 at off.
func (b *builder) anyMapTag(off int64) (any, error) {
	ib, err := b.peek()
	if err != nil {
		return nil, err
	}
	b.anyMap = ib>>5 == majorMap
	v, err := b.value()
	if err == nil && ib>>5 != majorMap {
		err = errorAt(off, ErrInvalidTag, "content of tag 259 is not a map")
	}
	return v, err
}

// scalarTag returns the value of the tag from 0 to 3 whose head is at off. Its
// content is not boxed.
func (b *builder) scalarTag(number uint64, off int64) (any, error) {
	h, err := b.readHead()
	if err != nil {
		return nil, err
	}
	fits := false
	switch major := h.ib >> 5; number {
	case tagTime:
		fits = major == majorText
	case tagEpoch:
		fits = major <= majorNegInt || kindOf(h.ib) == KindFloat
	default:
		if major == majorBytes {
			s, err := b.transient(h)
			return bignum(number, s), err
		}
	}
	if fits {
		t, ok, err := b.timeOf(h)
		if ok || err != nil {
			return t, err
		}
	} else {
		b.unread(h)
		if _, err := b.value(); err != nil {
			return nil, err
		}
	}
	return nil, errorAt(off, ErrInvalidTag, "content of %s is not %s", tagName(number), scalarTags[number])
}

// scalarTags says what the contents of tags 0 to 3 are.
var scalarTags = [...]string{
	tagTime:      "a date and time of RFC 3339 as text",
	tagEpoch:     "a number of seconds within the years 0 to 9999",
	tagBignum:    "a byte string",
	tagNegBignum: "a byte string",
}

func tagName(number uint64) string {
	return "tag " + new(big.Int).SetUint64(number).String()
}

// bignum returns the value of tag 2 or 3 over s, which may have leading zeros.
func bignum(number uint64, s []byte) *big.Int {
	i := new(big.Int).SetBytes(s)
	if number == tagNegBignum {
		i.Not(i)
	}
	return i
}

// The seconds since 1970 that are in the years 0 to 9999.
const (
	minEpoch = -62167219200
	maxEpoch = 253402300799
)

// timeOf returns the time that the item with the head h stands for: RFC 3339
// text, or a number of seconds since 1970. The body of other items is not read.
func (b *builder) timeOf(h headAt) (t time.Time, ok bool, err error) {
	switch h.ib >> 5 {
	case majorUint, majorNegInt:
		sec := int64(min(h.arg, math.MaxInt64)) ^ -int64(h.ib>>5)
		return time.Unix(sec, 0).UTC(), sec >= minEpoch && sec <= maxEpoch, nil
	case majorText:
		s, err := b.transient(h)
		if err != nil {
			return t, false, err
		}
		t, ok = parseTime(aliasString(s))
		return t, ok, nil
	case majorSimple:
		if kindOf(h.ib) == KindFloat {
			t, ok = floatTime(float(h.ib, h.arg))
		}
	}
	return t, ok, nil
}

// floatTime returns the time that is sec seconds after 1970.
func floatTime(sec float64) (t time.Time, ok bool) {
	if !(sec >= minEpoch && sec < maxEpoch+1) {
		return t, false
	}
	whole := math.Floor(sec)
	t = time.Unix(int64(whole), int64(math.Round((sec-whole)*1e9)))
	return t.UTC(), t.Unix() <= maxEpoch
}

// parseTime parses a date-time of RFC 3339, section 5.6, more strictly than
// time.Parse does. Second 60 is the first of the next minute; digits of the
// fraction beyond the ninth are dropped.
func parseTime(s string) (t time.Time, ok bool) {
	const layout = "0000-00-00T00:00:00"
	if len(s) <= len(layout) {
		return t, false
	}
	for i := range len(layout) {
		switch c := s[i]; layout[i] {
		case '0':
			ok = c >= '0' && c <= '9'
		case 'T':
			ok = c == 'T' || c == 't'
		default:
			ok = c == layout[i]
		}
		if !ok {
			return t, false
		}
	}
	year, month, day := 100*digits(s[0:])+digits(s[2:]), digits(s[5:]), digits(s[8:])
	hour, minute, second := digits(s[11:]), digits(s[14:]), digits(s[17:])
	s = s[len(layout):]
	nsec := 0
	if s[0] == '.' {
		i := 1
		for scale := 100_000_000; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
			nsec += int(s[i]-'0') * scale
			scale /= 10
		}
		if i == 1 {
			return t, false
		}
		s = s[i:]
	}
	zone, ok := parseZone(s)
	if !ok || hour > 23 || minute > 59 || second > 60 || month < 1 || month > 12 {
		return t, false
	}
	t = time.Date(year, time.Month(month), day, hour, minute, second, nsec, zone)
	d := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return t, d.Day() == day && t.Year() <= 9999
}

// parseZone parses the offset of RFC 3339: Z, or +hh:mm or -hh:mm.
func parseZone(s string) (*time.Location, bool) {
	if s == "Z" || s == "z" {
		return time.UTC, true
	}
	if len(s) != len("+00:00") || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return nil, false
	}
	for _, i := range [...]int{1, 2, 4, 5} {
		if s[i] < '0' || s[i] > '9' {
			return nil, false
		}
	}
	hours, minutes := digits(s[1:]), digits(s[4:])
	if hours > 23 || minutes > 59 {
		return nil, false
	}
	offset := 60 * (60*hours + minutes)
	if s[0] == '-' {
		offset = -offset
	}
	if offset == 0 {
		return time.UTC, true
	}
	return time.FixedZone("", offset), true
}

// digits returns the number that the first two bytes of s, digits, stand for.
func digits(s string) int { return 10*int(s[0]-'0') + int(s[1]-'0') }
