// Goclient talks to a cluster as operators written in Go do: typed clients that send protobuf.
// It prints a line of JSON for each step, with the result or the error, so that two servers can be compared.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
)

const namespace = "goclient"

var (
	ctx    = context.Background()
	create = metav1.CreateOptions{}
)

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		panic(err)
	}
	config.QPS, config.Burst = 1000, 1000
	config.ContentType = "application/vnd.kubernetes.protobuf"
	// Responses in JSON, because the embedded cluster sends nothing else, and protobuf omits the kinds of embedded objects.
	config.AcceptContentTypes = "application/json"
	client := kubernetes.NewForConfigOrDie(config)

	_, err = client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: meta(namespace)}, create)
	report("namespace", nil, err)
	account, err := client.CoreV1().ServiceAccounts(namespace).Create(ctx, &corev1.ServiceAccount{ObjectMeta: meta("default")}, create)
	report("service account", account.Name, err)
	workloads(client)
	core(client)
	others(client)
	reviews(client)
	definitions(apiextensions.NewForConfigOrDie(config))
	deletions(client)
}

func report(step string, saw any, err error) {
	line := map[string]any{"step": step}
	if err != nil {
		line["error"] = err.Error()
	} else if saw != nil {
		line["saw"] = saw
	}
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}
}

func pointer[T any](value T) *T { return &value }

var (
	selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	claim    = corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"},
		Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}},
	}
)

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name:          "web",
			Image:         "nginx",
			Ports:         []corev1.ContainerPort{{ContainerPort: 80}},
			Resources:     corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("100m")}},
			LivenessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Port: intstr.FromInt32(80)}}},
			Env: []corev1.EnvVar{{Name: "NAME", ValueFrom: &corev1.EnvVarSource{
				FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"},
			}}},
		}}},
	}
}

func workloads(client *kubernetes.Clientset) {
	apps, batch := client.AppsV1(), client.BatchV1()
	deployment := &appsv1.Deployment{ObjectMeta: meta("web"), Spec: appsv1.DeploymentSpec{Replicas: pointer(int32(2)), Selector: selector, Template: template()}}
	deployment, err := apps.Deployments(namespace).Create(ctx, deployment, create)
	report("deployment", deployment.Spec, err)
	deployment.Spec.Replicas = pointer(int32(0))
	deployment, err = apps.Deployments(namespace).Update(ctx, deployment, metav1.UpdateOptions{})
	report("deployment of none", *deployment.Spec.Replicas, err)
	scale, err := apps.Deployments(namespace).GetScale(ctx, "web", metav1.GetOptions{})
	report("scale", scale.Spec.Replicas, err)
	scale.Spec.Replicas = 3
	scale, err = apps.Deployments(namespace).UpdateScale(ctx, "web", scale, metav1.UpdateOptions{})
	report("scaled", scale.Spec.Replicas, err)
	stateful := &appsv1.StatefulSet{ObjectMeta: meta("db"), Spec: appsv1.StatefulSetSpec{
		ServiceName: "db", Selector: selector, Template: template(),
		VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claim}},
	}}
	stateful, err = apps.StatefulSets(namespace).Create(ctx, stateful, create)
	report("stateful set", stateful.Spec, err)
	daemons, err := apps.DaemonSets(namespace).Create(ctx, &appsv1.DaemonSet{ObjectMeta: meta("agent"), Spec: appsv1.DaemonSetSpec{Selector: selector, Template: template()}}, create)
	report("daemon set", daemons.Spec, err)
	once := corev1.PodTemplateSpec{Spec: template().Spec}
	once.Spec.RestartPolicy = "Never"
	job, err := batch.Jobs(namespace).Create(ctx, &batchv1.Job{ObjectMeta: meta("once"), Spec: batchv1.JobSpec{Template: once}}, create)
	report("job", job.Spec.Template.Spec, err)
	cron := &batchv1.CronJob{ObjectMeta: meta("nightly"), Spec: batchv1.CronJobSpec{Schedule: "0 3 * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: once}}}}
	cron, err = batch.CronJobs(namespace).Create(ctx, cron, create)
	report("cron job", cron.Spec, err)
}

func core(client *kubernetes.Clientset) {
	v1 := client.CoreV1()
	service, err := v1.Services(namespace).Create(ctx, &corev1.Service{ObjectMeta: meta("web"), Spec: corev1.ServiceSpec{ClusterIP: "None", Ports: []corev1.ServicePort{{Port: 80}}}}, create)
	report("service", service.Spec, err)
	secret := &corev1.Secret{ObjectMeta: meta("secret"), Data: map[string][]byte{"key": {0, 255, 1}}, StringData: map[string]string{"text": "value"}}
	secret, err = v1.Secrets(namespace).Create(ctx, secret, create)
	report("secret", []any{secret.Data, secret.Type}, err)
	pod, err := v1.Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: meta("pod"), Spec: template().Spec}, create)
	report("pod", pod.Spec.Containers[0].LivenessProbe, err)
	volume, err := v1.PersistentVolumeClaims(namespace).Create(ctx, &corev1.PersistentVolumeClaim{ObjectMeta: meta("claim"), Spec: claim}, create)
	report("claim", volume.Spec.Resources, err)
	event := &corev1.Event{ObjectMeta: meta("event"), InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "pod", Namespace: namespace}, Reason: "Tested", Type: "Normal"}
	event, err = v1.Events(namespace).Create(ctx, event, create)
	report("event", event.Reason, err)
	list, err := v1.Secrets(namespace).List(ctx, metav1.ListOptions{LabelSelector: "app=secret"})
	report("list", len(list.Items), err)
}

func others(client *kubernetes.Clientset) {
	backend := networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: "web", Port: networkingv1.ServiceBackendPort{Number: 80}}}
	paths := []networkingv1.HTTPIngressPath{{Path: "/", PathType: pointer(networkingv1.PathTypePrefix), Backend: backend}}
	rule := networkingv1.IngressRule{Host: "a.example.com", IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{Paths: paths}}}
	ingress, err := client.NetworkingV1().Ingresses(namespace).Create(ctx, &networkingv1.Ingress{ObjectMeta: meta("web"), Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{rule}}}, create)
	report("ingress", ingress.Spec, err)
	ports := []networkingv1.NetworkPolicyIngressRule{{Ports: []networkingv1.NetworkPolicyPort{{Port: pointer(intstr.FromString("http"))}}}}
	network, err := client.NetworkingV1().NetworkPolicies(namespace).Create(ctx, &networkingv1.NetworkPolicy{ObjectMeta: meta("web"), Spec: networkingv1.NetworkPolicySpec{Ingress: ports}}, create)
	report("network policy", network.Spec, err)
	role := &rbacv1.Role{ObjectMeta: meta("reader"), Rules: []rbacv1.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}}
	role, err = client.RbacV1().Roles(namespace).Create(ctx, role, create)
	report("role", role.Rules, err)
	binding := &rbacv1.RoleBinding{ObjectMeta: meta("reader"), Subjects: []rbacv1.Subject{{Kind: "User", Name: "jane"}}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "reader"}}
	binding, err = client.RbacV1().RoleBindings(namespace).Create(ctx, binding, create)
	report("role binding", []any{binding.Subjects, binding.RoleRef}, err)
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: meta("none"), Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: pointer(intstr.FromString("50%")), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "none"}}}}
	budget, err = client.PolicyV1().PodDisruptionBudgets(namespace).Create(ctx, budget, create)
	report("disruption budget", budget.Spec, err)
	lease := &coordinationv1.Lease{ObjectMeta: meta("leader"), Spec: coordinationv1.LeaseSpec{HolderIdentity: pointer("me"), RenewTime: &metav1.MicroTime{Time: metav1.Unix(1714564800, 123456000).Time}}}
	lease, err = client.CoordinationV1().Leases(namespace).Create(ctx, lease, create)
	report("lease", lease.Spec, err)
	target := autoscalingv2.MetricTarget{Type: "Utilization", AverageUtilization: pointer(int32(50))}
	scaler := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: meta("web"), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}, MaxReplicas: 3,
		Metrics: []autoscalingv2.MetricSpec{{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: target}}},
	}}
	scaler, err = client.AutoscalingV2().HorizontalPodAutoscalers(namespace).Create(ctx, scaler, create)
	report("autoscaler", scaler.Spec, err)
	event := &eventsv1.Event{ObjectMeta: meta("newer"), EventTime: metav1.NowMicro(), ReportingController: "example.com/test", ReportingInstance: "one", Action: "Test", Reason: "Tested", Type: "Normal", Regarding: corev1.ObjectReference{Kind: "Pod", Name: "pod", Namespace: namespace}}
	event, err = client.EventsV1().Events(namespace).Create(ctx, event, create)
	report("newer event", event.Action, err)
	storage, err := client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{ObjectMeta: meta("goclient"), Provisioner: "example.com/disk"}, create)
	report("storage class", []any{storage.ReclaimPolicy, storage.VolumeBindingMode}, err)
	priority, err := client.SchedulingV1().PriorityClasses().Create(ctx, &schedulingv1.PriorityClass{ObjectMeta: meta("goclient"), Value: 5}, create)
	report("priority class", []any{priority.Value, priority.PreemptionPolicy}, err)
}

func reviews(client *kubernetes.Clientset) {
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: pointer(int64(3600))}}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, "default", request, create)
	report("token", token.Spec.ExpirationSeconds, err)
	whose, err := client.AuthenticationV1().TokenReviews().Create(ctx, &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token.Status.Token}}, create)
	report("token review", []any{whose.Status.Authenticated, whose.Status.User.Username, whose.Status.User.Groups}, err)
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "john", Extra: map[string]authorizationv1.ExtraValue{"scopes": {"a", "b"}},
		ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "pods", Namespace: namespace},
	}}
	review, err = client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, create)
	report("access review", []any{review.Status.Allowed, review.Spec.Extra}, err)
}

func definitions(client *apiextensions.Clientset) {
	schema := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{
		"count": {Type: "number", Default: &apiextensionsv1.JSON{Raw: []byte("3")}, Minimum: pointer(1.5)},
		"list":  {Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
		"map":   {Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &apiextensionsv1.JSONSchemaProps{Type: "string"}}},
	}}
	version := apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: schema}}
	crd := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "gizmos.go.example.com"}, Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "go.example.com", Scope: "Namespaced", Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version},
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gizmos", Kind: "Gizmo"},
	}}
	crd, err := client.ApiextensionsV1().CustomResourceDefinitions().Create(ctx, crd, create)
	report("custom resource definition", crd.Spec, err)
}

func deletions(client *kubernetes.Clientset) {
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: namespace}, DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: pointer(int64(0))}}
	report("eviction", nil, client.CoreV1().Pods(namespace).EvictV1(ctx, eviction))
	another := metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("another")}
	report("delete of another", nil, client.CoreV1().Secrets(namespace).Delete(ctx, "nothing", another))
	background := metav1.DeletePropagationBackground
	report("delete", nil, client.AppsV1().Deployments(namespace).Delete(ctx, "web", metav1.DeleteOptions{PropagationPolicy: &background}))
	report("delete of many", nil, client.CoreV1().Secrets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
	list, err := client.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})
	report("what is left", len(list.Items), err)
}
