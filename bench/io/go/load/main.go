// An echo server whose workers are all busy computing: a goroutine for each patch of a step, beside
// one for each connection.
package main

import (
	"sync"
	"sync/atomic"

	"kumiko/bench/io/service"
	"kumiko/bench/report"
)

// As patches.hpp.
const (
	count  = 256
	size   = 16
	ghosts = 2
	stride = size + 2*ghosts
)

type field [stride * stride]float64
type patch [2]field

func midpoint(um, u0, u1, u2 float64) float64 {
	return ((u0 + 0.0625*(u0-um)) + 0.5*(u1-u0)) - 0.0625*(u2-u1)
}

func (p *field) midpointInX(at int) float64 {
	return midpoint(p[at-1], p[at], p[at+1], p[at+2])
}

func (p *field) advance() {
	var next [size * size]float64
	for j := 0; j < size; j++ {
		for i := 0; i < size; i++ {
			at := (j+ghosts)*stride + i + ghosts
			next[j*size+i] = midpoint(p.midpointInX(at-stride), p.midpointInX(at),
				p.midpointInX(at+stride), p.midpointInX(at+2*stride))
		}
	}
	for j := 0; j < size; j++ {
		copy(p[(j+ghosts)*stride+ghosts:], next[j*size:(j+1)*size])
	}
}

func main() {
	report.Workers()
	patches := make([]patch, count)
	for p := range patches {
		for f := range patches[p] {
			for i := range patches[p][f] {
				patches[p][f][i] = float64((i*7+p)%13) / 13
			}
		}
	}
	var done atomic.Int64
	go func() {
		for {
			var step sync.WaitGroup
			step.Add(count)
			for p := range patches {
				go func(p int) {
					for f := range patches[p] {
						patches[p][f].advance()
					}
					done.Add(1)
					step.Done()
				}(p)
			}
			step.Wait()
		}
	}()
	service.Run(func(report map[string]any) {
		report["patches"] = done.Load()
	})
}
