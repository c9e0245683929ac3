module example.com/parse

go 1.24.0
