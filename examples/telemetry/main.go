// Telemetry sends 100,000 readings over TCP to a server that decodes them as
// they come. The network is made bad on purpose: the client stalls in the middle
// of a reading, past the deadlines of the server, and its connection breaks in
// the middle of others.
//
// A deadline that passes leaves the Decoder where it was: the server calls it
// again and goes on with the same reading. After a connection that broke, the
// client connects again and is told which reading the server wants next.
//
//	go run ./examples/telemetry
package main

import (
	"fmt"
	"net"
	"os"
	"time"
)

const (
	total      = 100_000
	breakEvery = 30_000 // readings; the connection breaks inside the next one
	stallEvery = 40_000 // readings; the client stalls inside the next one
	stall      = 150 * time.Millisecond
	deadline   = 50 * time.Millisecond
)

func main() {
	s, err := run()
	if err != nil {
		fmt.Fprintln(os.Stderr, "telemetry:", err)
		os.Exit(1)
	}
	s.report()
	fmt.Println("deadlines that passed:", s.late)
}

// run sends all readings to a server and returns it.
func run() (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer l.Close()
	sent := make(chan error, 1)
	go func() { sent <- send(l.Addr().String()) }()

	s := &server{sum: map[string]float64{}}
	for s.next < total {
		conn, err := l.Accept()
		if err != nil {
			return nil, err
		}
		if err := s.serve(conn); err != nil {
			return nil, err
		}
	}
	return s, <-sent
}

// report prints what came in.
func (s *server) report() {
	fmt.Printf("%d readings over %d connections, %d of them broken inside a reading\n", s.next, s.connections, s.broken)
	for _, sensor := range sensors {
		fmt.Printf("%s: mean %.2f\n", sensor, s.sum[sensor]/float64(total/len(sensors)))
	}
}
