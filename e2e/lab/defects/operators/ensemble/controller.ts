import { createHash } from "node:crypto";
import {
  Children,
  type Desired,
  type Manager,
  pruneServicePorts,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, PersistentVolumeClaim, Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Ensemble } from "./types.ts";

// +kubebuilder:rbac:groups=coordination.example.com,resources=ensembles,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=coordination.example.com,resources=ensembles/status,verbs=patch
// +kubebuilder:rbac:groups=coordination.example.com,resources=ensembles/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;delete
// +kubebuilder:rbac:groups="",resources=pods,verbs=list
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const instance = "coordination.example.com/ensemble";
const reclaim = "coordination.example.com/reclaim";

type Claims = readonly Stored<PersistentVolumeClaim>[];

export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Ensemble)
    .owns(StatefulSet)
    .owns(Service)
    .owns(ConfigMap)
    .owns(PodDisruptionBudget)
    .watches(PersistentVolumeClaim, async ({ metadata: { namespace, labels = {} } }) => {
      const ensembles = await client.list(Ensemble, { namespace });
      const names = ensembles.map(({ metadata }) => metadata.name);
      return names.filter((name) => nameFor(name) === labels[instance]).map((name) => ({ namespace, name }));
    })
    .finalizer("coordination.example.com/claims", async ({ spec, metadata: { namespace, name, uid } }) => {
      if (spec.storage?.reclaim !== "Delete") return;
      const labels = { [instance]: nameFor(name) };
      // Members that run, or that are started again, would get new claims: they go first.
      const key = { namespace, name: `${nameFor(name)}-server` };
      const servers = await client.find(StatefulSet, key, { live: true });
      if (servers?.metadata.ownerReferences?.some((owner) => owner.uid === uid))
        await client.delete(StatefulSet, servers, { preconditions: { uid: servers.metadata.uid } });
      const pods = await client.list(Pod, { namespace, labels, live: true });
      if (pods.length > 0) return { requeueAfter: "2s" };
      const doomed = { namespace, labels: { ...labels, [reclaim]: "Delete" } };
      const claims = await client.list(PersistentVolumeClaim, { ...doomed, live: true });
      await deleteClaims(claims);
      return claims.length > 0 ? { requeueAfter: "2s" } : undefined;
    })
    .complete({
      async reconcile(request) {
        // By an old size, members would be stopped, and their data would be gone for good: asks the server.
        const ensemble = await client.find(Ensemble, request, { live: true });
        if (!ensemble || ensemble.metadata.deletionTimestamp) return;
        const { spec, metadata, status = {} } = ensemble;
        const { namespace } = request;
        const name = nameFor(request.name);
        const labels = { [instance]: name };
        const doomed = { ...labels, [reclaim]: "Delete" };
        const claims = await client.list(PersistentVolumeClaim, { namespace, labels: doomed });
        const wanted = spec.replicas ?? 3;
        const told = status.members ?? wanted;
        // A member that comes back begins with an empty volume: not before its former one is gone.
        const members = beyond(told, claims).length > 0 ? Math.min(wanted, told) : wanted;
        // Noted first: it isn't the size of the StatefulSet, which anybody can change, that says whose claims go.
        const noted = await client.patchStatus(Ensemble, ensemble, { ...status, members });

        const children = new Children(client, ensemble, { clock });
        const settings = configFor(spec.settings);
        const data = { "zoo.cfg": settings, members: membersOf(name, namespace, members) };
        await children.set(ConfigMap, `${name}-config`, { metadata: { labels }, data });
        const ports = [{ name: "client", port: 2181 }];
        const service = { metadata: { labels }, spec: { selector: labels, ports } };
        await children.set(Service, `${name}-client`, service, pruneServicePorts);
        const peerPorts = [...ports, { name: "peer", port: 2888 }, { name: "election", port: 3888 }];
        // Members look for each other before they are ready.
        const headless = {
          selector: labels,
          ports: peerPorts,
          clusterIP: "None",
          publishNotReadyAddresses: true,
        };
        await children.set(Service, `${name}-members`, { ...service, spec: headless }, pruneServicePorts);
        const desired = statefulSetFor(name, spec, members, settings);
        const servers = await children.set(StatefulSet, `${name}-server`, desired);
        // Three and more survive the loss of one. A budget for fewer would only block the drain of a node.
        const budget = {
          metadata: { labels },
          spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
        };
        await children.set(PodDisruptionBudget, `${name}-server`, members > 2 ? budget : undefined);
        const removed = beyond(members, claims);
        if (removed.length > 0) {
          const key = { namespace, name: `${name}-server` };
          const current = await client.find(StatefulSet, key, { live: true });
          if (isObserved(current) && (current?.status?.replicas ?? 0) <= members) await deleteClaims(removed);
        }

        const readyMembers = isObserved(servers) ? (servers?.status?.readyReplicas ?? 0) : 0;
        const isReady = members === wanted && readyMembers === members;
        const [rejection] = children.rejections;
        const observedGeneration = metadata.generation!;
        const ready = {
          type: "Ready",
          status: isReady && !rejection ? "True" : "False",
          reason: rejection?.reason ?? (isReady ? "AllReady" : "Progressing"),
          message: rejection?.message ?? `${readyMembers} of ${wanted} members are ready`,
          observedGeneration,
        } as const;
        const conditions = setCondition(status.conditions ?? [], ready, clock);
        await client.patchStatus(Ensemble, noted, { observedGeneration, members, readyMembers, conditions });
        return children.result(conditions.find(({ type }) => type === "Ready"));
      },
    });

  async function deleteClaims(claims: Claims): Promise<void> {
    for (const claim of claims)
      await client.delete(PersistentVolumeClaim, claim, { preconditions: { uid: claim.metadata.uid } });
  }
}

/** Names of Services have no dots and begin with a letter, and those of StatefulSets are short. */
function nameFor(name: string): string {
  if (/^[a-z][-a-z0-9]{0,39}$/.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, 10);
  return `e-${name.replaceAll(".", "-").slice(0, 27)}-${hash}`;
}

/** Returns the claims of members whose number is not below `members`. */
function beyond(members: number, claims: Claims): Claims {
  return claims.filter(({ metadata }) => Number(metadata.name.split("-").at(-1)) >= members);
}

function isObserved(servers: Stored<StatefulSet> | undefined): boolean {
  return servers !== undefined && servers.status?.observedGeneration === servers.metadata.generation;
}

function configFor(settings: Readonly<Record<string, string>> = {}): string {
  const lines = { dataDir: "/data", tickTime: "2000", initLimit: "10", syncLimit: "5", ...settings };
  const sorted = Object.entries(lines).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([key, value]) => `${key}=${value}\n`).join("");
}

function membersOf(name: string, namespace: string | undefined, members: number): string {
  const hosts = Array.from(
    { length: members },
    (_, n) => `${name}-server-${n}.${name}-members.${namespace}.svc`,
  );
  return hosts.map((host, n) => `server.${n + 1}=${host}:2888:3888;2181\n`).join("");
}

function statefulSetFor(
  name: string,
  { image = "zookeeper:3.9", storage = {} }: Stored<Ensemble>["spec"],
  replicas: number,
  settings: string,
): Desired<StatefulSet> {
  const labels = { [instance]: name };
  const annotations = {
    "coordination.example.com/config": createHash("sha256").update(settings).digest("hex").slice(0, 16),
  };
  const volumeMounts = [
    { name: "data", mountPath: "/data" },
    { name: "config", mountPath: "/conf" },
  ];
  const claim = {
    metadata: { name: "data", labels: { ...labels, [reclaim]: storage.reclaim ?? "Retain" } },
    spec: {
      accessModes: ["ReadWriteOnce" as const],
      resources: { requests: { storage: storage.size ?? "1Gi" } },
    },
  };
  return {
    metadata: { labels },
    spec: {
      replicas,
      serviceName: `${name}-members`,
      podManagementPolicy: "Parallel",
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations },
        spec: {
          containers: [{ name: "zookeeper", image, ports: [{ containerPort: 2181 }], volumeMounts }],
          volumes: [{ name: "config", configMap: { name: `${name}-config` } }],
        },
      },
      volumeClaimTemplates: [claim],
    },
  };
}
