package controller

import (
	"context"
	"fmt"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	webv1 "example.com/guestbook/api/v1"
)

// GuestbookWebhook sets the defaults of Guestbooks and validates them.
type GuestbookWebhook struct{}

// SetupWithManager serves the webhooks on a manager's webhook server.
func (w *GuestbookWebhook) SetupWithManager(manager ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(manager, &webv1.Guestbook{}).WithDefaulter(w).WithValidator(w).Complete()
}

// Default sets one replica.
func (w *GuestbookWebhook) Default(_ context.Context, guestbook *webv1.Guestbook) error {
	if guestbook.Spec.Replicas == nil {
		one := int32(1)
		guestbook.Spec.Replicas = &one
	}
	return nil
}

// ValidateCreate validates a new Guestbook.
func (w *GuestbookWebhook) ValidateCreate(_ context.Context, guestbook *webv1.Guestbook) (admission.Warnings, error) {
	if *guestbook.Spec.Replicas > 10 {
		return nil, fmt.Errorf("a guestbook has at most 10 replicas, not %d", *guestbook.Spec.Replicas)
	}
	return nil, nil
}

// ValidateUpdate validates a changed Guestbook.
func (w *GuestbookWebhook) ValidateUpdate(ctx context.Context, _, guestbook *webv1.Guestbook) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, guestbook)
}

// ValidateDelete allows every deletion.
func (w *GuestbookWebhook) ValidateDelete(context.Context, *webv1.Guestbook) (admission.Warnings, error) {
	return nil, nil
}
