package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/streamcbor/cbor"
)

// A reading is a map with integer keys, which are short on the wire.
type reading struct {
	Number  uint64    `cbor:"1,keyasint"`
	At      time.Time `cbor:"2,keyasint"`
	Sensor  string    `cbor:"3,keyasint"`
	Celsius float64   `cbor:"4,keyasint"`
}

type server struct {
	next        uint64 // the number of the reading that is to come
	connections int
	broken      int
	late        int // deadlines that passed
	sum         map[string]float64
}

// serve tells the client which reading comes next and reads until the
// connection ends. Its error is a fault of the data, not of the network.
func (s *server) serve(conn net.Conn) error {
	defer conn.Close()
	s.connections++
	if _, err := conn.Write(appendUint(nil, 0, s.next)); err != nil {
		return nil
	}
	o := cbor.Options{MaxDepth: 4, MaxItemBytes: 1 << 10}
	d := o.NewDecoder(conn)
	for {
		var r reading
		conn.SetReadDeadline(time.Now().Add(deadline))
		err := d.Decode(&r)
		switch {
		case err == nil:
		case errors.Is(err, os.ErrDeadlineExceeded):
			s.late++ // a server with more to do would give up at some time
			continue
		case err == io.EOF:
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			s.broken++ // the client sends the reading again
			return nil
		default:
			var malformed *cbor.DecodeError
			if errors.As(err, &malformed) {
				return err
			}
			return nil
		}
		if r.Number != s.next {
			return fmt.Errorf("reading %d comes after %d", r.Number, s.next)
		}
		s.next++
		s.sum[r.Sensor] += r.Celsius
	}
}
