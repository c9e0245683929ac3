import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { duplicate, forbidden, internalError, invalid } from "@tsbuilder/apimachinery/errors";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { goStruct } from "@tsbuilder/apimachinery/text";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { formatMicroTime, formatTime } from "@tsbuilder/apimachinery/time";
import type { Lease } from "@tsbuilder/apimachinery/k8s/coordination/v1";
import { fieldText, type CellReader, type Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells.ts";
import type { ApiObject, Sent } from "../../../contract/api-object.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import { type Fields, alignFirst, fillIn } from "../../fill-in.ts";
import { checkAddressRange } from "../../checks/addresses.ts";
import { type Problems, checked, choice, eachChecked, itemsOf } from "../../checks/problems.ts";
import { effects } from "../pod-spec/scheduling.ts";
import { amount } from "../resources.ts";
import type { LooseCondition, Node, Pod, Taint } from "../../../control-loop/api/core.ts";
import { nodes, pods } from "../../../control-loop/api/core.ts";
import type { Controller, ControllerContext } from "../../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../../control-loop/keys.ts";
import { setPodCondition } from "../../../control-loop/pods/pod-state.ts";
import { reporting } from "../../../control-loop/record-event.ts";
import { tolerates } from "./node-fit.ts";
import { versionInfo } from "../../../contract/version.ts";
import type { ResourceName } from "../../../contract/cluster-objects.ts";

/** The fields of nodeInfo: Go serializes all of them, even empty ones. */
const emptyInfo = {
  machineID: "",
  systemUUID: "",
  bootID: "",
  kernelVersion: "",
  osImage: "",
  containerRuntimeVersion: "",
  kubeletVersion: "",
  kubeProxyVersion: "",
  operatingSystem: "",
  architecture: "",
};

/** Only a new Node may come with a status. */
const nodeStrategy: Partial<Strategy> = {
  resetFields(object, old, subresource) {
    if (old) resetStatusAlone(object, old, subresource);
  },
  default(object) {
    const status = (object["status"] ??= {}) as Fields;
    fillIn(status, () => ({ daemonEndpoints: {}, nodeInfo: {} }));
    fillIn(status["daemonEndpoints"], () => ({ kubeletEndpoint: {} }));
    fillIn((status["daemonEndpoints"] as Fields)["kubeletEndpoint"], () => ({ Port: 0 }));
    fillIn(status["nodeInfo"], () => emptyInfo);
    alignFirst(object["spec"] as Fields | undefined, "podCIDR", "podCIDRs");
    if (status["capacity"] !== undefined) status["allocatable"] ??= { ...(status["capacity"] as Fields) };
  },
  prepareForCreate: dropDynamicConfig,
  prepareForUpdate: dropDynamicConfig,
  validate: (object) => [...nodeProblems(object)],
  validateUpdate: (object, old, { subresource }) => [
    ...(subresource === "status" ? [] : nodeProblems(object)),
    ...nodeChangeProblems(object, old),
  ],
  *warnings(object) {
    const { externalID } = (object["spec"] ?? {}) as Fields;
    if (externalID) yield "spec.externalID: this field is deprecated, and is unused by Kubernetes";
  },
};

const featureName = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

const rolePrefix = "node-role.kubernetes.io/";

/** The name of the node that the cluster starts with. */
const nodeName = "tsbuilder-node";

/** The address of the node; nothing listens on it. */
export const nodeAddress = "10.0.0.1";

const user = `system:node:${nodeName}`;

const heartbeat = 10_000;

const leases: ResourceName<Lease> = "leases.coordination.k8s.io";

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

const evictor = "system:serviceaccount:kube-system:node-controller";

export const node: BuiltInKind<"node" | "tainteviction"> = {
  resource: "nodes",
  metadataChecks: { update: ["new", "update"] },
  strategy: { ...nodeStrategy, statusWritesMetadata: true },
  cells: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text("status.nodeInfo.kubeletVersion"),
    "Internal-IP": addressCell("InternalIP"),
    "External-IP": addressCell("ExternalIP"),
    "OS-Image": text("status.nodeInfo.osImage", "<unknown>"),
    "Kernel-Version": text("status.nodeInfo.kernelVersion", "<unknown>"),
    "Container-Runtime": text("status.nodeInfo.containerRuntimeVersion", "<unknown>"),
  },
  selectors: { "spec.unschedulable": (object) => fieldText(object, "spec.unschedulable") || "false" },
  emptyObject: { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} } },
  controllers: { node: fakeNode, tainteviction: taintEviction },
  zeroValues: { status: { nodeInfo: emptyInfo } },
};

type SentNode = Sent<core.Node> & { spec?: { externalID?: string } };

/** Validates a new Node. */
function* nodeProblems(object: ApiObject): Problems {
  const { spec = {}, status = {} } = object as SentNode;
  // The server names the taints' field like this.
  yield* taintProblems("metadata.taints", spec.taints);
  yield* statusProblems(status);
  const { podCIDRs: ranges = [] } = spec;
  yield* eachChecked("spec.podCIDRs", ranges, checkAddressRange);
  if (ranges.length < 2) return;
  const wrong = ranges.findIndex((range) => checkAddressRange(range).length > 0);
  if (wrong >= 0) {
    const why = `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${ranges[wrong]})`;
    yield internalError(
      "spec.podCIDRs",
      `invalid PodCIDRs. failed to check with dual stack with error:${why}`,
    );
  }
  const families = new Set(ranges.map((range) => range.includes(":")));
  if (wrong >= 0 || ranges.length > 2 || families.size < 2) {
    yield invalid("spec.podCIDRs", ranges, "may specify no more than one CIDR for each IP family");
  }
}

/** Validates a change of a Node: ranges and the provider's ID are set once. */
function* nodeChangeProblems(object: ApiObject, old: ApiObject): Problems {
  const { spec = {}, status = {} } = object as SentNode;
  const { spec: before = {} } = old as SentNode;
  yield* statusProblems(status);
  yield* repeatedAddresses(status);
  yield* keptRanges(spec.podCIDRs ?? [], before.podCIDRs ?? []);
  if (before.providerID && before.providerID !== spec.providerID) {
    yield forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  }
  yield* taintProblems("metadata.taints", spec.taints);
  if ((spec.externalID ?? "") !== (before.externalID ?? "")) {
    yield forbidden("spec.externalID", "may not be updated");
  }
}

function* keptRanges(now: readonly string[], before: readonly string[]): Problems {
  if (before.length === 0) return;
  const changed =
    now.length === before.length ? before.filter((each, index) => each !== now[index]).length : 1;
  for (let count = changed; count > 0; count--) {
    yield forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  }
}

function* statusProblems({
  capacity = {},
  allocatable = {},
  declaredFeatures,
}: Sent<core.NodeStatus>): Problems {
  for (const [list, amounts] of Object.entries({ capacity, allocatable })) {
    for (const [name, quantity] of Object.entries(amounts))
      yield* amount(`status.${list}.${name}`, name, quantity);
  }
  yield* featureProblems("status.declaredFeatures", declaredFeatures);
}

/** The features that a kubelet declares, in alphabetical order. */
function* featureProblems(field: string, features: readonly string[] = []): Problems {
  for (const [at, name, index] of itemsOf(field, features)) {
    const before = features[index - 1];
    if (before === name) yield duplicate(at, name);
    else if (before !== undefined && before > name) {
      yield invalid(at, name, "list must be sorted alphabetically");
    }
    const shown = `invalid feature name ${JSON.stringify(name)}`;
    if (name.length > 253) yield invalid(at, name, `${shown}: must be no more than 253 characters`);
    else if (!featureName.test(name)) {
      const rule =
        "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
      yield invalid(at, name, `${shown}: ${rule}`);
    }
  }
}

function* repeatedAddresses({ addresses }: Sent<core.NodeStatus>): Problems {
  const seen = new Set<string>();
  for (const [at, { type = "", address = "" }] of itemsOf("status.addresses", addresses)) {
    const key = JSON.stringify([type, address]);
    if (seen.has(key)) yield duplicate(at, { type, address });
    seen.add(key);
  }
}

function* taintProblems(field: string, taints: readonly Sent<core.Taint>[] | undefined): Problems {
  const seen = new Set<string>();
  for (const [at, taint] of itemsOf(field, taints)) {
    const { key = "", value = "", effect = "" } = taint;
    yield* checked(`${at}.key`, key, checkQualifiedName);
    const reasons = checkLabelValue(value);
    if (reasons.length > 0) yield invalid(`${at}.value`, value, reasons.join(";"));
    yield* choice(`${at}.effect`, effect, effects);
    const pair = `${key} ${effect}`;
    if (seen.has(pair)) yield repeatedTaint(at, taint);
    seen.add(pair);
  }
}

/** The message shows the taint as a Go struct. */
function repeatedTaint(field: string, taint: Sent<core.Taint>) {
  const { key = "", value = "", effect = "", timeAdded = null } = taint;
  const shown = goStruct({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded });
  const detail = "taints must be unique by key and effect pair";
  return { ...duplicate(field, taint), detail, body: `Duplicate value: ${shown}: ${detail}` };
}

/** The server drops the fields of a removed feature. */
function dropDynamicConfig(object: ApiObject): void {
  delete (object["spec"] as Fields | undefined)?.["configSource"];
  delete (object["status"] as Fields | undefined)?.["config"];
}

function nodeStatus(object: object): string {
  const conditions = readField<core.NodeCondition[]>(object, "status.conditions") ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const status = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return readField(object, "spec.unschedulable") ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(object: object): string {
  const labels = Object.keys(readField<object>(object, "metadata.labels") ?? {});
  const roles = labels
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length));
  return roles.length === 0 ? "<none>" : roles.sort().join(",");
}

function addressCell(wanted: string): CellReader {
  return (object) => {
    const addresses = readField<core.NodeAddress[]>(object, "status.addresses") ?? [];
    return addresses.find(({ type }) => type === wanted)?.address ?? "<none>";
  };
}

/** Registers a node, keeps it ready and renews its Lease. Nodes created by others are made ready as well. */
function fakeNode({ objects, clock }: ControllerContext): Controller {
  return {
    watches: [nodes],
    startKeys: ["nodes"],
    keysOf: () => ["nodes"],

    async reconcile() {
      if (!objects.get(nodes, undefined, nodeName)) await objects.create(user, newNode());
      for (const node of objects.list(nodes)) await makeReady(node);
      await renewLease();
      return heartbeat;
    },
  };

  /** Removes the not-ready taint, which admission adds to new nodes. */
  async function makeReady(node: Node): Promise<void> {
    const status = readyStatus(node, formatTime(clock.now()));
    const ready = isEqual(status, node.status)
      ? node
      : await objects.update(user, { ...node, status }, "status");
    const taints = ready.spec?.taints ?? [];
    const left = taints.filter(({ key }) => key !== "node.kubernetes.io/not-ready");
    if (left.length < taints.length)
      await objects.update(user, { ...ready, spec: { ...ready.spec, taints: left } });
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
      if (!(age < heartbeat)) await objects.update(user, { ...current, spec });
    } else {
      await objects.create(user, {
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

/** The status of a ready node; existing fields are kept, but for the empty texts that the server fills in. */
function readyStatus(node: Node, now: string): NonNullable<Node["status"]> {
  const conditions: LooseCondition[] = node.status?.conditions ?? [
    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", now),
    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", now),
    condition("PIDPressure", "False", "KubeletHasSufficientPID", now),
    condition("Ready", "True", "KubeletReady", now),
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
    nodeInfo: { ...nodeInfo, machineID: name, systemUUID: name, ...nonEmpty(node.status?.nodeInfo ?? {}) },
    conditions,
  };
}

function nonEmpty(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

function condition(type: string, status: "True" | "False", reason: string, now: string): LooseCondition {
  return { type, status, reason, lastHeartbeatTime: now, lastTransitionTime: now } as LooseCondition;
}

/** Deletes pods from nodes that have taints with the effect `NoExecute`, once they no longer tolerate these. */
function taintEviction(context: ControllerContext): Controller {
  const { objects, clock } = context;
  const { report } = reporting(context, user, "taint-eviction-controller");
  /** The time at which the taints of a pod's node were first seen, by the pod's UID: a taint need not have a time. */
  const seen = new Map<string, number>();
  return {
    watches: [nodes, pods],

    keysOf({ type, resource, object }) {
      if (resource === pods) {
        if (type === "DELETED") seen.delete(object.metadata.uid!);
        return [keyOf(object)];
      }
      return objects
        .list(pods)
        .filter(({ spec }) => spec.nodeName === object.metadata.name)
        .map(keyOf);
    },

    async reconcile(key) {
      const pod = findByKey(objects, pods, key);
      if (!pod?.spec.nodeName || pod.metadata.deletionTimestamp) return undefined;
      const uid = pod.metadata.uid!;
      const node = objects.get(nodes, undefined, pod.spec.nodeName);
      const taints = (node?.spec?.taints ?? []).filter(({ effect }) => effect === "NoExecute");
      const patience = toleratedFor(pod.spec, taints);
      if (taints.length === 0 || patience === Number.POSITIVE_INFINITY) {
        seen.delete(uid);
        return undefined;
      }
      const since = seen.get(uid) ?? clock.now();
      seen.set(uid, since);
      const left = since + patience - clock.now();
      if (left > 0) return left;
      await evict(pod);
      return undefined;
    },
  };

  async function evict(pod: Pod): Promise<void> {
    const { namespace, name, generation } = pod.metadata;
    await report(pod, "Normal", "TaintManagerEviction", `Marking for deletion Pod ${namespace}/${name}`);
    const status = setPodCondition(
      pod.status,
      {
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: generation!,
      },
      formatTime(clock.now()),
    );
    const marked = isEqual(status, pod.status)
      ? pod
      : await objects.update(evictor, { ...pod, status }, "status");
    await objects.delete(evictor, marked, { uid: pod.metadata.uid });
  }
}

/**
 * Returns the milliseconds for which a pod tolerates taints: 0 if it doesn't tolerate one of them, infinity if it tolerates
 * all without a limit. If several tolerations match a taint, the first one counts.
 */
function toleratedFor({ tolerations = [] }: Pod["spec"], taints: readonly Taint[]): number {
  const limits = taints.map((taint) => {
    const toleration = tolerations.find((each) => tolerates(each, taint));
    return toleration ? (toleration.tolerationSeconds ?? Number.POSITIVE_INFINITY) : 0;
  });
  return Math.max(0, Math.min(...limits) * 1000);
}
