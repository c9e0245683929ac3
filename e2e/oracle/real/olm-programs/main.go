// What the Operator Framework's own libraries say. `judge` and `catalogs` read folders, one a line, and write a line of
// JSON for each: what is wrong with the bundle or the catalog in it. `render FOLDER IMAGE` writes a bundle as catalogs
// have it. `serve FOLDER` serves a catalog on a free port of the loopback interface, whose address it writes, until its
// standard input ends; `ask ADDRESS` writes what a catalog that is served has.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"text/template"

	"github.com/operator-framework/operator-registry/alpha/action"
	"github.com/operator-framework/operator-registry/alpha/action/migrations"
	"github.com/operator-framework/operator-registry/pkg/api"
	"github.com/operator-framework/operator-registry/pkg/cache"
	"github.com/operator-framework/operator-registry/pkg/lib/config"
	"github.com/operator-framework/operator-registry/pkg/server"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
)

// The libraries print to standard output, too.
var out = os.Stdout

func main() {
	os.Stdout = os.Stderr
	logrus.SetOutput(io.Discard)
	ctx := context.Background()
	switch os.Args[1] {
	case "judge":
		eachLine(func(folder string) any { return judge(folder) })
	case "catalogs":
		eachLine(func(folder string) any { return message(config.Validate(ctx, os.DirFS(folder))) })
	case "render":
		write(render(ctx, os.Args[2], os.Args[3]))
	case "serve":
		serve(ctx, os.Args[2])
	case "ask":
		write(ask(ctx, os.Args[2]))
	}
}

func eachLine(answer func(line string) any) {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		write(answer(lines.Text()))
	}
}

func write(value any) {
	must(json.NewEncoder(out).Encode(value))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func render(ctx context.Context, folder, image string) any {
	level, err := migrations.NewMigrations(migrations.AllMigrations)
	must(err)
	catalog, err := action.Render{
		Refs:             []string{folder},
		AllowedRefMask:   action.RefBundleDir,
		ImageRefTemplate: template.Must(template.New("image").Parse(image)),
		Migrations:       level,
	}.Run(ctx)
	must(err)
	return catalog.Bundles[0]
}

func serve(ctx context.Context, folder string) {
	work, err := os.MkdirTemp("", "olm-catalog-")
	must(err)
	defer os.RemoveAll(work)
	store, err := cache.New(work, cache.WithLog(logrus.NewEntry(logrus.StandardLogger())))
	must(err)
	must(cache.LoadOrRebuild(ctx, store, os.DirFS(folder)))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	serving := grpc.NewServer()
	api.RegisterRegistryServer(serving, server.NewRegistryServer(store))
	grpc_health_v1.RegisterHealthServer(serving, server.NewHealthServer())
	write(listener.Addr().String())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		serving.Stop()
	}()
	must(serving.Serve(listener))
}

type served struct {
	Packages []*api.Package `json:"packages"`
	Bundles  []*api.Bundle  `json:"bundles"`
}

func ask(ctx context.Context, address string) served {
	connection, err := grpc.NewClient(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	must(err)
	registry := api.NewRegistryClient(connection)
	var found served
	names, err := registry.ListPackages(ctx, &api.ListPackageRequest{})
	must(err)
	for {
		name, err := names.Recv()
		if err == io.EOF {
			break
		}
		must(err)
		one, err := registry.GetPackage(ctx, &api.GetPackageRequest{Name: name.Name})
		must(err)
		found.Packages = append(found.Packages, one)
	}
	bundles, err := registry.ListBundles(ctx, &api.ListBundlesRequest{})
	must(err)
	for {
		one, err := bundles.Recv()
		if err == io.EOF {
			return found
		}
		must(err)
		found.Bundles = append(found.Bundles, one)
	}
}
