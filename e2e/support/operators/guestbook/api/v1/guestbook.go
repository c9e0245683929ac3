// Package v1 has the API of the guestbook operator.
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of this API.
var GroupVersion = schema.GroupVersion{Group: "web.example.com", Version: "v1"}

// AddToScheme adds the kinds of this API to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &Guestbook{}, &GuestbookList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// GuestbookSpec is the desired state of a Guestbook.
type GuestbookSpec struct {
	// Replicas is the number of pods. The webhook sets one if it is absent.
	Replicas *int32 `json:"replicas,omitempty"`
	Image    string `json:"image"`
}

// GuestbookStatus is the observed state of a Guestbook.
type GuestbookStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Guestbook is a web page that visitors sign.
type Guestbook struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   GuestbookSpec   `json:"spec"`
	Status GuestbookStatus `json:"status,omitempty"`
}

// GuestbookList is a list of Guestbooks.
type GuestbookList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []Guestbook `json:"items"`
}

// DeepCopyObject implements runtime.Object.
func (in *Guestbook) DeepCopyObject() runtime.Object {
	out := *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	if in.Spec.Replicas != nil {
		replicas := *in.Spec.Replicas
		out.Spec.Replicas = &replicas
	}
	out.Status.Conditions = nil
	for _, condition := range in.Status.Conditions {
		out.Status.Conditions = append(out.Status.Conditions, *condition.DeepCopy())
	}
	return &out
}

// DeepCopyObject implements runtime.Object.
func (in *GuestbookList) DeepCopyObject() runtime.Object {
	out := *in
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	out.Items = nil
	for index := range in.Items {
		out.Items = append(out.Items, *in.Items[index].DeepCopyObject().(*Guestbook))
	}
	return &out
}
