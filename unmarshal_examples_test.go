package cbor

import (
	"bytes"
	"os"
	"reflect"
	"testing"
	"testing/iotest"

	fxcbor "github.com/fxamacker/cbor/v2"
)

type (
	coseHeader struct {
		Alg   int    `cbor:"1,keyasint,omitempty"`
		KeyID []byte `cbor:"4,keyasint,omitempty"`
	}
	coseSign1 struct {
		_           struct{} `cbor:",toarray"`
		Protected   []byte
		Unprotected coseHeader
		Payload     []byte
		Signature   []byte
	}
	cwtClaims struct {
		Issuer    string `cbor:"1,keyasint"`
		Subject   string `cbor:"2,keyasint"`
		Audience  string `cbor:"3,keyasint"`
		Expires   int64  `cbor:"4,keyasint"`
		NotBefore int64  `cbor:"5,keyasint"`
		IssuedAt  int64  `cbor:"6,keyasint"`
		ID        []byte `cbor:"7,keyasint"`
	}
	coseKey struct {
		Type  int    `cbor:"1,keyasint"`
		Alg   int    `cbor:"3,keyasint"`
		Curve int    `cbor:"-1,keyasint"`
		X     []byte `cbor:"-2,keyasint"`
		Y     []byte `cbor:"-3,keyasint"`
	}
	attestation struct {
		Format    string     `json:"fmt"`
		Statement RawMessage `json:"attStmt"`
		AuthData  []byte     `json:"authData"`
	}
	packed struct {
		Alg  int      `cbor:"alg"`
		Sig  []byte   `cbor:"sig"`
		X5C  [][]byte `cbor:"x5c"`
		Rest any      `cbor:"rest"`
	}
	senML struct { // RFC 8428, section 6
		BaseVersion int      `cbor:"-1,keyasint"`
		BaseName    string   `cbor:"-2,keyasint"`
		BaseTime    float64  `cbor:"-3,keyasint"`
		BaseUnit    string   `cbor:"-4,keyasint"`
		Name        string   `cbor:"0,keyasint"`
		Unit        string   `cbor:"1,keyasint"`
		Value       *float64 `cbor:"2,keyasint"`
		Time        float64  `cbor:"6,keyasint"`
	}
)

// TestUnmarshalCOSE decodes the signed CWT of RFC 8392, appendix A.3.
func TestUnmarshalCOSE(t *testing.T) {
	data := unhex(t, "d28443a10126a05850a70175636f61703a2f2f61732e6578616d706c652e636f6d02656572696b77037818636f61703a2f2f6c69676874"+
		"2e6578616d706c652e636f6d041a5612aeb0051a5610d9f0061a5610d9f007420b7158405427c1ff28d23fbad1f29c4c7c6a555e601d6fa29f9179bc3d7438ba"+
		"caca5acd08c8d4d4f96131680c429a01f85951ecee743a52b9b63632c57209120e1c9e30")
	var msg coseSign1
	if err := Unmarshal(data, &msg); err != nil {
		t.Fatal(err)
	}
	if len(msg.Signature) != 64 || !bytes.Equal(msg.Signature, data[len(data)-64:]) || !reflect.DeepEqual(msg.Unprotected, coseHeader{}) {
		t.Errorf("got %+v", msg)
	}
	var header coseHeader
	if err := Unmarshal(msg.Protected, &header); err != nil || header.Alg != -7 {
		t.Errorf("header: got %+v, %v", header, err)
	}
	want := cwtClaims{"coap://as.example.com", "erikw", "coap://light.example.com", 1444064944, 1443944944, 1443944944, []byte{0x0b, 0x71}}
	var claims cwtClaims
	if err := Unmarshal(msg.Payload, &claims); err != nil || !reflect.DeepEqual(claims, want) {
		t.Errorf("claims: got %+v, %v; want %+v", claims, err, want)
	}
}

// TestUnmarshalWebAuthn decodes an attestation object and the key inside it,
// behind which extensions follow.
func TestUnmarshalWebAuthn(t *testing.T) {
	x, y := bytes.Repeat([]byte{0x11}, 32), bytes.Repeat([]byte{0x22}, 32)
	key := append(append(append(unhex(t, "a5 01 02 03 26 20 01 21 5820"), x...), unhex(t, "22 5820")...), y...)
	auth := make([]byte, 37+16, 200) // the hash, flags, counter and AAGUID
	auth = append(auth, 0, 4, 1, 2, 3, 4)
	start := len(auth)
	auth = append(append(auth, key...), 0xa0)
	data := append(unhex(t, "a3 63666d74 667061636b6564 6761747453746d74 a3 63616c67 26 63736967 430a0b0c 63783563 81 420102 686175746844617461 58"), byte(len(auth)))
	data = append(data, auth...)

	var obj attestation
	if err := Unmarshal(data, &obj); err != nil || obj.Format != "packed" || !bytes.Equal(obj.AuthData, auth) {
		t.Fatalf("got %+v, %v", obj, err)
	}
	var stmt packed
	want := packed{Alg: -7, Sig: []byte{10, 11, 12}, X5C: [][]byte{{1, 2}}}
	if err := Unmarshal(obj.Statement, &stmt); err != nil || !reflect.DeepEqual(stmt, want) {
		t.Errorf("statement: got %+v, %v; want %+v", stmt, err, want)
	}
	var got coseKey
	rest, err := UnmarshalFirst(obj.AuthData[start:], &got)
	if err != nil || !bytes.Equal(rest, []byte{0xa0}) || !reflect.DeepEqual(got, coseKey{2, -7, 1, x, y}) {
		t.Errorf("key: got %+v, %x, %v", got, rest, err)
	}
}

func TestUnmarshalSenML(t *testing.T) {
	data := unhex(t, "82 a7 21 781b 75726e3a6465763a6f773a3130653230373361303130383030363a 22 fb41d303a15b001062 23 6141 20 05"+
		"00 67766f6c74616765 01 6156 02 fb405e066666666666 a3 00 6763757272656e74 06 24 02 fb3ff3333333333333")
	want := []senML{
		{BaseVersion: 5, BaseName: "urn:dev:ow:10e2073a0108006:", BaseTime: 1.276020076001e+09, BaseUnit: "A", Name: "voltage", Unit: "V", Value: ptr(120.1)},
		{Name: "current", Time: -5, Value: ptr(1.2)},
	}
	var got []senML
	if err := Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
}

type (
	twitterDoc struct {
		Statuses []tweet `json:"statuses"`
		Meta     struct {
			CompletedIn float64 `json:"completed_in"`
			MaxID       int64   `json:"max_id"`
			Query       string  `json:"query"`
		} `json:"search_metadata"`
	}
	tweet struct {
		Created   string       `json:"created_at"`
		ID        uint64       `json:"id"`
		Text      string       `json:"text"`
		Truncated bool         `json:"truncated"`
		ReplyTo   *int64       `json:"in_reply_to_status_id"`
		User      *twitterUser `json:"user"`
		Retweeted *tweet       `json:"retweeted_status"`
		Entities  struct {
			Tags []struct {
				Text    string `json:"text"`
				Indices [2]int `json:"indices"`
			} `json:"hashtags"`
			Mentions []map[string]any `json:"user_mentions"`
		} `json:"entities"`
	}
	twitterUser struct {
		ID        int64   `json:"id"`
		Name      string  `json:"name"`
		URL       *string `json:"url"`
		Followers uint    `json:"followers_count"`
		Verified  bool    `json:"verified"`
	}
	canadaDoc struct {
		Type     string `json:"type"`
		Features []struct {
			Properties map[string]string `json:"properties"`
			Geometry   struct {
				Type        string         `json:"type"`
				Coordinates [][][2]float64 `json:"coordinates"`
			} `json:"geometry"`
		} `json:"features"`
	}
	sourceDoc struct {
		Tree *sourceNode `json:"tree"`
	}
	sourceNode struct {
		Name    string        `json:"name"`
		Kids    []*sourceNode `json:"kids"`
		Weight  float64       `json:"cl_weight"`
		Touches int           `json:"touches"`
		MinT    int64         `json:"min_t"`
		MaxT    int64         `json:"max_t"`
	}
	fhirDoc struct {
		Type  string `json:"resourceType"`
		Entry []struct {
			FullURL  string       `json:"fullUrl"`
			Resource fhirResource `json:"resource"`
			Request  struct {
				Method, URL string
			} `json:"request"`
		} `json:"entry"`
	}
	fhirResource struct {
		Type      string          `json:"resourceType"`
		ID        string          `json:"id"`
		Extension []fhirExtension `json:"extension"`
		Code      any             `json:"code"`
	}
	fhirExtension struct {
		URL       string          `json:"url"`
		Extension []fhirExtension `json:"extension"`
		Decimal   float64         `json:"valueDecimal"`
		String    *string         `json:"valueString"`
	}
)

// TestUnmarshalDocuments decodes well-known documents into structs as
// fxamacker/cbor does, from memory and from a stream.
func TestUnmarshalDocuments(t *testing.T) {
	fx, err := fxcbor.DecOptions{
		DefaultMapType: reflect.TypeFor[map[string]any](), IntDec: fxcbor.IntDecConvertSignedOrFail, MaxNestedLevels: 256,
	}.DecMode()
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range []struct {
		name string
		zero any
	}{
		{"citm_catalog", citmCatalog{}},
		{"twitter_status", twitterDoc{}},
		{"canada_geometry", canadaDoc{}},
		{"golang_source", sourceDoc{}},
		{"synthea_fhir", fhirDoc{}},
		{"string_unicode", map[string]string{}},
	} {
		data, err := os.ReadFile("../shared/bench/" + doc.name + ".cbor")
		if err != nil {
			t.Skip("no documents in ../shared/bench")
		}
		typ := reflect.TypeOf(doc.zero)
		got, streamed, want := reflect.New(typ), reflect.New(typ), reflect.New(typ)
		if err := fx.Unmarshal(data, want.Interface()); err != nil {
			t.Fatal(err)
		}
		if err := Unmarshal(data, got.Interface()); err != nil {
			t.Fatal(err)
		}
		d := NewDecoder(iotest.HalfReader(bytes.NewReader(data)))
		if err := d.Decode(streamed.Interface()); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got.Interface(), want.Interface()) {
			t.Errorf("%s: the result differs from that of fxamacker/cbor", doc.name)
		}
		if !reflect.DeepEqual(streamed.Interface(), want.Interface()) {
			t.Errorf("%s: the result from a stream differs", doc.name)
		}
		if want.Elem().IsZero() {
			t.Errorf("%s: nothing was decoded", doc.name)
		}
	}
}
