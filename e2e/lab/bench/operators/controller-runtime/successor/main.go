// The operator of e2e/oracle/real/go-successor.test.ts on controller-runtime: it takes over Widgets from an operator of ours.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

const finalizer = "example.com/cleanup"

func main() {
	metrics := flag.String("metrics-bind-address", "0", "")
	flag.Parse()
	ctrl.SetLogger(funcr.New(func(prefix, args string) { os.Stderr.WriteString(prefix + " " + args + "\n") }, funcr.Options{}))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Metrics:                 metricsserver.Options{BindAddress: *metrics},
		HealthProbeBindAddress:  "0",
		LeaderElection:          true,
		LeaderElectionID:        "shop",
		LeaderElectionNamespace: "default",
		// As ours does: whoever comes next need not wait until the lease ends.
		LeaderElectionReleaseOnCancel: true,
	})
	exitOn(err)
	exitOn(ctrl.NewControllerManagedBy(manager).For(newWidget()).Owns(&corev1.ConfigMap{}).
		Complete(reconcile.Func(func(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
			return ctrl.Result{}, reconcileWidget(ctx, manager.GetClient(), request)
		})))
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

// reconcileWidget copies the color to the ConfigMap of the widget, which is its dependent; the cleanup deletes what nobody owns.
func reconcileWidget(ctx context.Context, server client.Client, request ctrl.Request) error {
	widget := newWidget()
	if err := server.Get(ctx, request.NamespacedName, widget); err != nil {
		return client.IgnoreNotFound(err)
	}
	meta := metav1.ObjectMeta{Namespace: request.Namespace, Name: request.Name}
	if !widget.GetDeletionTimestamp().IsZero() {
		meta.Name += "-outside"
		if err := client.IgnoreNotFound(server.Delete(ctx, &corev1.ConfigMap{ObjectMeta: meta})); err != nil {
			return err
		}
		controllerutil.RemoveFinalizer(widget, finalizer)
		return server.Update(ctx, widget)
	}
	color, _, _ := unstructured.NestedString(widget.Object, "spec", "color")
	child := &corev1.ConfigMap{ObjectMeta: meta}
	_, err := controllerutil.CreateOrUpdate(ctx, server, child, func() error {
		child.Data = map[string]string{"color": color}
		return controllerutil.SetControllerReference(widget, child, server.Scheme())
	})
	return err
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
