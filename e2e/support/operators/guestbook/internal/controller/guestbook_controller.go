// Package controller has the controller and the webhooks of Guestbooks.
package controller

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	webv1 "example.com/guestbook/api/v1"
)

// GuestbookReconciler makes a Deployment for each Guestbook.
type GuestbookReconciler struct {
	client.Client
}

// Reconcile makes what a Guestbook asks for, and reports in its status whether it is ready.
func (r *GuestbookReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var guestbook webv1.Guestbook
	if err := r.Get(ctx, request.NamespacedName, &guestbook); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: guestbook.Name, Namespace: guestbook.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		labels := map[string]string{"guestbook": guestbook.Name}
		deployment.Spec.Replicas = guestbook.Spec.Replicas
		deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
		deployment.Spec.Template.Labels = labels
		deployment.Spec.Template.Spec.Containers = []corev1.Container{{Name: "web", Image: guestbook.Spec.Image}}
		return controllerutil.SetControllerReference(&guestbook, deployment, r.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("deployment: %w", err)
	}
	ready := metav1.Condition{Type: "Ready", Status: metav1.ConditionFalse, Reason: "PodsStarting", ObservedGeneration: guestbook.Generation}
	if guestbook.Spec.Replicas != nil && deployment.Status.AvailableReplicas >= *guestbook.Spec.Replicas {
		ready.Status, ready.Reason = metav1.ConditionTrue, "PodsAvailable"
	}
	if !meta.SetStatusCondition(&guestbook.Status.Conditions, ready) {
		return ctrl.Result{}, nil
	}
	return ctrl.Result{}, r.Status().Update(ctx, &guestbook)
}

// SetupWithManager adds the controller to a manager.
func (r *GuestbookReconciler) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(manager).For(&webv1.Guestbook{}).Owns(&appsv1.Deployment{}).Complete(r)
}
