module kumiko/bench/io

go 1.19

require kumiko/bench v0.0.0

replace kumiko/bench => ../../runtime/go
