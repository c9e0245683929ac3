import type { NodeAddress, NodeCondition } from "@tsbuilder/apimachinery/k8s/core/v1";
import { fieldText } from "../../../registry/field-text.ts";
import type { CellReader } from "../../../registry/table-columns.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { nodeStrategy } from "./strategy.ts";
import { fakeNode } from "./controller/fake-node.ts";
import { taintEviction } from "./controller/taint-eviction.ts";

function nodeStatus(object: object): string {
  const conditions = readField<NodeCondition[]>(object, "status.conditions") ?? [];
  const ready = conditions.find(({ type }) => type === "Ready");
  const status = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return readField(object, "spec.unschedulable") ? `${status},SchedulingDisabled` : status;
}

const rolePrefix = "node-role.kubernetes.io/";

function nodeRoles(object: object): string {
  const labels = Object.keys(readField<object>(object, "metadata.labels") ?? {});
  const roles = labels
    .filter((label) => label.startsWith(rolePrefix))
    .map((label) => label.slice(rolePrefix.length));
  return roles.length === 0 ? "<none>" : roles.sort().join(",");
}

function nodeAddress(wanted: string): CellReader {
  return (object) => {
    const addresses = readField<NodeAddress[]>(object, "status.addresses") ?? [];
    return addresses.find(({ type }) => type === wanted)?.address ?? "<none>";
  };
}

export const node: BuiltInKind<"node" | "tainteviction"> = {
  resource: "nodes",
  metadataChecks: "new/new+update/update",
  strategy: { ...nodeStrategy, statusWritesMetadata: true },
  cells: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text("status.nodeInfo.kubeletVersion"),
    "Internal-IP": nodeAddress("InternalIP"),
    "External-IP": nodeAddress("ExternalIP"),
    "OS-Image": text("status.nodeInfo.osImage", "<unknown>"),
    "Kernel-Version": text("status.nodeInfo.kernelVersion", "<unknown>"),
    "Container-Runtime": text("status.nodeInfo.containerRuntimeVersion", "<unknown>"),
  },
  selectors: { "spec.unschedulable": (object) => fieldText(object, "spec.unschedulable") || "false" },
  emptyObject: { spec: {}, status: { daemonEndpoints: { kubeletEndpoint: { Port: 0 } }, nodeInfo: {} } },
  controllers: { node: fakeNode, tainteviction: taintEviction },
  zeroValues: {
    status: {
      nodeInfo: {
        architecture: "",
        bootID: "",
        containerRuntimeVersion: "",
        kernelVersion: "",
        kubeProxyVersion: "",
        kubeletVersion: "",
        machineID: "",
        operatingSystem: "",
        osImage: "",
        systemUUID: "",
      },
    },
  },
};
