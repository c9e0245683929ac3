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

/**
 * Registers a node, keeps it ready and renews its Lease. Nodes created by others are made ready as well. A node whose condition
 * Ready somebody sets to another status is tainted; with `Unknown`, its pods aren't ready any more.
 */
export function fakeNode({ objects, clock }: ControllerContext): Controller {
  return {
    watches: [nodes],
    requeues: "upkeep",
    startKeys: ["nodes"],
    keysOf: () => ["nodes"],

    async reconcile() {
      if (!objects.get(nodes, undefined, nodeName)) await objects.create(nodeUser, newNode());
      for (const node of objects.list(nodes)) await settle(node);
      await renewLease();
      return heartbeatMilliseconds;
    },
  };

  /** Completes the status of a node, and taints it by that. Admission has tainted a new one, as if it were not ready. */
  async function settle(node: Node): Promise<void> {
    const status = readyStatus(node, formatTime(clock.now()));
    const settled = isEqual(status, node.status)
      ? node
      : await objects.update(nodeUser, { ...node, status }, "status");
    const before = settled.spec?.taints ?? [];
    const taints = [...before.filter(({ key }) => !lifecycleTaints.has(key)), ...taintsOf(settled, before)];
    if (!isEqual(taints, before))
      await objects.update(nodeUser, { ...settled, spec: { ...settled.spec, taints } });
    if (isUnreachable(settled))
      for (const pod of objects.list(pods))
        if (pod.spec.nodeName === node.metadata.name && isReady(pod)) await makeUnready(pod);
  }

  async function makeUnready(pod: Pod): Promise<void> {
    const condition = { type: "Ready", status: "False", reason: "NodeNotReady" } as const;
    const status = setPodCondition(pod.status, condition, formatTime(clock.now()));
    await objects.update(evictionUser, { ...pod, status }, "status");
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

const lifecycleTaints: ReadonlySet<string> = new Set([
  "node.kubernetes.io/not-ready",
  "node.kubernetes.io/unreachable",
]);

function readinessOf(node: Node | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

/** Returns true for a node of which nothing is heard, so that nothing changes on it as far as the cluster knows. */
export function isUnreachable(node: Node | undefined): boolean {
  return readinessOf(node) === "Unknown";
}

/** Returns the taints of a node that isn't ready, which keep new pods away and evict the others after a while. */
function taintsOf(node: Node, before: readonly Taint[]): Taint[] {
  const readiness = readinessOf(node);
  if (readiness === "True") return [];
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
  kubeletVersion: versionInfo.gitVersion,
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
