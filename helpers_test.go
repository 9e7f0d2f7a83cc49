package cbor_test

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/streamcbor/cbor"
)

const vectorDir = "../shared/vectors"

// A vector is a line of a vector file.
type vector struct {
	Hex    string   `json:"hex"`
	Expect string   `json:"expect"` // ok, malformed or sequence
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // of fault
	Off    int64    `json:"off"`  // of the fault
	Notes  []string `json:"notes"`
	Items  int      `json:"n_items"` // of a sequence, or 0
	Diag   string   `json:"diag_ref"`

	data []byte
}

func haveVectors() bool {
	_, err := os.Stat(vectorDir)
	return err == nil
}

// readVectors returns the vectors of each file.
func readVectors(t testing.TB) map[string][]vector {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(vectorDir, "*.jsonl"))
	if len(files) == 0 {
		t.Skip("no vectors in " + vectorDir)
	}
	all := map[string][]vector{}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		s := bufio.NewScanner(f)
		s.Buffer(nil, 1<<24)
		for s.Scan() {
			var v vector
			if err := json.Unmarshal(s.Bytes(), &v); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			v.data = unhex(t, v.Hex)
			all[filepath.Base(name)] = append(all[filepath.Base(name)], v)
		}
		f.Close()
	}
	return all
}

// An edge is a row of edge.tsv.
type edge struct {
	hex, class, expected string
	data                 []byte
}

func readEdges(t testing.TB) []edge {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectorDir, "edge.tsv"))
	if err != nil {
		t.Skip("no edge.tsv in " + vectorDir)
	}
	var edges []edge
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		cols := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(cols) != 3 {
			t.Fatalf("edge.tsv: %d columns in %q", len(cols), line)
		}
		edges = append(edges, edge{cols[0], cols[1], cols[2], unhex(t, cols[0])})
	}
	return edges
}

// unhex returns the bytes that s stands for; spaces in it are for the eye.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatalf("hex %q: %v", s, err)
	}
	return b
}

// exact compares values with go-cmp: floats by their bits, times by instant and
// zone, big integers by value.
var exact = cmp.Options{
	cmp.Comparer(func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }),
	cmp.Comparer(func(a, b time.Time) bool {
		_, m := a.Zone()
		_, n := b.Zone()
		return a.Equal(b) && m == n
	}),
	cmp.Comparer(equalBig),
}

// diffValues returns how two values differ. The time of go-cmp doubles with
// each level of slices in interfaces, so that deep values are written out.
func diffValues(want, got any, opts cmp.Options) string {
	const levels = 8
	if depthOf(want) <= levels && depthOf(got) <= levels {
		return cmp.Diff(want, got, opts)
	}
	if w, g := fmt.Sprintf("%#v", plain(want)), fmt.Sprintf("%#v", plain(got)); w != g {
		return "-" + w + "\n+" + g
	}
	return ""
}

func depthOf(v any) (depth int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			depth = max(depth, depthOf(e))
		}
	case map[string]any:
		for _, e := range v {
			depth = max(depth, depthOf(e))
		}
	case map[any]any:
		for _, e := range v {
			depth = max(depth, depthOf(e))
		}
	case cbor.Map:
		for _, e := range v {
			depth = max(depth, depthOf(e.Key), depthOf(e.Value))
		}
	case cbor.Tag:
		depth = depthOf(v.Content)
	default:
		return 0
	}
	return depth + 1
}

// plain returns v with what %#v does not write by value in its place.
func plain(v any) any {
	switch v := v.(type) {
	case []any:
		a := make([]any, len(v))
		for i := range v {
			a[i] = plain(v[i])
		}
		return a
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = plain(e)
		}
		return m
	case map[any]any:
		m := make(map[any]any, len(v))
		for k, e := range v {
			m[k] = plain(e)
		}
		return m
	case cbor.Map:
		m := make(cbor.Map, len(v))
		for i, e := range v {
			m[i] = cbor.Entry{Key: plain(e.Key), Value: plain(e.Value)}
		}
		return m
	case cbor.Tag:
		return cbor.Tag{Number: v.Number, Content: plain(v.Content)}
	case *big.Int:
		return "big " + v.String()
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

func equalBig(a, b *big.Int) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Cmp(b) == 0
}

// bigInt returns the integer that s stands for.
func bigInt(s string) *big.Int {
	i, ok := new(big.Int).SetString(s, 0)
	if !ok {
		panic("not an integer: " + s)
	}
	return i
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
