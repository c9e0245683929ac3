/** The cluster roles for users and operators, in the notation of `parseRoles()`. */
export const bootstrapRoles = `
admin | aggregated
cluster-admin
  * | * | *
  * | *
edit | aggregate to admin | aggregated
system:aggregate-to-admin | aggregate to admin
  create | authorization.k8s.io | localsubjectaccessreviews
  create delete deletecollection get list patch update watch | rbac.authorization.k8s.io | rolebindings roles
system:aggregate-to-edit | aggregate to edit
  get list watch | core | pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy
  impersonate | core | serviceaccounts
  create delete deletecollection patch update | core | pods pods/attach pods/exec pods/portforward pods/proxy
  create | core | pods/eviction
  create delete deletecollection patch update | core | configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets serviceaccounts services services/proxy
  create | core | serviceaccounts/token
  create delete deletecollection patch update | core events.k8s.io | events
  create delete deletecollection patch update | apps | daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets statefulsets/scale
  create delete deletecollection patch update | autoscaling | horizontalpodautoscalers
  create delete deletecollection patch update | batch | cronjobs jobs
  create delete deletecollection patch update | extensions | daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets replicasets/scale replicationcontrollers/scale
  create delete deletecollection patch update | policy | poddisruptionbudgets
  create delete deletecollection patch update | networking.k8s.io | ingresses networkpolicies
  create delete deletecollection get list patch update watch | coordination.k8s.io | leases
  create delete deletecollection patch update | resource.k8s.io | resourceclaims resourceclaimtemplates
system:aggregate-to-view | aggregate to view
  get list watch | core | configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers replicationcontrollers/scale serviceaccounts services services/status
  get list watch | core | bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas resourcequotas/status
  get list watch | core | namespaces
  get list watch | core events.k8s.io | events
  get list watch | discovery.k8s.io | endpointslices
  get list watch | apps | controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status
  get list watch | autoscaling | horizontalpodautoscalers horizontalpodautoscalers/status
  get list watch | batch | cronjobs cronjobs/status jobs jobs/status
  get list watch | extensions | daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale
  get list watch | policy | poddisruptionbudgets poddisruptionbudgets/status
  get list watch | networking.k8s.io | ingresses ingresses/status networkpolicies
  get list watch | resource.k8s.io | resourceclaims resourceclaims/status resourceclaimtemplates
system:auth-delegator
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
system:basic-user
  create | authorization.k8s.io | selfsubjectaccessreviews selfsubjectrulesreviews
  create | authentication.k8s.io | selfsubjectreviews
system:discovery
  get | /api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/
system:monitoring
  get | /flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz
  get | core | nodes/metrics
system:persistent-volume-provisioner | writes events
  create delete get list watch | core | persistentvolumes
  get list update watch | core | persistentvolumeclaims
  get list watch | storage.k8s.io | storageclasses
  watch | core | events
system:public-info-viewer
  get | /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery
  get | /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/
view | aggregate to edit | aggregated
`;

/**
 * The cluster roles of the components of a control plane and its nodes, in the notation of `parseRoles()`. None of them
 * runs here, but add-ons are bound to these roles, and some run as these users.
 */
export const controlPlaneRoles = `
system:certificates.k8s.io:certificatesigningrequests:nodeclient
  create | certificates.k8s.io | certificatesigningrequests/nodeclient
system:certificates.k8s.io:certificatesigningrequests:selfnodeclient
  create | certificates.k8s.io | certificatesigningrequests/selfnodeclient
system:certificates.k8s.io:kube-apiserver-client-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client
system:certificates.k8s.io:kube-apiserver-client-kubelet-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
system:certificates.k8s.io:kubelet-serving-approver
  approve | certificates.k8s.io | signers | kubernetes.io/kubelet-serving
system:certificates.k8s.io:legacy-unknown-approver
  approve | certificates.k8s.io | signers | kubernetes.io/legacy-unknown
system:heapster
  get list watch | core | events namespaces nodes pods
  get list watch | extensions | deployments
system:kube-aggregator
  get list watch | core | endpoints services
system:kube-controller-manager
  create patch update | core events.k8s.io | events
  create | coordination.k8s.io | leases
  get update | coordination.k8s.io | leases | kube-controller-manager
  create | core | secrets serviceaccounts
  delete | core | secrets
  get | core | configmaps namespaces secrets serviceaccounts
  update | core | secrets serviceaccounts
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  list watch | * | *
  create | core | serviceaccounts/token
system:kube-dns
  list watch | core | endpoints services
system:kube-scheduler
  create patch update | core events.k8s.io | events
  create | coordination.k8s.io | leases
  get list update watch | coordination.k8s.io | leases | kube-scheduler
  create delete deletecollection get list patch update watch | coordination.k8s.io | leasecandidates
  get list watch | core | nodes
  delete get list watch | core | pods
  create | core | bindings pods/binding
  patch update | core | pods/status
  get list watch | core | replicationcontrollers services
  get list watch | apps extensions | replicasets
  get list watch | apps | statefulsets
  get list watch | policy | poddisruptionbudgets
  get list watch | core | persistentvolumeclaims persistentvolumes
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | subjectaccessreviews
  get list watch | storage.k8s.io | csinodes
  get list watch | storage.k8s.io | volumeattachments
  get list watch | core | namespaces
  get list watch | storage.k8s.io | csidrivers
  get list watch | storage.k8s.io | csistoragecapacities
  get list watch | resource.k8s.io | deviceclasses
  get list patch update watch | resource.k8s.io | resourceclaims
  get list patch update watch | resource.k8s.io | resourceclaims/status
  update | core | pods/finalizers
  get list watch | resource.k8s.io | resourceslices
  create delete | resource.k8s.io | resourceclaims
  patch update | resource.k8s.io | resourceclaims/binding
system:kubelet-api-admin
  get list watch | core | nodes
  proxy | core | nodes
  * | core | nodes/log nodes/metrics nodes/proxy nodes/stats
  * | core | nodes/configz nodes/healthz nodes/pods
system:node
  create | authentication.k8s.io | tokenreviews
  create | authorization.k8s.io | localsubjectaccessreviews subjectaccessreviews
  get list watch | core | services
  create get list watch | core | nodes
  patch update | core | nodes/status
  patch update | core | nodes
  create patch update | core events.k8s.io | events
  get list watch | core | pods
  create delete | core | pods
  patch update | core | pods/status
  create | core | pods/eviction
  get list watch | core | configmaps secrets
  get | core | persistentvolumeclaims persistentvolumes
  get | core | endpoints
  create get list watch | certificates.k8s.io | certificatesigningrequests
  create delete get patch update | coordination.k8s.io | leases
  get | storage.k8s.io | volumeattachments
  create | core | serviceaccounts/token
  get patch update | core | persistentvolumeclaims/status
  get list watch | storage.k8s.io | csidrivers
  create delete get patch update | storage.k8s.io | csinodes
  get list watch | node.k8s.io | runtimeclasses
  get | resource.k8s.io | resourceclaims
  deletecollection | resource.k8s.io | resourceslices
  get | core | serviceaccounts
system:node-bootstrapper
  create get list watch | certificates.k8s.io | certificatesigningrequests
system:node-problem-detector | writes events
  get | core | nodes
  patch | core | nodes/status
system:node-proxier
  list watch | core | endpoints services
  get list watch | core | nodes
  create patch update | core events.k8s.io | events
  list watch | networking.k8s.io | servicecidrs
  list watch | discovery.k8s.io | endpointslices
system:volume-scheduler
  get list patch update watch | core | persistentvolumes
  get list watch | storage.k8s.io | storageclasses
  get list patch update watch | core | persistentvolumeclaims
`;

/** The roles in a namespace, as `namespace/name`. */
export const namespaceRoles = `
kube-public/system:controller:bootstrap-signer | writes events
  get list watch | core | configmaps
  update | core | configmaps | cluster-info
kube-system/extension-apiserver-authentication-reader
  get list watch | core | configmaps | extension-apiserver-authentication
kube-system/system::leader-locking-kube-controller-manager
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system::leader-locking-kube-scheduler
  create get list update watch | coordination.k8s.io | leases
  create get list update watch | coordination.k8s.io | leasecandidates
kube-system/system:controller:bootstrap-signer
  get list watch | core | secrets
kube-system/system:controller:cloud-provider
  create get list watch | core | configmaps
kube-system/system:controller:token-cleaner | writes events
  delete get list watch | core | secrets
`;

/**
 * The cluster roles of the controllers of kube-controller-manager, in the notation of `parseRoles()`. They are one list
 * instead of members of the kinds: more than half of these controllers don't run here, the others write without
 * authorization, and one list can be compared with that of a real server.
 */
export const controllerRoles = `
system:controller:attachdetach-controller
  list watch | core | persistentvolumeclaims persistentvolumes
  get list watch | core | nodes
  patch update | core | nodes/status
  list watch | core | pods
  create patch update | core events.k8s.io | events
  create delete get list watch | storage.k8s.io | volumeattachments
  get list watch | storage.k8s.io | csidrivers
  get list watch | storage.k8s.io | csinodes
system:controller:certificate-controller | writes events
  delete get list watch | certificates.k8s.io | certificatesigningrequests
  update | certificates.k8s.io | certificatesigningrequests/approval certificatesigningrequests/status
  approve | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client-kubelet
  sign | certificates.k8s.io | signers | kubernetes.io/kube-apiserver-client kubernetes.io/kube-apiserver-client-kubelet kubernetes.io/kubelet-serving kubernetes.io/legacy-unknown
  create | authorization.k8s.io | subjectaccessreviews
system:controller:clusterrole-aggregation-controller
  escalate get list patch update watch | rbac.authorization.k8s.io | clusterroles
system:controller:cronjob-controller | writes events
  get list update watch | batch | cronjobs
  create delete get list patch update watch | batch | jobs
  update | batch | cronjobs/status
  update | batch | cronjobs/finalizers
  delete list watch | core | pods
system:controller:daemon-set-controller | writes events
  get list watch | apps extensions | daemonsets
  update | apps extensions | daemonsets/status
  update | apps extensions | daemonsets/finalizers
  list watch | core | nodes
  create delete list patch watch | core | pods
  create | core | pods/binding
  create delete get list patch update watch | apps | controllerrevisions
system:controller:deployment-controller | writes events
  get list update watch | apps extensions | deployments
  update | apps extensions | deployments/status
  update | apps extensions | deployments/finalizers
  create delete get list patch update watch | apps extensions | replicasets
  get list update watch | core | pods
system:controller:device-taint-eviction-controller | writes events
  delete get list watch | core | pods
  patch update | core | pods/status
  get list watch | resource.k8s.io | resourceclaims
  get list watch | resource.k8s.io | resourceslices
  get list watch | resource.k8s.io | deviceclasses
system:controller:disruption-controller | writes events
  get list watch | apps extensions | deployments
  get list watch | apps extensions | replicasets
  get list watch | core | replicationcontrollers
  get list watch | policy | poddisruptionbudgets
  get list watch | apps | statefulsets
  update | policy | poddisruptionbudgets/status
  patch update | core | pods/status
  get | * | */scale
system:controller:endpoint-controller | writes events
  get list watch | core | pods services
  create delete get list update watch | core | endpoints
  create | core | endpoints/restricted
system:controller:endpointslice-controller | writes events
  get list watch | core | nodes pods services
  update | core | services/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
system:controller:endpointslicemirroring-controller | writes events
  get list watch | core | endpoints services
  update | core | services/finalizers
  update | core | endpoints/finalizers
  create delete get list update watch | discovery.k8s.io | endpointslices
system:controller:ephemeral-volume-controller | writes events
  get list watch | core | pods
  update | core | pods/finalizers
  create get list watch | core | persistentvolumeclaims
system:controller:expand-controller | writes events
  get list patch update watch | core | persistentvolumes
  patch update | core | persistentvolumeclaims/status
  get list watch | core | persistentvolumeclaims
system:controller:generic-garbage-collector | writes events
  delete get list patch update watch | * | *
system:controller:horizontal-pod-autoscaler | writes events
  get list watch | autoscaling | horizontalpodautoscalers
  update | autoscaling | horizontalpodautoscalers/status
  get update | * | */scale
  list watch | core | pods
  list watch | metrics.k8s.io | pods
  get list watch | custom.metrics.k8s.io | *
  get list watch | external.metrics.k8s.io | *
system:controller:job-controller | writes events
  get list patch update watch | batch | jobs
  update | batch | jobs/status
  update | batch | jobs/finalizers
  create delete list patch watch | core | pods
system:controller:legacy-service-account-token-cleaner
  get | core | configmaps | kube-apiserver-legacy-service-account-token-tracking
  delete patch | core | secrets
system:controller:namespace-controller
  delete get list watch | core | namespaces
  update | core | namespaces/finalize namespaces/status
  delete deletecollection get list watch | * | *
system:controller:node-controller | writes events
  delete get list patch update watch | core | nodes
  patch update | core | nodes/status
  patch update | core | pods/status
  delete get list watch | core | pods
system:controller:persistent-volume-binder
  create delete get list update watch | core | persistentvolumes
  update | core | persistentvolumes/status
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  create delete get list watch | core | pods
  get list watch | storage.k8s.io | storageclasses
  list watch | core | nodes
  create patch update | core events.k8s.io | events
  watch | core | events
system:controller:pod-garbage-collector
  delete list watch | core | pods
  get list watch | core | nodes
  patch | core | pods/status
system:controller:pv-protection-controller | writes events
  get list update watch | core | persistentvolumes
system:controller:pvc-protection-controller | writes events
  get list update watch | core | persistentvolumeclaims
  update | core | persistentvolumeclaims/status
  get list watch | core | pods
system:controller:replicaset-controller | writes events
  get list update watch | apps extensions | replicasets
  update | apps extensions | replicasets/status
  update | apps extensions | replicasets/finalizers
  create delete list patch watch | core | pods
system:controller:replication-controller | writes events
  get list update watch | core | replicationcontrollers
  update | core | replicationcontrollers/status
  update | core | replicationcontrollers/finalizers
  create delete list patch watch | core | pods
system:controller:resource-claim-controller
  get list watch | core | pods
  update | core | pods/finalizers
  create delete get list watch | resource.k8s.io | resourceclaims
  patch update | resource.k8s.io | resourceclaims resourceclaims/status
  patch update | core | pods/status
  create patch update | core events.k8s.io | events
  patch update | resource.k8s.io | resourceclaims/binding
system:controller:resourcequota-controller | writes events
  list watch | * | *
  update | core | resourcequotas/status
system:controller:root-ca-cert-publisher | writes events
  create update | core | configmaps
system:controller:route-controller | writes events
  list watch | core | nodes
  patch | core | nodes/status
system:controller:selinux-warning-controller
  create patch update | core events.k8s.io | events
  get list watch | core | persistentvolumes
  get list watch | core | persistentvolumeclaims
  get list watch | core | pods
  get list watch | storage.k8s.io | csidrivers
system:controller:service-account-controller | writes events
  create | core | serviceaccounts
system:controller:service-cidrs-controller | writes events
  get list patch update watch | networking.k8s.io | servicecidrs
  patch update | networking.k8s.io | servicecidrs/finalizers
  patch update | networking.k8s.io | servicecidrs/status
  get list watch | networking.k8s.io | ipaddresses
system:controller:service-controller | writes events
  get list watch | core | services
  patch update | core | services/status
  list watch | core | nodes
system:controller:statefulset-controller | writes events
  list watch | core | pods
  get list watch | apps | statefulsets
  update | apps | statefulsets/status
  update | apps | statefulsets/finalizers
  create delete get patch update | core | pods
  create delete get list patch update watch | apps | controllerrevisions
  create get list watch | core | persistentvolumeclaims
  delete update | core | persistentvolumeclaims
  update | core | pods/finalizers
system:controller:ttl-after-finished-controller | writes events
  delete get list watch | batch | jobs
system:controller:ttl-controller | writes events
  list patch update watch | core | nodes
system:controller:validatingadmissionpolicy-status-controller | writes events
  get list watch | admissionregistration.k8s.io | validatingadmissionpolicies
  get patch update | admissionregistration.k8s.io | validatingadmissionpolicies/status
system:controller:volumeattributesclass-protection-controller | writes events
  get list watch | core | persistentvolumeclaims
  get list watch | core | persistentvolumes
  get list update watch | storage.k8s.io | volumeattributesclasses
`;
