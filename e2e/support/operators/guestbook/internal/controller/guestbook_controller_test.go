package controller

import (
	"context"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	webv1 "example.com/guestbook/api/v1"
)

// TestGuestbook is the envtest of kubebuilder's layout: CRDs and webhooks from config/, a manager in this process.
func TestGuestbook(t *testing.T) {
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	must(t, webv1.AddToScheme(scheme))
	environment := &envtest.Environment{
		CRDDirectoryPaths:     []string{"../../config/crd/bases"},
		ErrorIfCRDPathMissing: true,
		Scheme:                scheme,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{"../../config/webhook"}},
	}
	config, err := environment.Start()
	must(t, err)
	defer func() { must(t, environment.Stop()) }()
	options := environment.WebhookInstallOptions
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:  scheme,
		Metrics: server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{
			Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir,
		}),
	})
	must(t, err)
	must(t, (&GuestbookReconciler{Client: manager.GetClient()}).SetupWithManager(manager))
	must(t, (&GuestbookWebhook{}).SetupWithManager(manager))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- manager.Start(ctx) }()
	defer func() { cancel(); must(t, <-ended) }()

	cluster, err := client.New(config, client.Options{Scheme: scheme})
	must(t, err)
	object := func(name string) *webv1.Guestbook {
		return &webv1.Guestbook{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"},
			Spec:       webv1.GuestbookSpec{Image: "nginx"},
		}
	}
	guestbook := object("hotel")
	eventually(t, "the webhook server answers", func() bool { return cluster.Create(ctx, guestbook) == nil })
	if *guestbook.Spec.Replicas != 1 {
		t.Errorf("defaulting gave %d replicas", *guestbook.Spec.Replicas)
	}
	refused := object("crowd")
	eleven := int32(11)
	refused.Spec.Replicas = &eleven
	if err := cluster.Create(ctx, refused); !errors.IsForbidden(err) {
		t.Errorf("11 replicas: %v", err)
	}
	var deployment appsv1.Deployment
	eventually(t, "the Deployment exists", func() bool {
		return cluster.Get(ctx, client.ObjectKeyFromObject(guestbook), &deployment) == nil
	})
	// Only a cluster with controllers gets beyond this.
	if os.Getenv("TSBUILDER_CONTROLLERS") != "" {
		eventually(t, "the Guestbook is ready", func() bool {
			must(t, cluster.Get(ctx, client.ObjectKeyFromObject(guestbook), guestbook))
			return meta.IsStatusConditionTrue(guestbook.Status.Conditions, "Ready")
		})
		must(t, cluster.Delete(ctx, guestbook))
		eventually(t, "the Deployment is gone", func() bool {
			return errors.IsNotFound(cluster.Get(ctx, client.ObjectKeyFromObject(guestbook), &deployment))
		})
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	err := wait.PollUntilContextTimeout(context.Background(), 20*time.Millisecond, time.Minute, true,
		func(context.Context) (bool, error) { return holds(), nil })
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
