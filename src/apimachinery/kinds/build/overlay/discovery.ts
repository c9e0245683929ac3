/**
 * The discovery document of a Kubernetes 1.36 API server, in its order.
 * Each line: kind, plural, scope, then what is not the default. `short`: short names; `in`: categories; `verbs`
 * (default: all eight); `hash`: of the storage version. Subresources start with a slash: `/name:kind(verbs)`. Default:
 * the parent's kind, and the verbs get, patch and update; a kind of another group is written with its group.
 */
export const discovery = `
v1
  Binding bindings Namespaced verbs=create
  ComponentStatus componentstatuses Cluster short=cs verbs=get,list
  ConfigMap configmaps Namespaced short=cm hash=qFsyl6wFWjQ=
  Endpoints endpoints Namespaced short=ep hash=fWeeMqaN/OA=
  Event events Namespaced short=ev hash=r2yiGXH7wu8=
  LimitRange limitranges Namespaced short=limits hash=EBKMFVe6cwo=
  Namespace namespaces Cluster short=ns verbs=create,delete,get,list,patch,update,watch hash=Q3oi5N2YM8M= /finalize(update) /status
  Node nodes Cluster short=no hash=XwShjMxG9Fs= /proxy:NodeProxyOptions(create,delete,get,patch,update) /status
  PersistentVolumeClaim persistentvolumeclaims Namespaced short=pvc hash=QWTyNDq0dC4= /status
  PersistentVolume persistentvolumes Cluster short=pv hash=HN/zwEC+JgM= /status
  Pod pods Namespaced short=po in=all hash=xPOwRZ+Yhw8= /attach:PodAttachOptions(create,get) /binding:Binding(create) /ephemeralcontainers /eviction:policy/v1/Eviction(create) /exec:PodExecOptions(create,get) /log(get) /portforward:PodPortForwardOptions(create,get) /proxy:PodProxyOptions(create,delete,get,patch,update) /resize /status
  PodTemplate podtemplates Namespaced hash=LIXB2x4IFpk=
  ReplicationController replicationcontrollers Namespaced short=rc in=all hash=Jond2If31h0= /scale:autoscaling/v1/Scale /status
  ResourceQuota resourcequotas Namespaced short=quota hash=8uhSgffRX6w= /status
  Secret secrets Namespaced hash=S6u1pOWzb84=
  ServiceAccount serviceaccounts Namespaced short=sa hash=pbx9ZvyFpBE= /token:authentication.k8s.io/v1/TokenRequest(create)
  Service services Namespaced short=svc in=all hash=0/CO1lhkEBI= /proxy:ServiceProxyOptions(create,delete,get,patch,update) /status
apiregistration.k8s.io/v1
  APIService apiservices Cluster in=api-extensions hash=InPBPD7+PqM= /status
apps/v1
  ControllerRevision controllerrevisions Namespaced hash=85nkx63pcBU=
  DaemonSet daemonsets Namespaced short=ds in=all hash=dd7pWHUlMKQ= /status
  Deployment deployments Namespaced short=deploy in=all hash=8aSe+NMegvE= /scale:autoscaling/v1/Scale /status
  ReplicaSet replicasets Namespaced short=rs in=all hash=P1RzHs8/mWQ= /scale:autoscaling/v1/Scale /status
  StatefulSet statefulsets Namespaced short=sts in=all hash=H+vl74LkKdo= /scale:autoscaling/v1/Scale /status
events.k8s.io/v1
  Event events Namespaced short=ev hash=r2yiGXH7wu8=
authentication.k8s.io/v1
  SelfSubjectReview selfsubjectreviews Cluster verbs=create
  TokenReview tokenreviews Cluster verbs=create
authorization.k8s.io/v1
  LocalSubjectAccessReview localsubjectaccessreviews Namespaced verbs=create
  SelfSubjectAccessReview selfsubjectaccessreviews Cluster verbs=create
  SelfSubjectRulesReview selfsubjectrulesreviews Cluster verbs=create
  SubjectAccessReview subjectaccessreviews Cluster verbs=create
autoscaling/v2
  HorizontalPodAutoscaler horizontalpodautoscalers Namespaced short=hpa in=all hash=qwQve8ut294= /status
autoscaling/v1
  HorizontalPodAutoscaler horizontalpodautoscalers Namespaced short=hpa in=all hash=qwQve8ut294= /status
batch/v1
  CronJob cronjobs Namespaced short=cj in=all hash=sd5LIXh4Fjs= /status
  Job jobs Namespaced in=all hash=mudhfqk/qZY= /status
certificates.k8s.io/v1
  CertificateSigningRequest certificatesigningrequests Cluster short=csr hash=95fRKMXA+00= /approval /status
networking.k8s.io/v1
  IngressClass ingressclasses Cluster hash=l/iqIbDgFyQ=
  Ingress ingresses Namespaced short=ing hash=39NQlfNR+bo= /status
  IPAddress ipaddresses Cluster short=ip hash=3f/plJFChNE=
  NetworkPolicy networkpolicies Namespaced short=netpol hash=YpfwF18m1G8=
  ServiceCIDR servicecidrs Cluster hash=gNLvruQhW2g= /status
policy/v1
  PodDisruptionBudget poddisruptionbudgets Namespaced short=pdb hash=EVWiDmWqyJw= /status
rbac.authorization.k8s.io/v1
  ClusterRoleBinding clusterrolebindings Cluster hash=48tpQ8gZHFc=
  ClusterRole clusterroles Cluster hash=bYE5ZWDrJ44=
  RoleBinding rolebindings Namespaced hash=eGsCzGH6b1g=
  Role roles Namespaced hash=7FuwZcIIItM=
storage.k8s.io/v1
  CSIDriver csidrivers Cluster hash=hL6j/rwBV5w=
  CSINode csinodes Cluster hash=Pe62DkZtjuo=
  CSIStorageCapacity csistoragecapacities Namespaced hash=xeVl+2Ly1kE=
  StorageClass storageclasses Cluster short=sc hash=K+m6uJwbjGY=
  VolumeAttachment volumeattachments Cluster hash=tJx/ezt6UDU= /status
  VolumeAttributesClass volumeattributesclasses Cluster short=vac hash=tIjydgKBC5w=
admissionregistration.k8s.io/v1
  MutatingAdmissionPolicy mutatingadmissionpolicies Cluster in=api-extensions hash=LYmCf+UMVdg=
  MutatingAdmissionPolicyBinding mutatingadmissionpolicybindings Cluster in=api-extensions hash=90V5FRZZ3Zg=
  MutatingWebhookConfiguration mutatingwebhookconfigurations Cluster in=api-extensions hash=Sqi0GUgDaX0=
  ValidatingAdmissionPolicy validatingadmissionpolicies Cluster in=api-extensions hash=6OxvlMmQ6is= /status
  ValidatingAdmissionPolicyBinding validatingadmissionpolicybindings Cluster in=api-extensions hash=v9715VZqakg=
  ValidatingWebhookConfiguration validatingwebhookconfigurations Cluster in=api-extensions hash=B0wHjQmsGNk=
apiextensions.k8s.io/v1
  CustomResourceDefinition customresourcedefinitions Cluster short=crd,crds in=api-extensions hash=jfWCUB31mvA= /status
scheduling.k8s.io/v1
  PriorityClass priorityclasses Cluster short=pc hash=1QwjyaZjj3Y=
coordination.k8s.io/v1
  Lease leases Namespaced hash=gqkMMb/YqFM=
node.k8s.io/v1
  RuntimeClass runtimeclasses Cluster hash=WQTu1GL3T2Q=
discovery.k8s.io/v1
  EndpointSlice endpointslices Namespaced hash=qgS0xkrxYAI=
resource.k8s.io/v1
  DeviceClass deviceclasses Cluster hash=Yk2PTc1Ybxk=
  ResourceClaim resourceclaims Namespaced hash=wgAZaHcZxUg= /status
  ResourceClaimTemplate resourceclaimtemplates Namespaced hash=TuzjC49aUfM=
  ResourceSlice resourceslices Cluster hash=KsC072WgaEY=
flowcontrol.apiserver.k8s.io/v1
  FlowSchema flowschemas Cluster hash=GJVAJZSZBIw= /status
  PriorityLevelConfiguration prioritylevelconfigurations Cluster hash=Kir5PVfvNeI= /status
`;
