package main

import (
	"bufio"
	"strconv"
	"strings"

	"github.com/fatih/color"
)

// A notation passes text in diagnostic notation or JSON on to an output, with
// colours and with one entry a line if that is wanted. It holds a frame for
// each open bracket and the beginnings of keys, and knows from them where in
// the item the text has come to. The text can be cut anywhere.
type notation struct {
	out    *bufio.Writer
	indent bool
	paint  bool

	frames []bracket
	levels int  // the arrays and maps among the frames
	begun  bool // the entry, key or value at the current place has begun
	space  bool // a space is due, unless a new line stands for it
	wrote  bool // something was written of the item

	quote  byte         // ends the string that the text is in, or 0
	escape bool         // the next byte of the string is escaped
	color  *color.Color // of the current token, or nil
	keyOf  int          // the frame whose key is being collected, or -1
}

// A bracket is an open array, map or parenthesis.
type bracket struct {
	char  byte
	index int64  // of the current entry
	value bool   // the current place is the value of an entry, behind its key
	key   []byte // the key of the current entry, cut at maxKey
}

// maxKey is how much of a key is held for the path of an error, in bytes.
const maxKey = 256

// The colours of tokens.
var (
	keyColor    = newColor(color.FgBlue)
	textColor   = newColor(color.FgGreen)
	bytesColor  = newColor(color.FgCyan)
	numberColor = newColor(color.FgYellow)
	wordColor   = newColor(color.FgMagenta) // true, null, simple
	faintColor  = newColor(color.Faint)     // comments
)

// newColor returns a colour that is used where painting is decided on already.
func newColor(a color.Attribute) *color.Color {
	c := color.New(a)
	c.EnableColor()
	return c
}

func newNotation(out *bufio.Writer, indent, paint bool) *notation {
	return &notation{out: out, indent: indent, paint: paint, keyOf: -1}
}

// reset begins a new item.
func (n *notation) reset() {
	*n = notation{out: n.out, indent: n.indent, paint: n.paint, frames: n.frames[:0], keyOf: -1}
}

// line ends the line of the item, if something of it was written.
func (n *notation) line() error {
	n.token(nil)
	if !n.wrote {
		return nil
	}
	return n.out.WriteByte('\n')
}

func (n *notation) Write(p []byte) (int, error) {
	for i := 0; i < len(p); {
		if n.quote != 0 {
			i += n.inString(p[i:])
		} else {
			n.outside(p[i])
			i++
		}
	}
	_, err := n.out.Write(nil) // an error of a bufio.Writer stays
	return len(p), err
}

// WriteByte is like Write, but an error comes from a later call only.
func (n *notation) WriteByte(c byte) error {
	if n.quote == 0 {
		n.outside(c)
	} else {
		n.inString([]byte{c})
	}
	return nil
}

// inString passes on what p has of the string and returns its length.
func (n *notation) inString(p []byte) int {
	i := 0
	for i < len(p) && n.quote != 0 {
		switch c := p[i]; {
		case n.escape:
			n.escape = false
		case c == '\\':
			n.escape = true
		case c == n.quote:
			n.quote = 0
		}
		i++
	}
	n.out.Write(p[:i])
	n.collect(p[:i])
	if n.quote == 0 {
		n.token(nil)
	}
	return i
}

// outside takes a byte that is in no string.
func (n *notation) outside(c byte) {
	switch c {
	case ' ':
		n.token(nil)
		n.space = true
		n.collect([]byte{c})
		return
	case ']', '}', ')':
		n.token(nil)
		n.close()
	case ',', ':':
		n.token(nil)
		n.separator(c)
	case '[', '{', '(':
		n.entry()
		n.token(nil)
	case '_': // behind a bracket, or behind a string without chunks
	case '"', '\'':
		n.entry()
		n.quote = c
		n.token(n.stringColor(c))
	default:
		n.entry()
		if n.color == nil {
			n.token(colorOf(c))
		}
	}
	n.out.WriteByte(c)
	n.collect([]byte{c})
	if c == '[' || c == '{' || c == '(' {
		n.frames = append(n.frames, bracket{char: c})
		n.begun = false
		if c != '(' {
			n.levels++
		}
	}
}

// entry begins what is at the current place, if it has not begun.
func (n *notation) entry() {
	if n.begun {
		return
	}
	n.begun, n.wrote = true, true
	if len(n.frames) == 0 {
		return
	}
	top := len(n.frames) - 1
	f := &n.frames[top]
	switch {
	case n.indent && f.char != '(' && !f.value:
		n.newline()
	case n.space:
		n.out.WriteByte(' ')
	}
	n.space = false
	if f.char == '{' && !f.value && n.keyOf < 0 {
		n.keyOf = top
		f.key = f.key[:0]
	}
}

// separator takes a comma or colon, behind which something new begins.
func (n *notation) separator(c byte) {
	n.begun = false
	if len(n.frames) == 0 {
		return
	}
	top := len(n.frames) - 1
	f := &n.frames[top]
	if f.value = c == ':'; !f.value {
		f.index++
	} else if n.keyOf == top {
		n.keyOf = -1
	}
}

// close takes a bracket that closes the innermost frame.
func (n *notation) close() {
	if len(n.frames) == 0 {
		return
	}
	f := n.frames[len(n.frames)-1]
	n.frames = n.frames[:len(n.frames)-1]
	if f.char != '(' {
		n.levels--
	}
	switch {
	case n.indent && f.char != '(' && (n.begun || f.index > 0):
		n.newline()
	case n.space:
		n.out.WriteByte(' ')
	}
	n.space = false
	n.begun = true
}

func (n *notation) newline() {
	n.out.WriteByte('\n')
	for range n.levels {
		n.out.WriteString("  ")
	}
}

// collect adds p to the key that is being collected.
func (n *notation) collect(p []byte) {
	if n.keyOf >= 0 {
		f := &n.frames[n.keyOf]
		f.key = append(f.key, p[:min(len(p), maxKey-len(f.key))]...)
	}
}

// stringColor returns the colour of the string that begins with the quote c.
func (n *notation) stringColor(c byte) *color.Color {
	switch {
	case c == '\'':
		return bytesColor
	case n.keyOf >= 0:
		return keyColor
	default:
		return textColor
	}
}

// colorOf returns the colour of a token that begins with c.
func colorOf(c byte) *color.Color {
	switch {
	case c == 'h':
		return bytesColor
	case c == '-' || c >= '0' && c <= '9':
		return numberColor
	default:
		return wordColor
	}
}

// token ends the colour of the last token and begins that of the next.
func (n *notation) token(next *color.Color) {
	if n.paint && n.color != next {
		if n.color != nil {
			n.color.UnsetWriter(n.out)
		}
		if next != nil {
			next.SetWriter(n.out)
		}
	}
	n.color = next
}

// path returns the place that comes next in the text as a JSON Pointer. A key
// that is not text is in diagnostic notation; a fault inside a key has the path
// of its map.
func (n *notation) path() string {
	var s strings.Builder
	for i, f := range n.frames {
		// Only in the innermost frame can an entry be complete.
		complete := i == len(n.frames)-1 && n.begun && n.quote == 0
		switch {
		case f.char == '[' && complete:
			s.WriteString("/" + strconv.FormatInt(f.index+1, 10))
		case f.char == '[':
			s.WriteString("/" + strconv.FormatInt(f.index, 10))
		case f.char == '{' && f.value == complete:
			return s.String()
		case f.char == '{':
			s.WriteString("/" + pointerEscaper.Replace(keyText(f.key)))
		}
	}
	return s.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1") // RFC 6901, section 3

// keyText returns the text that a key in diagnostic notation stands for, or the
// notation itself if it is no text. The key may have chunks, and may be cut.
func keyText(key []byte) string {
	rest := strings.TrimPrefix(string(key), "(_ ")
	if !strings.HasPrefix(rest, `"`) {
		return string(key)
	}
	var text strings.Builder
	for more := true; more; rest, more = strings.CutPrefix(rest, ", ") {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			text.WriteString(strings.Trim(rest, `"`))
			break
		}
		s, err := strconv.Unquote(quoted)
		if err != nil {
			s = strings.Trim(quoted, `"`)
		}
		text.WriteString(s)
		rest = rest[len(quoted):]
	}
	return text.String()
}
