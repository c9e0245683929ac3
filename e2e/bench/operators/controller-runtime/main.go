// The same operator as ../tsbuilder.ts, on controller-runtime: it reads from the cache and writes one status patch.
package main

import (
	"context"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

type counterSpec struct {
	Count int64 `json:"count"`
}

type counterStatus struct {
	Count int64 `json:"count,omitempty"`
}

// Counter has one number to copy.
type Counter struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              counterSpec   `json:"spec"`
	Status            counterStatus `json:"status,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (c *Counter) DeepCopyObject() runtime.Object {
	out := &Counter{TypeMeta: c.TypeMeta, Spec: c.Spec, Status: c.Status}
	c.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	return out
}

// CounterList is what a list request answers.
type CounterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Counter `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (l *CounterList) DeepCopyObject() runtime.Object {
	out := &CounterList{TypeMeta: l.TypeMeta, ListMeta: l.ListMeta}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*Counter))
	}
	return out
}

type reconciler struct{ client client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	counter := &Counter{}
	if err := r.client.Get(ctx, request.NamespacedName, counter); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if counter.Status.Count == counter.Spec.Count {
		return ctrl.Result{}, nil
	}
	before := counter.DeepCopyObject().(*Counter)
	counter.Status.Count = counter.Spec.Count
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return ctrl.Result{}, r.client.Status().Patch(ctx, counter, patch)
}

func main() {
	ctrl.SetLogger(logr.Discard())
	scheme := runtime.NewScheme()
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &Counter{}, &CounterList{})
	metav1.AddToGroupVersion(scheme, version)
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
	})
	exitOn(err)
	workers, err := strconv.Atoi(os.Getenv("WORKERS"))
	exitOn(err)
	exitOn(ctrl.NewControllerManagedBy(manager).
		For(&Counter{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(&reconciler{client: manager.GetClient()}))
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func exitOn(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
