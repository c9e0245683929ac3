// Writes and reads through controller-runtime's cached client, as ../own-writes.test.ts asks on standard input; see there
// for the probes. The environment has SERVER, TOKEN, NAMESPACE and READER.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// patience is how long a read may wait: one that the cache can answer takes microseconds.
const patience = 500 * time.Millisecond

// probe reads "old" while the state before its write is read, and "new" afterwards.
type probe struct {
	prepare func(context.Context) error
	write   func(context.Context) error
	read    func(context.Context) (string, error)
}

func main() {
	waits := os.Getenv("READER") == "consistent"
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(&rest.Config{Host: os.Getenv("SERVER"), BearerToken: os.Getenv("TOKEN")}, ctrl.Options{
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		Client:                 client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: &waits}},
		Cache: cache.Options{ByObject: map[client.Object]cache.ByObject{
			&corev1.Secret{}: {Label: labels.SelectorFromSet(labels.Set{"cached": "true"})},
		}},
	})
	exitOn(err)
	ctx := ctrl.SetupSignalHandler()
	states := func(object client.Object) []string { return []string{object.(*corev1.ConfigMap).Data["state"]} }
	exitOn(manager.GetFieldIndexer().IndexField(ctx, &corev1.ConfigMap{}, "data.state", states))
	probes := probesOf(manager.GetClient(), os.Getenv("NAMESPACE"))
	go func() {
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			command, name, _ := strings.Cut(lines.Text(), " ")
			say(run(ctx, command, probes[name]))
		}
	}()
	exitOn(manager.Start(ctx))
}

func run(ctx context.Context, command string, probe probe) (string, error) {
	switch command {
	case "prepare":
		return "", probe.prepare(ctx)
	case "write":
		return "", probe.write(ctx)
	default:
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return probe.read(ctx)
	}
}

// say prints the answer to a command as a line of JSON.
func say(saw string, err error) {
	if errors.Is(err, context.DeadlineExceeded) {
		saw, err = "waits", nil
	}
	answer := map[string]string{"saw": saw}
	if err != nil {
		answer["error"] = err.Error()
	}
	line, err := json.Marshal(answer)
	exitOn(err)
	os.Stdout.Write(append(line, '\n'))
}

func probesOf(c client.Client, namespace string) map[string]probe {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	configMap := func(name, state string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: meta(name), Data: map[string]string{"state": state}}
	}
	create := func(object client.Object) func(context.Context) error {
		return func(ctx context.Context) error { return c.Create(ctx, object) }
	}
	// cached creates an object, and waits until the cache has it.
	cached := func(object client.Object) func(context.Context) error {
		return func(ctx context.Context) error {
			if err := c.Create(ctx, object); err != nil {
				return err
			}
			return eventually(func() error { return c.Get(ctx, client.ObjectKeyFromObject(object), object) })
		}
	}
	// change changes a ConfigMap as it was read.
	change := func(name string, write func(context.Context, *corev1.ConfigMap) error) func(context.Context) error {
		return func(ctx context.Context) error {
			object := configMap(name, "")
			if err := c.Get(ctx, client.ObjectKeyFromObject(object), object); err != nil {
				return err
			}
			return write(ctx, object)
		}
	}
	update := func(name string) func(context.Context) error {
		return change(name, func(ctx context.Context, object *corev1.ConfigMap) error {
			object.Data["state"] = "new"
			return c.Update(ctx, object)
		})
	}
	state := func(name string) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			object := configMap(name, "")
			err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
			return object.Data["state"], err
		}
	}
	// without is "new" once an object is gone.
	without := func(object client.Object) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			err := c.Get(ctx, client.ObjectKeyFromObject(object), object)
			return newIf(apierrors.IsNotFound(err)), client.IgnoreNotFound(err)
		}
	}
	listed := func(name string, options ...client.ListOption) func(context.Context) (string, error) {
		return func(ctx context.Context) (string, error) {
			var list corev1.ConfigMapList
			err := c.List(ctx, &list, append(options, client.InNamespace(namespace))...)
			for i := range list.Items {
				if list.Items[i].Name == name {
					return list.Items[i].Data["state"], err
				}
			}
			return "old", err
		}
	}
	service := &corev1.Service{
		ObjectMeta: meta("status"),
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	finalized := configMap("finalized", "old")
	finalized.Finalizers = []string{"example.com/stays"}
	selected := map[string]string{"app": "scaled"}
	deployment := &appsv1.Deployment{
		ObjectMeta: meta("scaled"),
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32),
			Selector: &metav1.LabelSelector{MatchLabels: selected},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: selected},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "example.com/web"}}},
			},
		},
	}
	secret := &corev1.Secret{ObjectMeta: meta("left-out")}
	cachedSecret := &corev1.Secret{ObjectMeta: meta("cached")}
	cachedSecret.Labels = map[string]string{"cached": "true"}
	metadata := &metav1.PartialObjectMetadata{ObjectMeta: meta("metadata")}
	metadata.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("ConfigMap"))

	return map[string]probe{
		"create, then list": {cached(configMap("beside", "old")), create(configMap("created", "new")), listed("created")},
		"update, then get":  {cached(configMap("updated", "old")), update("updated"), state("updated")},
		"patch, then get": {
			cached(configMap("patched", "old")),
			change("patched", func(ctx context.Context, object *corev1.ConfigMap) error {
				before := object.DeepCopy()
				object.Data["state"] = "new"
				return c.Patch(ctx, object, client.MergeFrom(before))
			}),
			state("patched"),
		},
		"status, then get": {
			cached(service),
			func(ctx context.Context) error {
				service.Status.Conditions = []metav1.Condition{{
					Type: "Probed", Status: metav1.ConditionTrue, Reason: "Probed", LastTransitionTime: metav1.Now(),
				}}
				return c.Status().Update(ctx, service)
			},
			func(ctx context.Context) (string, error) {
				var read corev1.Service
				err := c.Get(ctx, client.ObjectKeyFromObject(service), &read)
				return newIf(len(read.Status.Conditions) > 0), err
			},
		},
		"apply, then list by index": {
			cached(configMap("applied", "old")),
			func(ctx context.Context) error {
				desired := corev1ac.ConfigMap("applied", namespace).WithData(map[string]string{"state": "new"})
				return c.Apply(ctx, desired, client.FieldOwner("probe"), client.ForceOwnership)
			},
			listed("applied", client.MatchingFields{"data.state": "new"}),
		},
		"delete, then get": {
			cached(configMap("deleted", "old")),
			func(ctx context.Context) error { return c.Delete(ctx, configMap("deleted", "")) },
			without(configMap("deleted", "")),
		},
		"delete with a finalizer, then get": {
			cached(finalized),
			func(ctx context.Context) error { return c.Delete(ctx, configMap("finalized", "")) },
			func(ctx context.Context) (string, error) {
				read := configMap("finalized", "")
				err := c.Get(ctx, client.ObjectKeyFromObject(read), read)
				return newIf(read.DeletionTimestamp != nil), err
			},
		},
		"delete of all, then get": {
			cached(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{
				Namespace: namespace, Name: "one-of-all", Labels: map[string]string{"cached": "true", "all": "true"},
			}}),
			func(ctx context.Context) error {
				return c.DeleteAllOf(ctx, &corev1.Secret{}, client.InNamespace(namespace), client.MatchingLabels{"all": "true"})
			},
			without(&corev1.Secret{ObjectMeta: meta("one-of-all")}),
		},
		"create and delete, then get": {
			cached(configMap("besides", "old")),
			func(ctx context.Context) error {
				if err := c.Create(ctx, configMap("short-lived", "old")); err != nil {
					return err
				}
				return c.Delete(ctx, configMap("short-lived", ""))
			},
			without(configMap("short-lived", "")),
		},
		"update, then get of the metadata": {
			func(ctx context.Context) error {
				if err := c.Create(ctx, configMap("metadata", "old")); err != nil {
					return err
				}
				return eventually(func() error { return c.Get(ctx, client.ObjectKeyFromObject(metadata), metadata) })
			},
			func(ctx context.Context) error {
				object := configMap("metadata", "old")
				object.Labels = map[string]string{"state": "new"}
				return c.Update(ctx, object)
			},
			func(ctx context.Context) (string, error) {
				read := metadata.DeepCopy()
				err := c.Get(ctx, client.ObjectKeyFromObject(read), read)
				return newIf(read.Labels["state"] == "new"), err
			},
		},
		"scale, then get": {
			cached(deployment),
			func(ctx context.Context) error {
				scale := &autoscalingv1.Scale{ObjectMeta: meta("scaled"), Spec: autoscalingv1.ScaleSpec{Replicas: 1}}
				return c.SubResource("scale").Update(ctx, deployment.DeepCopy(), client.WithSubResourceBody(scale))
			},
			func(ctx context.Context) (string, error) {
				var read appsv1.Deployment
				err := c.Get(ctx, client.ObjectKeyFromObject(deployment), &read)
				return newIf(read.Spec.Replicas != nil && *read.Spec.Replicas == 1), err
			},
		},
		"create of what the cache leaves out, then list": {
			cached(cachedSecret),
			create(secret),
			func(ctx context.Context) (string, error) {
				var list corev1.SecretList
				err := c.List(ctx, &list, client.InNamespace(namespace))
				for i := range list.Items {
					if list.Items[i].Name == secret.Name {
						return "new", err
					}
				}
				return "old", err
			},
		},
		"dry run, then list": {
			cached(configMap("wet", "old")),
			func(ctx context.Context) error { return c.Create(ctx, configMap("dry", "new"), client.DryRunAll) },
			listed("dry"),
		},
		"another process's write, then get": {
			cached(configMap("foreign", "old")),
			func(context.Context) error { return nil },
			state("foreign"),
		},
		"another process's write and an own one of another object, then list": {
			func(ctx context.Context) error {
				return errors.Join(cached(configMap("foreign-too", "old"))(ctx), cached(configMap("own", "old"))(ctx))
			},
			update("own"),
			listed("foreign-too"),
		},
	}
}

func newIf(condition bool) string {
	if condition {
		return "new"
	}
	return "old"
}

func eventually(try func() error) error {
	var err error
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err = try(); err == nil {
			return nil
		}
	}
	return err
}

func exitOn(err error) {
	if err != nil {
		os.Stderr.WriteString(err.Error() + "\n")
		os.Exit(1)
	}
}
