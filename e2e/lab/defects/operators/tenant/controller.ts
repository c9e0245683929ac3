import { createHash } from "node:crypto";
import { Children, type Manager, setCondition, type Stored } from "@tsbuilder/runtime";
import { Namespace, ResourceQuota } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { RoleBinding } from "@tsbuilder/runtime/k8s/rbac/v1";
import { Tenant } from "./types.ts";

// +kubebuilder:rbac:groups=tenancy.example.com,resources=tenants,verbs=get;list;watch
// +kubebuilder:rbac:groups=tenancy.example.com,resources=tenants/status,verbs=patch
// +kubebuilder:rbac:groups=tenancy.example.com,resources=tenants/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=namespaces;resourcequotas,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=clusterroles,verbs=bind,resourceNames=admin;edit;view
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// An object without this label isn't ours, even if it has the name: a Tenant never takes over what was there before.
const labels = { "app.kubernetes.io/managed-by": "tenant-operator" };

/** Gives each tenant its namespaces, with a quota, a role for the members, and a policy for the network. */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Tenant)
    .owns(Namespace)
    .owns(ResourceQuota)
    .owns(RoleBinding)
    .owns(NetworkPolicy)
    .complete({
      async reconcile(request) {
        const tenant = await client.find(Tenant, request);
        if (!tenant) return;
        const { spec, metadata, status = {} } = tenant;
        const children = new Children(client, tenant, { clock });
        const names = spec.namespaces.map((namespace) => namespaceOf(request.name, namespace));
        const ready: string[] = [];
        for (const name of names) {
          const namespace = await children.set(Namespace, name, { metadata: { labels } });
          // One that is being deleted takes nothing new: when it is gone, it is made again.
          if (!namespace || namespace.metadata.deletionTimestamp) continue;
          await fill(children, name, spec);
          ready.push(name);
        }
        await children.prune(Namespace, RoleBinding);
        const [rejection] = children.rejections;
        const isReady = !rejection && ready.length === names.length;
        const conditions = setCondition(
          status.conditions,
          {
            type: "Ready",
            status: isReady ? "True" : "False",
            reason: rejection?.reason ?? (isReady ? "Created" : "Terminating"),
            message: rejection?.message ?? `${ready.length} of ${names.length} namespaces are there`,
            observedGeneration: metadata.generation,
          },
          clock,
        );
        await client.patchStatus(Tenant, tenant, {
          observedGeneration: metadata.generation,
          namespaces: ready,
          conditions,
        });
        return children.result(conditions.find(({ type }) => type === "Ready"));
      },
    });
}

/** Sets what belongs into a namespace. */
async function fill(
  children: Children,
  namespace: string,
  { role = "edit", members = [], quota, allowFrom = [] }: Stored<Tenant>["spec"],
): Promise<void> {
  const hard = quota && {
    pods: String(quota.pods),
    ...(quota.cpu !== undefined && { "requests.cpu": String(quota.cpu) }),
  };
  await children.set(
    ResourceQuota,
    { namespace, name: "tenant" },
    hard && { metadata: { labels }, spec: { hard } },
  );
  // The role of a binding can't be changed: each role has a binding of its own, and the former one is pruned.
  const binding = { namespace, name: `tenant-${role}` };
  const apiGroup = "rbac.authorization.k8s.io";
  await children.set(
    RoleBinding,
    binding,
    members.length === 0
      ? undefined
      : {
          metadata: { labels },
          roleRef: { apiGroup, kind: "ClusterRole", name: role },
          subjects: members.map((name) => ({ apiGroup, kind: "User", name })),
        },
  );
  const peers = allowFrom.map((name) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
  }));
  await children.set(
    NetworkPolicy,
    { namespace, name: "tenant" },
    {
      metadata: { labels },
      spec: {
        podSelector: {},
        policyTypes: ["Ingress"],
        // A rule that names nobody lets everybody in.
        ...(peers.length > 0 && { ingress: [{ from: peers }] }),
      },
    },
  );
}

/** Returns the name of a namespace of a tenant. What is too long, or no name of a namespace, is told apart by a hash. */
function namespaceOf(tenant: string, namespace: string): string {
  const name = `${tenant}-${namespace}`;
  if (name.length <= 63 && !tenant.includes(".")) return name;
  const hash = createHash("sha256").update(tenant).digest("hex").slice(0, 8);
  return `${tenant.replaceAll(".", "-").slice(0, 30)}-${hash}-${namespace}`;
}
