/** An operator like kro's example saas-multi-tenant: a namespace with limits for each tenant, and its application inside. */
import {
  Children,
  type Condition,
  type CustomResource,
  defineKind,
  findCondition,
  type int32,
  type Manager,
  pruneServicePorts,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { Namespace, ResourceQuota, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";

interface Tenant extends CustomResource<{ image?: string; replicas?: int32 }, { conditions?: Condition[] }> {}
export const Tenant = defineKind<Tenant>(
  { group: "example.com", version: "v1" },
  { kind: "Tenant", plural: "tenants" },
);

const limits = { "requests.cpu": "1", "requests.memory": "1Gi", "limits.cpu": "2", "limits.memory": "2Gi" };
const resources = {
  requests: { cpu: "100m", memory: "128Mi" },
  limits: { cpu: "200m", memory: "256Mi" },
};

function childrenOf({ client, clock }: Manager, tenant: Stored<Tenant>): Children {
  const { name: id } = tenant.metadata;
  const { image = "nginx:1.29", replicas = 2 } = tenant.spec;
  const labels = { "example.com/tenant": id };
  const metadata = { labels };
  const inside = (name: string) => ({ namespace: id, name });
  const children = new Children(client, tenant, { clock });
  const space = children.add(
    Namespace,
    id,
    { metadata },
    { readyWhen: ({ status }) => status?.phase === "Active" },
  );
  const around = { after: space, deletedBefore: space };
  const quota = children.add(ResourceQuota, inside("quota"), { metadata, spec: { hard: limits } }, around);
  const ingress = [{ from: [{ podSelector: {} }] }];
  const isolation = { metadata, spec: { podSelector: {}, ingress } };
  const policy = children.add(NetworkPolicy, inside("isolation"), isolation, around);
  const spec = { containers: [{ name: "app", image, ports: [{ containerPort: 80 }], resources }] };
  const pods = { replicas, selector: { matchLabels: labels }, template: { metadata, spec } };
  // No pod runs before its limits are there, or after they are gone.
  const within = { after: [quota, policy], deletedBefore: [quota, policy, space] };
  children.add(Deployment, inside("app"), { metadata, spec: pods }, within);
  const service = { metadata, spec: { selector: labels, ports: [{ name: "http", port: 80 }] } };
  children.add(Service, inside("app"), service, { ...within, prepare: pruneServicePorts });
  return children;
}

export function setupTenantController(manager: Manager): void {
  const { client, clock } = manager;
  const byLabel = { byLabel: true };
  manager
    .controllerFor(Tenant)
    .owns(Namespace, byLabel)
    .owns(ResourceQuota, byLabel)
    .owns(NetworkPolicy, byLabel)
    .owns(Deployment, byLabel)
    .owns(Service, byLabel)
    .finalizer("example.com/tenant", (tenant) => childrenOf(manager, tenant).delete())
    .complete({
      async reconcile(request) {
        const tenant = await client.find(Tenant, request);
        if (!tenant) return;
        const children = childrenOf(manager, tenant);
        await children.apply();
        const conditions = setCondition(tenant.status?.conditions, children.condition("Ready"), clock);
        await client.patchStatus(Tenant, tenant, { conditions });
        return children.result(findCondition(conditions, "Ready"));
      },
    });
}
