import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import type { Lease } from "@tsbuilder/apimachinery/k8s/coordination/v1";
import {
  type LooseCondition,
  type Node,
  type Pod,
  type Taint,
  nodes,
  pods,
} from "../../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../../control-loop/controller.ts";
import { isReady, setPodCondition } from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { versionInfo } from "../../../contract/version.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";

/** The name of the node that the cluster starts with. */
const nodeName = "tsbuilder-node";

/** The address of the node that the cluster starts with; nothing listens on it. */
export const nodeAddress = "10.0.0.1";
export const nodeUser = `system:node:${nodeName}`;
export const evictionUser = "system:serviceaccount:kube-system:node-controller";
const heartbeatMilliseconds = 10_000;
const leases: ResourceName<Lease> = "leases.coordination.k8s.io";

/** How often kube-controller-manager looks after nodes by default, and after how long it takes a silent kubelet for lost. */
const monitorMilliseconds = 5000;
const graceMilliseconds = 50_000;

/** Keeps pods off nodes without containers, as long as the cluster has others. A pod that tolerates it may go to either. */
export const pretendedTaint: Taint = { key: "tsbuilder.dev/pretended", effect: "NoSchedule" };

/**
 * Registers a node, keeps it ready and renews its Lease. Nodes created by others are made ready as well, but for those of
 * kubelets, which are only watched over. A node whose condition Ready is not True is tainted; with `Unknown`, which the node of
 * a silent kubelet gets, its pods aren't ready any more.
 */
export function fakeNode(context: ControllerContext): Controller {
  const { objects, clock, report } = reporting(context, nodeUser, "node-controller");
  /** The last sign of each kubelet, and when it was noticed. */
  const signs = new Map<string, { readonly sign: string; readonly noticed: number }>();
  return {
    watches: [nodes],
    requeues: "upkeep",
    startKeys: ["nodes"],
    keysOf: () => ["nodes"],

    async reconcile() {
      if (!objects.get(nodes, undefined, nodeName)) await objects.create(nodeUser, newNode());
      // Nodes of a former start, which a cluster that keeps its objects still has, are silent for ever.
      const hasContainers = objects.list(nodes).some((node) => hasKubelet(node) && !isUnreachable(node));
      for (const node of objects.list(nodes)) {
        if (hasKubelet(node)) await taint(await noticeSilence(node), []);
        else await taint(await complete(node), hasContainers ? [pretendedTaint] : []);
      }
      await renewLease();
      return objects.list(nodes).some(hasKubelet) ? monitorMilliseconds : heartbeatMilliseconds;
    },
  };

  /** Completes the status of a node without a kubelet. */
  async function complete(node: Node): Promise<Node> {
    const status = readyStatus(node, formatTime(clock.now()));
    return isEqual(status, node.status) ? node : objects.update(nodeUser, { ...node, status }, "status");
  }

  /** Says that nothing is known of a node whose kubelet has been silent for too long. */
  async function noticeSilence(node: Node): Promise<Node> {
    const { conditions = [] } = node.status ?? {};
    if (clock.now() - lastHeard(node) < graceMilliseconds) return node;
    const silent = silentConditions(conditions, node.metadata.creationTimestamp!, formatTime(clock.now()));
    if (isEqual(silent, conditions)) return node;
    if (readiness(node)?.status === "True")
      await report(node, "Normal", "NodeNotReady", `Node ${node.metadata.name} status is now: NodeNotReady`);
    return objects.update(
      evictionUser,
      { ...node, status: { ...node.status, conditions: silent } },
      "status",
    );
  }

  /**
   * Returns when something was heard of a kubelet, by the cluster's clock: those of nodes may be wrong. Only what it said before
   * this control plane started is as old as it says, so that nodes of a former start are missed at once.
   */
  function lastHeard(node: Node): number {
    const { metadata } = node;
    const lease = objects.get(leases, "kube-node-lease", metadata.name!);
    const times = [metadata.creationTimestamp, lease?.spec?.renewTime, readiness(node)?.lastHeartbeatTime];
    const sign = times.join();
    const before = signs.get(metadata.name!);
    if (before?.sign === sign) return before.noticed;
    const latest = before ? Infinity : Math.max(...times.map((time) => Date.parse(time ?? "") || 0));
    const noticed = Math.min(clock.now(), latest);
    signs.set(metadata.name!, { sign, noticed });
    return noticed;
  }

  /** Taints a node by its state. Admission has tainted a new one, as if it were not ready. */
  async function taint(node: Node, others: readonly Taint[]): Promise<void> {
    const before = node.spec?.taints ?? [];
    const taints = [...before.filter(({ key }) => !ownTaints.has(key)), ...taintsOf(node, before), ...others];
    if (!isEqual(taints, before)) await objects.update(nodeUser, { ...node, spec: { ...node.spec, taints } });
    if (isUnreachable(node))
      for (const pod of objects.list(pods))
        if (pod.spec.nodeName === node.metadata.name && isReady(pod)) await makeUnready(pod);
  }

  async function makeUnready(pod: Pod): Promise<void> {
    const condition = { type: "Ready", status: "False", reason: "NodeNotReady" } as const;
    const status = setPodCondition(pod.status, condition, formatTime(clock.now()));
    await objects.update(evictionUser, { ...pod, status }, "status");
    await report(pod, "Warning", "NodeNotReady", "Node is not ready");
  }

  async function renewLease(): Promise<void> {
    const current = objects.get(leases, "kube-node-lease", nodeName);
    const spec = {
      holderIdentity: nodeName,
      leaseDurationSeconds: 40,
      renewTime: formatMicroTime(clock.now()),
    };
    if (current) {
      const age = clock.now() - Date.parse(current.spec?.renewTime ?? "");
      if (!(age < heartbeatMilliseconds)) await objects.update(nodeUser, { ...current, spec });
    } else {
      await objects.create(nodeUser, {
        apiVersion: "coordination.k8s.io/v1",
        kind: "Lease",
        metadata: { name: nodeName, namespace: "kube-node-lease" },
        spec,
      });
    }
  }
}

const ownTaints: ReadonlySet<string> = new Set([
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
  pretendedTaint.key,
]);

/** The conditions that every kubelet writes. */
const kubeletConditions: readonly string[] = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** Makes the conditions of a silent kubelet Unknown, also those that it never wrote; others are not its own. */
function silentConditions(conditions: readonly LooseCondition[], created: string, now: string) {
  const silent = (reason: string, message: string) =>
    ({ status: "Unknown", lastTransitionTime: now, reason, message }) as const;
  const stopped = silent("NodeStatusUnknown", "Kubelet stopped posting node status.");
  const never = silent("NodeStatusNeverUpdated", "Kubelet never posted node status.");
  const missing = kubeletConditions.filter((type) => conditions.every((each) => each.type !== type));
  return [
    ...conditions.map((each) => {
      const isLost = kubeletConditions.includes(each.type) && each.status !== "Unknown";
      return isLost ? { ...each, ...stopped } : each;
    }),
    ...missing.map((type) => ({ type, ...never, lastHeartbeatTime: created })),
  ];
}

function readiness(node: Node | undefined) {
  return node?.status?.conditions?.find(({ type }) => type === "Ready");
}

/** Returns true for a node that a kubelet has registered: it alone writes of this node and its pods. */
export function hasKubelet(node: Node | undefined): boolean {
  return (node?.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0) > 0;
}

/** Returns true for a node of which nothing is heard, so that nothing changes on it as far as the cluster knows. */
export function isUnreachable(node: Node | undefined): boolean {
  return readiness(node)?.status === "Unknown";
}

/** Returns the taints of a node that isn't ready, which keep new pods away and evict the others after a while. */
function taintsOf(node: Node, before: readonly Taint[]): Taint[] {
  if (readiness(node)?.status === "True") return [];
  const key = `node.kubernetes.io/${isUnreachable(node) ? "unreachable" : "not-ready"}`;
  return (["NoSchedule", "NoExecute"] as const).map(
    (effect) => before.find((taint) => taint.key === key && taint.effect === effect) ?? { key, effect },
  );
}

function newNode(): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: {
      name: nodeName,
      labels: {
        "kubernetes.io/hostname": nodeName,
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
      },
    },
    spec: { podCIDR: "10.244.0.0/16", podCIDRs: ["10.244.0.0/16"] },
  };
}

const capacity = { cpu: "64", memory: "256Gi", "ephemeral-storage": "1Ti", pods: "10000" };

const nodeInfo = {
  architecture: "amd64",
  bootID: "tsbuilder",
  containerRuntimeVersion: "tsbuilder://1.0.0",
  kernelVersion: "none",
  kubeProxyVersion: "",
  operatingSystem: "linux",
  osImage: "tsbuilder",
};

/** The status of a ready node; existing fields are kept, but for the empty texts that the server fills in. */
function readyStatus(node: Node, now: string): NonNullable<Node["status"]> {
  const conditions: LooseCondition[] = node.status?.conditions ?? [
    newCondition("MemoryPressure", "False", "KubeletHasSufficientMemory", now),
    newCondition("DiskPressure", "False", "KubeletHasNoDiskPressure", now),
    newCondition("PIDPressure", "False", "KubeletHasSufficientPID", now),
    newCondition("Ready", "True", "KubeletReady", now),
  ];
  const name = node.metadata.name!;
  return {
    addresses: [
      { type: "InternalIP", address: nodeAddress },
      { type: "Hostname", address: name },
    ],
    capacity,
    allocatable: capacity,
    ...node.status,
    nodeInfo: {
      ...nodeInfo,
      kubeletVersion: versionInfo().gitVersion,
      machineID: name,
      systemUUID: name,
      ...withoutEmptyTexts(node.status?.nodeInfo ?? {}),
    },
    conditions,
  };
}

function withoutEmptyTexts(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function newCondition(type: string, status: "True" | "False", reason: string, now: string): LooseCondition {
  return { type, status, reason, lastHeartbeatTime: now, lastTransitionTime: now } as LooseCondition;
}
