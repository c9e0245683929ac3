// The same operator as ../tsbuilder.ts, on controller-runtime; see there for what it does and which commands it reads.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"
)

type counterSpec struct {
	Count int64 `json:"count"`
}

type counterStatus struct {
	Count int64 `json:"count,omitempty"`
}

// Counter has one number in its spec, which the operator copies to the status.
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

// CounterList is a list of Counters.
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

// say prints one line of JSON for the benchmark.
func say(message map[string]any) {
	line, err := json.Marshal(message)
	exitOn(err)
	os.Stdout.Write(append(line, '\n'))
}

// rounds sets every status.count to spec.count plus the number of the round.
type rounds struct {
	client    client.Client
	requests  chan event.TypedGenericEvent[*Counter]
	objects   int64
	round     atomic.Int64
	left      atomic.Int64
	startedAt time.Time
	cpu       float64
}

func (r *rounds) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	counter := &Counter{}
	if err := r.client.Get(ctx, request.NamespacedName, counter); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	count := counter.Spec.Count + r.round.Load()
	if counter.Status.Count == count {
		return ctrl.Result{}, nil
	}
	before := counter.DeepCopyObject().(*Counter)
	counter.Status.Count = count
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.client.Status().Patch(ctx, counter, patch); err != nil {
		return ctrl.Result{}, err
	}
	left := r.left.Add(-1)
	if r.round.Load() == 0 && left == r.objects-1 {
		say(map[string]any{"first": true})
	}
	if left == 0 {
		say(map[string]any{
			"round":   r.round.Load(),
			"seconds": time.Since(r.startedAt).Seconds(),
			"cpu":     cpuSeconds() - r.cpu,
		})
	}
	return ctrl.Result{}, nil
}

func (r *rounds) begin(round int64) {
	var counters CounterList
	exitOn(r.client.List(context.Background(), &counters))
	r.left.Store(int64(len(counters.Items)))
	r.round.Store(round)
	r.cpu = cpuSeconds()
	r.startedAt = time.Now()
	for i := range counters.Items {
		r.requests <- event.TypedGenericEvent[*Counter]{Object: &counters.Items[i]}
	}
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	exitOn(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	ctrl.SetLogger(funcr.New(func(prefix, args string) { os.Stderr.WriteString(prefix + " " + args + "\n") }, funcr.Options{}))
	scheme := runtime.NewScheme()
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme.AddKnownTypes(version, &Counter{}, &CounterList{})
	metav1.AddToGroupVersion(scheme, version)
	exitOn(corev1.AddToScheme(scheme))
	// GetConfig disables client-side rate limiting; our client has none.
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:                 scheme,
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Cache:                  cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	exitOn(err)
	commands := map[string]func(int64){
		"collect": func(int64) {
			debug.FreeOSMemory()
			say(map[string]any{"collected": true})
		},
	}
	if os.Getenv("WATCH") == "pods" {
		holdPods(manager)
	} else {
		commands["round"] = countRounds(manager).begin
	}
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			command, argument, _ := strings.Cut(lines.Text(), " ")
			number, _ := strconv.ParseInt(argument, 10, 64)
			commands[command](number)
		}
	}()
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func holdPods(manager ctrl.Manager) {
	exitOn(ctrl.NewControllerManagedBy(manager).For(&corev1.Pod{}).Complete(
		reconcile.Func(func(context.Context, ctrl.Request) (ctrl.Result, error) { return ctrl.Result{}, nil })))
	go func() {
		<-manager.Elected()
		// Blocks until the cache has synced.
		_, err := manager.GetCache().GetInformer(context.Background(), &corev1.Pod{})
		exitOn(err)
		say(map[string]any{"started": true})
	}()
}

func countRounds(manager ctrl.Manager) *rounds {
	workers, err := strconv.Atoi(os.Getenv("WORKERS"))
	exitOn(err)
	objects, err := strconv.ParseInt(os.Getenv("OBJECTS"), 10, 64)
	exitOn(err)
	all := &rounds{
		client:    manager.GetClient(),
		requests:  make(chan event.TypedGenericEvent[*Counter]),
		objects:   objects,
		startedAt: time.Now(),
		cpu:       cpuSeconds(),
	}
	all.left.Store(objects)
	exitOn(ctrl.NewControllerManagedBy(manager).
		For(&Counter{}).
		WatchesRawSource(source.Channel(all.requests, &handler.TypedEnqueueRequestForObject[*Counter]{})).
		WithOptions(controller.Options{MaxConcurrentReconciles: workers}).
		Complete(all))
	return all
}

func exitOn(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
