// The operator of e2e/support/runtime/sharded-operator-program.ts on controller-runtime, which elects one of several processes.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/go-logr/logr/funcr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func main() {
	elects := flag.Bool("leader-elect", false, "")
	watched := flag.String("watch-namespaces", "", "")
	leases := flag.String("leader-election-namespace", "", "")
	probes := flag.String("health-probe-bind-address", "0", "")
	flag.Parse()
	ctrl.SetLogger(funcr.New(func(prefix, args string) { os.Stderr.WriteString(prefix + " " + args + "\n") }, funcr.Options{}))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                  runtime.NewScheme(),
		Metrics:                 metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress:  *probes,
		LeaderElection:          *elects,
		LeaderElectionID:        "fleet",
		LeaderElectionNamespace: *leases,
		Cache:                   cache.Options{DefaultNamespaces: map[string]cache.Config{*watched: {}}},
		Client:                  client.Options{Cache: &client.CacheOptions{Unstructured: true}},
	})
	exitOn(err)
	exitOn(ctrl.NewControllerManagedBy(manager).
		For(newWidget()).
		WithOptions(controller.Options{MaxConcurrentReconciles: 10}).
		Complete(reconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			return ctrl.Result{}, copySize(ctx, manager.GetClient(), request)
		})))
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

// copySize writes the size of a Widget to its status.
func copySize(ctx context.Context, server client.Client, request ctrl.Request) error {
	widget := newWidget()
	if err := server.Get(ctx, request.NamespacedName, widget); err != nil {
		return client.IgnoreNotFound(err)
	}
	size, _, _ := unstructured.NestedInt64(widget.Object, "spec", "size")
	if ready, found, _ := unstructured.NestedInt64(widget.Object, "status", "ready"); found && ready == size {
		return nil
	}
	before := widget.DeepCopy()
	if err := unstructured.SetNestedField(widget.Object, size, "status", "ready"); err != nil {
		return err
	}
	return server.Status().Patch(ctx, widget, client.MergeFrom(before))
}

func newWidget() *unstructured.Unstructured {
	widget := &unstructured.Unstructured{}
	widget.SetGroupVersionKind(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
	return widget
}

func exitOn(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
