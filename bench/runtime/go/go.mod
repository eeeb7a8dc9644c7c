module kumiko/bench

go 1.19
