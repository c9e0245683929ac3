// The guestbook operator, laid out as kubebuilder does.
package main

import (
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

	webv1 "example.com/guestbook/api/v1"
	"example.com/guestbook/internal/controller"
)

func main() {
	var certificates string
	flag.StringVar(&certificates, "webhook-cert-path", "", "The folder of the webhook server's tls.crt and tls.key.")
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(webv1.AddToScheme(scheme))
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		Scheme:        scheme,
		Metrics:       server.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{CertDir: certificates, Host: os.Getenv("WEBHOOK_HOST"), Port: portOf(os.Getenv("WEBHOOK_PORT"))}),
	})
	exitOn(err)
	exitOn((&controller.GuestbookReconciler{Client: manager.GetClient()}).SetupWithManager(manager))
	exitOn((&controller.GuestbookWebhook{}).SetupWithManager(manager))
	exitOn(manager.Start(ctrl.SetupSignalHandler()))
}

func portOf(text string) int {
	port := 0
	for _, digit := range text {
		port = port*10 + int(digit-'0')
	}
	return port
}

func exitOn(err error) {
	if err != nil {
		ctrl.Log.Error(err, "the operator can't run")
		os.Exit(1)
	}
}
