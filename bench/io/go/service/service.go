// Package service serves echo connections, a goroutine for each, and is run by the driver as
// service.hpp says.
package service

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var begin = time.Now()

func die(err error) {
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

func echo(connection net.Conn) {
	defer connection.Close()
	bytes := make([]byte, 64)
	for {
		count, err := connection.Read(bytes)
		if err != nil {
			return
		}
		if _, err = connection.Write(bytes[:count]); err != nil {
			return
		}
	}
}

func accept(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			die(err)
		}
		go echo(connection)
	}
}

// Run serves until stdin is closed or SIGTERM or SIGINT comes. Details adds to the reports.
func Run(details func(report map[string]any)) {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		die(err)
	}
	ends := make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGTERM, syscall.SIGINT)
	lines := make(chan bool)
	go func() {
		for input := bufio.NewScanner(os.Stdin); input.Scan(); {
			lines <- true
		}
		close(lines)
	}()
	go accept(listener)
	fmt.Println("PORT", listener.Addr().(*net.TCPAddr).Port)
	for open := true; open; {
		select {
		case _, open = <-lines:
		case <-ends:
			open = false
		}
		print(details)
	}
}

func print(details func(report map[string]any)) {
	usage := syscall.Rusage{}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		die(err)
	}
	user := time.Duration(usage.Utime.Nano()).Seconds()
	system := time.Duration(usage.Stime.Nano()).Seconds()
	report := map[string]any{
		"wall_seconds":   time.Since(begin).Seconds(),
		"user_seconds":   user,
		"system_seconds": system,
		"cpu_seconds":    user + system,
	}
	details(report)
	line, err := json.Marshal(report)
	if err != nil {
		die(err)
	}
	fmt.Println(string(line))
}
