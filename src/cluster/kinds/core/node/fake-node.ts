import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import type { Lease } from "@tsbuilder/apimachinery/k8s/coordination/v1";
import { type LooseCondition, type Node, nodes } from "../../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../../control-loop/controller.ts";
import { versionInfo } from "../../../contract/version.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";

/** The name of the node that the cluster starts with. */
const nodeName = "tsbuilder-node";

/** The address of the node that the cluster starts with; nothing listens on it. */
export const nodeAddress = "10.0.0.1";
export const nodeUser = `system:node:${nodeName}`;
const heartbeatMilliseconds = 10_000;
const leases: ResourceName<Lease> = "leases.coordination.k8s.io";

/** Registers a node, keeps it ready and renews its Lease. Nodes created by others are made ready as well. */
export function fakeNode({ objects, clock }: ControllerContext): Controller {
  return {
    watches: [nodes],
    startKeys: ["nodes"],
    keysOf: () => ["nodes"],

    async reconcile() {
      if (!objects.get(nodes, undefined, nodeName)) await objects.create(nodeUser, newNode());
      for (const node of objects.list(nodes)) await makeReady(node);
      await renewLease();
      return heartbeatMilliseconds;
    },
  };

  /** Removes the not-ready taint, which admission adds to new nodes. */
  async function makeReady(node: Node): Promise<void> {
    const status = readyStatus(node, formatTime(clock.now()));
    const ready = isEqual(status, node.status)
      ? node
      : await objects.update(nodeUser, { ...node, status }, "status");
    const taints = ready.spec?.taints ?? [];
    const left = taints.filter(({ key }) => key !== "node.kubernetes.io/not-ready");
    if (left.length < taints.length)
      await objects.update(nodeUser, { ...ready, spec: { ...ready.spec, taints: left } });
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
