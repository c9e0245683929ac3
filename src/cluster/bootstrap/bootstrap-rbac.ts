import type { ApiObject } from "../contract/api-object.ts";
import { controllerRoles } from "./controller-roles.ts";
import type { Rule } from "../contract/authorizer.ts";

const apiGroup = "rbac.authorization.k8s.io";

const apiVersion = `${apiGroup}/v1`;

const metadata = (name: string, labels: Record<string, string> = {}) => ({
  name,
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults", ...labels },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
});

const aggregateLabel = "rbac.authorization.k8s.io/aggregate-to-";

/** The roles and bindings for users and operators that every cluster has. */
export function bootstrapRBAC(): ApiObject[] {
  const roles = parseRoles(bootstrapRoles).map(({ name, rules, aggregateTo, isAggregated }) => ({
    apiVersion,
    kind: "ClusterRole",
    metadata: metadata(name, aggregateTo === undefined ? {} : { [aggregateLabel + aggregateTo]: "true" }),
    ...(isAggregated
      ? { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { [aggregateLabel + name]: "true" } }] } }
      : { rules }),
  }));
  const bindings = Object.entries(bootstrapBindings).map(([name, groups]) =>
    binding(metadata(name), { kind: "ClusterRole", name }, groups.map(group)),
  );
  return [...roles, ...bindings];
}

/**
 * The cluster roles for users and operators, in the notation of `parse-roles.ts`; control-plane-roles.ts has those of
 * the control plane's own components.
 */
const bootstrapRoles = `
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
system:persistent-volume-provisioner
  create delete get list watch | core | persistentvolumes
  get list update watch | core | persistentvolumeclaims
  get list watch | storage.k8s.io | storageclasses
  watch | core | events
  create patch update | core events.k8s.io | events
system:public-info-viewer
  get | /healthz /livez /readyz /version /version/
system:service-account-issuer-discovery
  get | /.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/
view | aggregate to edit | aggregated
`;

/** The groups that are bound to these roles, by role. */
const bootstrapBindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["system:masters"],
  "system:basic-user": ["system:authenticated"],
  "system:discovery": ["system:authenticated"],
  "system:monitoring": ["system:monitoring"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
  "system:service-account-issuer-discovery": ["system:serviceaccounts"],
};

let controlPlane: readonly ApiObject[] | undefined;

/**
 * The roles of the control plane's components, with bindings to their users and service accounts. Made once for all
 * clusters of the process: stores don't change what they hold.
 */
export function controlPlaneRBAC(): readonly ApiObject[] {
  controlPlane ??= [...makeControlPlane()];
  return controlPlane;
}

function* makeControlPlane(): Generator<ApiObject> {
  for (const { name, rules } of [...parseRoles(controlPlaneRoles), ...parseRoles(controllerRoles)]) {
    yield { apiVersion, kind: "ClusterRole", metadata: metadata(name), rules };
    const subjects = clusterSubjects(name);
    if (subjects) yield binding(metadata(name), { kind: "ClusterRole", name }, subjects);
  }
  for (const { name: path, rules } of parseRoles(controlPlaneNamespaceRoles)) {
    const [namespace = "", name = ""] = path.split("/");
    const here = (own: string) => ({ ...metadata(own), namespace });
    yield { apiVersion, kind: "Role", metadata: here(name), rules };
    const bound = name === authenticationReader ? `system::${name}` : name;
    yield binding(here(bound), { kind: "Role", name }, namespaceSubjects(name));
  }
}

/**
 * The cluster roles of the components of a control plane and its nodes, in the notation of `parse-roles.ts`;
 * `controller-roles.ts` has those of its controllers. None of them runs here, but add-ons are bound to these roles, and
 * some run as these users.
 */
const controlPlaneRoles = `
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
system:node-problem-detector
  get | core | nodes
  patch | core | nodes/status
  create patch update | core events.k8s.io | events
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
const controlPlaneNamespaceRoles = `
kube-public/system:controller:bootstrap-signer
  get list watch | core | configmaps
  update | core | configmaps | cluster-info
  create patch update | core events.k8s.io | events
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
kube-system/system:controller:token-cleaner
  delete get list watch | core | secrets
  create patch update | core events.k8s.io | events
`;

/** A role of a table. */
interface ParsedRole {
  readonly name: string;
  readonly rules: readonly Rule[];
  /** The role whose aggregation includes the rules of this one. */
  readonly aggregateTo?: string;
  /** The rules are those of all roles that aggregate to this one. */
  readonly isAggregated: boolean;
}

/**
 * Parses a table of roles. A line without indentation begins a role: `name`, `name | aggregate to role` or
 * `name | aggregated`. Each indented line below is a rule: `verbs | groups | resources | names`, or `verbs | paths`;
 * the group of the core API is `core`.
 */
export function parseRoles(table: string): ParsedRole[] {
  const blocks = table.trim().split(/\n(?! )/);
  return blocks.map((block) => {
    const [head = "", ...lines] = block.split("\n");
    const [name = "", ...notes] = head.split(" | ");
    const aggregateTo = notes.find((note) => note.startsWith(aggregation))?.slice(aggregation.length);
    return {
      name,
      rules: lines.map(parseRule),
      ...(aggregateTo !== undefined && { aggregateTo }),
      isAggregated: notes.includes("aggregated"),
    };
  });
}

const aggregation = "aggregate to ";

function parseRule(line: string): Rule {
  const [verbs = [], second = [], resources, resourceNames] = line
    .split("|")
    .map((part) => part.trim().split(" "));
  if (!resources) return { verbs, nonResourceURLs: second };
  const apiGroups = second.map((name) => (name === "core" ? "" : name));
  return { verbs, apiGroups, resources, ...(resourceNames && { resourceNames }) };
}

const authenticationReader = "extension-apiserver-authentication-reader";

const controllerPrefix = "system:controller:";

/** Controllers have service accounts, other components are users. Nodes and the rest are not bound by default. */
function clusterSubjects(role: string): object[] | undefined {
  if (role.startsWith(controllerPrefix)) return [serviceAccount(role.slice(controllerPrefix.length))];
  switch (role) {
    case "system:kube-controller-manager":
    case "system:kube-scheduler":
      return [user(role)];
    case "system:volume-scheduler":
      return [user("system:kube-scheduler")];
    case "system:node-proxier":
      return [user("system:kube-proxy")];
    case "system:kube-dns":
      return [serviceAccount("kube-dns")];
    case "system:node":
      return [];
    default:
      return undefined;
  }
}

function namespaceSubjects(role: string): object[] {
  if (role.startsWith(controllerPrefix)) return [serviceAccount(role.slice(controllerPrefix.length))];
  if (role === authenticationReader) {
    return [user("system:kube-controller-manager"), user("system:kube-scheduler")];
  }
  const part = role.slice("system::leader-locking-".length);
  const elector = part === "kube-controller-manager" ? [serviceAccount("leader-election-controller")] : [];
  return [user(`system:${part}`), serviceAccount(part), ...elector];
}

const user = (name: string) => ({ apiGroup, kind: "User", name });

const group = (name: string) => ({ apiGroup, kind: "Group", name });

const serviceAccount = (name: string) => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

function binding(
  itsMetadata: ApiObject["metadata"],
  role: { kind: "ClusterRole" | "Role"; name: string },
  subjects: readonly object[],
): ApiObject {
  const kind = `${role.kind}Binding`;
  const roleRef = { apiGroup, ...role };
  return { apiVersion, kind, metadata: itsMetadata, roleRef, ...(subjects.length > 0 && { subjects }) };
}
