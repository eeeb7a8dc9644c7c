// An echo server: a goroutine for each connection.
package main

import (
	"kumiko/bench/io/service"
	"kumiko/bench/report"
)

func main() {
	report.Workers()
	service.Run(func(map[string]any) {})
}
