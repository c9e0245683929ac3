import {
  ApiError,
  Children,
  type Desired,
  type Manager,
  setCondition,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Pod, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Quorum } from "./types.ts";

// +kubebuilder:rbac:groups=quorum.example.com,resources=quorums,verbs=get;list;watch;patch;update
// +kubebuilder:rbac:groups=quorum.example.com,resources=quorums/status,verbs=patch
// +kubebuilder:rbac:groups=quorum.example.com,resources=quorums/finalizers,verbs=update
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch
// +kubebuilder:rbac:groups="",resources=pods/eviction,verbs=create
// +kubebuilder:rbac:groups="",resources=pods/exec,verbs=get;create
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

const nameLabel = "quorum.example.com/name";

/** The next thing to do, as a reason for the condition, and when to look again if nothing happens. */
interface Progress {
  readonly reason: "Waiting" | "Resizing" | "Upgrading" | "Done";
  readonly members?: number;
  readonly requeueAfter?: "1s" | "5s";
}

/**
 * The StatefulSet begins with one server and gets the others one by one: each is made known to the members before it
 * starts, and forgotten by them before it stops. Its pods are replaced here, because it can't ask them.
 */
export function setup(manager: Manager): void {
  const { client, clock } = manager;
  manager
    .controllerFor(Quorum)
    .owns(StatefulSet)
    .owns(Service)
    .owns(PodDisruptionBudget)
    .watches(Pod, ({ metadata: { namespace, labels } }) => {
      const name = labels?.[nameLabel];
      return name ? [{ namespace, name }] : [];
    })
    .finalizer("quorum.example.com/retired", async (quorum) => {
      const children = new Children(client, quorum, { clock });
      const name = quorum.metadata.name;
      // Members that were added hold space outside of the cluster. If nobody runs who can give it back, start one.
      const holdsSpace = (quorum.status?.members ?? 1) > 1;
      const set = holdsSpace
        ? await children.set(StatefulSet, name, statefulSetFor(quorum))
        : await children.find(StatefulSet, name);
      const server = set && (await serversOf(set)).find(isReady);
      if (server) await run(server, quorum, "retire");
      else if (holdsSpace) return { requeueAfter: "5s" };
      return undefined;
    })
    .complete({
      async reconcile(request) {
        const quorum = await client.find(Quorum, request);
        if (!quorum) return;
        const { spec, metadata, status = {} } = quorum;
        const children = new Children(client, quorum, { clock });
        const set = await children.set(StatefulSet, request.name, statefulSetFor(quorum));
        await children.set(Service, request.name, serviceFor(quorum));
        await children.set(PodDisruptionBudget, request.name, budgetFor(quorum));
        const [rejection] = children.rejections;
        const progress: Progress = set && !rejection ? await advance(quorum, set) : { reason: "Waiting" };
        const { reason, requeueAfter, members = status.members } = progress;
        const version = reason === "Done" ? spec.version : status.version;
        const conditions = setCondition(status.conditions ?? [], {
          type: "Ready",
          status: reason === "Done" ? "True" : "False",
          reason: rejection?.reason ?? reason,
          message: rejection?.message ?? "",
        });
        await client.patchStatus(Quorum, quorum, {
          observedGeneration: metadata.generation!,
          ...(members !== undefined && { members }),
          ...(version !== undefined && { version }),
          conditions,
        });
        return requeueAfter ? { requeueAfter } : children.result(conditions[0]);
      },
    });

  /** Takes the next step towards the spec. */
  async function advance(quorum: Stored<Quorum>, set: Stored<StatefulSet>): Promise<Progress> {
    const name = quorum.metadata.name;
    const size = quorum.spec.size ?? 3;
    const running = set.spec?.replicas ?? 1;
    if (set.status?.observedGeneration !== set.metadata.generation) return { reason: "Waiting" };
    const servers = await serversOf(set);
    const outdated = servers.filter((pod) => isOutdated(pod, set));

    // A member that doesn't serve need not be asked, and may never serve with its old template.
    const broken = outdated.find((pod) => !isReady(pod) && !pod.metadata.deletionTimestamp);
    if (broken) return replace(broken);
    if (running === 0) await resize(set, 1);
    const server = servers.find(isReady);
    if (!server || running === 0) return { reason: "Waiting" };

    const names = (await run(server, quorum, "member", "list")).split("\n").filter(Boolean);
    const members = names.map((member) => Number(member.slice(name.length + 1)));
    const last = Math.max(...members);
    if (last >= size || running > size) {
      if (!(await isCurrent(quorum))) return { reason: "Waiting" };
      if (last >= size) await run(server, quorum, "member", "remove", `${name}-${last}`);
      await resize(set, Math.min(running, Math.max(size, last)));
      return { reason: "Resizing", members: members.length, requeueAfter: "1s" };
    }

    const isSettled = servers.length === running && servers.every(isReady);
    const missing = [...Array(Math.min(size, running + 1)).keys()].find((one) => !members.includes(one));
    const isServed = missing !== undefined && missing < running;
    if (!isSettled && !isServed) return { reason: "Waiting", members: members.length };
    if (missing !== undefined) {
      if (!(await isCurrent(quorum))) return { reason: "Waiting" };
      await run(server, quorum, "member", "add", `${name}-${missing}`);
      members.push(missing);
    }
    if (!isServed && running < size) await resize(set, running + 1);
    if (missing !== undefined || running < size)
      return { reason: "Resizing", members: members.length, requeueAfter: "1s" };

    const next = outdated.at(-1);
    if (!next) return { reason: "Done", members: members.length };
    const others = servers.filter((pod) => pod !== next).map((pod) => ctl(pod, quorum, "health"));
    const areHealthy = (await Promise.all(others)).every(({ exitCode }) => exitCode === 0);
    if (areHealthy && (await ctl(next, quorum, "leave")).exitCode === 0) return replace(next);
    return { reason: "Upgrading", members: members.length, requeueAfter: "5s" };
  }

  /** The servers, by number. Pods of a former StatefulSet of this name are none of them. */
  async function serversOf({ metadata }: Stored<StatefulSet>): Promise<Stored<Pod>[]> {
    const { namespace, name, uid } = metadata;
    const pods = await client.list(Pod, { namespace, labels: { [nameLabel]: name } });
    return pods
      .filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .sort((a, b) => numberOf(a) - numberOf(b));
  }

  /** Evicts a pod as it was seen, if no other is missing, so that the StatefulSet makes a new one. */
  async function replace(pod: Stored<Pod>): Promise<Progress> {
    const { uid, resourceVersion } = pod.metadata;
    const deleteOptions = { preconditions: { uid, resourceVersion } };
    try {
      await client.subresource(Pod, pod, "eviction").create({ deleteOptions });
    } catch (error) {
      if (!(error instanceof ApiError && error.isTooManyRequests)) throw error;
    }
    return { reason: "Upgrading", requeueAfter: "5s" };
  }

  /** Fails if the StatefulSet isn't as it was seen. */
  async function resize(set: Stored<StatefulSet>, replicas: number): Promise<void> {
    await client.patch(StatefulSet, set, (draft) => {
      draft.spec!.replicas = replicas;
    });
  }

  /** Members aren't added and removed for a spec of the past. */
  async function isCurrent({ metadata }: Stored<Quorum>): Promise<boolean> {
    const key = { namespace: metadata.namespace, name: metadata.name };
    const current = await client.find(Quorum, key, { live: true });
    return current?.metadata.uid === metadata.uid && current?.metadata.generation === metadata.generation;
  }

  async function ctl(pod: Stored<Pod>, { metadata }: Stored<Quorum>, ...command: string[]) {
    return client.exec(pod, ["quorumctl", "--cluster", metadata.uid, ...command], { container: "server" });
  }

  async function run(pod: Stored<Pod>, quorum: Stored<Quorum>, ...command: string[]) {
    const { exitCode, stdout, stderr } = await ctl(pod, quorum, ...command);
    if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }
}

function isReady({ metadata, status }: Stored<Pod>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  return !metadata.deletionTimestamp && ready?.status === "True";
}

function isOutdated({ metadata }: Stored<Pod>, { status }: Stored<StatefulSet>): boolean {
  return metadata.labels?.["controller-revision-hash"] !== status?.updateRevision;
}

function numberOf({ metadata }: Stored<Pod>): number {
  return Number(metadata.name.split("-").at(-1));
}

/** How many servers there are isn't said here: that changes step by step. */
function statefulSetFor({ metadata, spec }: Stored<Quorum>): Desired<StatefulSet> {
  const name = metadata.name;
  const labels = { [nameLabel]: name };
  const memory = spec.memory ?? "256Mi";
  const resources = { requests: { memory }, limits: { memory } };
  const image = `registry.example.com/quorum:${spec.version}`;
  return {
    metadata: { name, labels },
    spec: {
      serviceName: name,
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "OnDelete" },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "server", image, resources }] } },
    },
  };
}

function serviceFor({ metadata }: Stored<Quorum>): Desired<Service> {
  const labels = { [nameLabel]: metadata.name };
  const spec = { clusterIP: "None", selector: labels, ports: [{ name: "peer", port: 2380 }] };
  return { metadata: { name: metadata.name, labels }, spec };
}

/** Drains wait for each other, too. A server that doesn't serve may always go. */
function budgetFor({ metadata }: Stored<Quorum>): Desired<PodDisruptionBudget> {
  const labels = { [nameLabel]: metadata.name };
  return {
    metadata: { name: metadata.name, labels },
    spec: {
      maxUnavailable: 1,
      selector: { matchLabels: labels },
      unhealthyPodEvictionPolicy: "AlwaysAllow",
    },
  };
}
