// Cosesign1 reads a COSE_Sign1 message (RFC 9052, section 4.2) and checks its
// Ed25519 signature.
//
// A signature is over bytes, not over values: the protected header and the
// payload must be the exact bytes of the message. Byte strings that the decoder
// returns are slices of the message, so nothing has to be encoded again.
//
//	go run ./examples/cosesign1 [MESSAGE KEY]
//
// Both arguments are in hexadecimal. Without them it checks a message of the
// examples of the COSE working group, eddsa-sig-01, and then the same message
// with one bit changed.
package main

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/streamcbor/cbor"
)

const (
	exampleMessage = "d28445a201270300a10442313154546869732069732074686520636f6e74656e742e58407142fd2ff96d56db85bee905" +
		"a76ba1d0b7321a95c8c4d3607c5781932b7afb8711497dfa751bf40b58b3bcc32300b1487f3db34085eef013bf08f4a44d6fef0d"
	exampleKey = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
)

// What RFC 9052 and RFC 9053 fix, and how much is read.
const (
	tagSign1     = 18
	algEdDSA     = -8
	maxMessage   = 1 << 20
	sign1Context = "Signature1"
)

// A header is a map of parameters, keyed by number.
type header struct {
	Alg   int64  `cbor:"1,keyasint"`
	KeyID []byte `cbor:"4,keyasint"`
}

// A message is a COSE_Sign1. Its byte strings alias the encoded message.
type message struct {
	_           struct{} `cbor:",toarray"`
	Protected   []byte
	Unprotected header
	Payload     []byte
	Signature   []byte
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cosesign1:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 0 && len(args) != 2 {
		return errors.New("usage: cosesign1 [MESSAGE KEY]")
	}
	example := len(args) == 0
	if example {
		args = []string{exampleMessage, exampleKey}
	}
	data, err := hex.DecodeString(args[0])
	if err != nil {
		return err
	}
	key, err := hex.DecodeString(args[1])
	if err != nil {
		return err
	}
	m, err := verify(data, key)
	if err != nil {
		return err
	}
	fmt.Printf("signature by key %q is valid; payload %q\n", m.Unprotected.KeyID, m.Payload)
	if example {
		m.Payload[0] ^= 1 // a part of data
		_, err := verify(data, key)
		fmt.Printf("payload %q: %v\n", m.Payload, err)
	}
	return nil
}

// verify reads the message in data and checks its signature.
func verify(data []byte, key ed25519.PublicKey) (*message, error) {
	if len(key) != ed25519.PublicKeySize {
		return nil, errors.New("a key has 32 bytes")
	}
	o := cbor.Options{MaxDepth: 16, MaxItemBytes: maxMessage}
	d := o.NewDecoderBytes(data)
	if kind, err := d.PeekKind(); err != nil {
		return nil, err
	} else if kind == cbor.KindTag { // the tag may be left out
		if number, err := d.ReadTag(); err != nil {
			return nil, err
		} else if number != tagSign1 {
			return nil, fmt.Errorf("tag %d is no COSE_Sign1", number)
		}
	}
	var m message
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, cbor.ErrTrailingData
	}
	var protected header
	if err := o.Unmarshal(m.Protected, &protected); err != nil {
		return nil, fmt.Errorf("protected header: %w", err)
	}
	if protected.Alg != algEdDSA {
		return nil, fmt.Errorf("algorithm %d is not EdDSA", protected.Alg)
	}
	if !ed25519.Verify(key, toBeSigned(&m), m.Signature) {
		return nil, errors.New("the signature is not valid")
	}
	return &m, nil
}

// toBeSigned returns the Sig_structure of RFC 9052, section 4.4: an array of
// the context, the protected header, no external data, and the payload.
func toBeSigned(m *message) []byte {
	b := append([]byte{0x84, 0x60 | byte(len(sign1Context))}, sign1Context...)
	b = appendBytes(b, m.Protected)
	b = appendBytes(b, nil)
	return appendBytes(b, m.Payload)
}

// appendBytes appends a byte string of less than 4 GiB.
func appendBytes(b, s []byte) []byte {
	switch n := len(s); {
	case n < 24:
		b = append(b, 0x40|byte(n))
	case n < 1<<8:
		b = append(b, 0x58, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x59), uint16(n))
	default:
		b = binary.BigEndian.AppendUint32(append(b, 0x5a), uint32(n))
	}
	return append(b, s...)
}
