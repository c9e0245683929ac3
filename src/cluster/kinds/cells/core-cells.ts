import type { CellReader } from "../../registry/table-columns.ts";
import { formatSelector } from "./format-selector.ts";
import { count, readField, size, text } from "./read-field.ts";
import { ageOf } from "../../registry/format-age.ts";

type Cells = Readonly<Record<string, Readonly<Record<string, CellReader>>>>;

interface Port {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}

/** The cells of core kinds other than Pods. */
export const coreCells: Cells = {
  ConfigMap: { Data: (object) => size("data")(object) + size("binaryData")(object) },
  Secret: { Type: text("type"), Data: size("data") },
  Namespace: { Status: text("status.phase") },
  Endpoints: { Endpoints: endpoints },
  Service: {
    Type: text("spec.type"),
    "Cluster-IP": text("spec.clusterIP", "<none>"),
    "External-IP": externalIP,
    "Port(s)": ports,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  Node: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: text("status.nodeInfo.kubeletVersion"),
    "Internal-IP": nodeAddress("InternalIP"),
    "External-IP": nodeAddress("ExternalIP"),
    "OS-Image": text("status.nodeInfo.osImage", "<unknown>"),
    "Kernel-Version": text("status.nodeInfo.kernelVersion", "<unknown>"),
    "Container-Runtime": text("status.nodeInfo.containerRuntimeVersion", "<unknown>"),
  },
  PersistentVolumeClaim: {
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Volume: text("spec.volumeName"),
    Capacity: (object) =>
      readField(object, "spec.volumeName") ? text("status.capacity.storage")(object) : "",
    "Access Modes": (object) => (readField(object, "spec.volumeName") ? accessModes(object, "status") : ""),
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
  PersistentVolume: {
    Capacity: text("spec.capacity.storage"),
    "Access Modes": (object) => accessModes(object, "spec"),
    "Reclaim Policy": text("spec.persistentVolumeReclaimPolicy"),
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Claim: (object) => {
      const claim = readField<{ namespace: string; name: string }>(object, "spec.claimRef");
      return claim ? `${claim.namespace}/${claim.name}` : "";
    },
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    Reason: text("status.reason"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
  ServiceAccount: {},
  Event: {
    "Last Seen": (object, now) =>
      ageOf(
        readField<string>(object, "series.lastObservedTime") ??
          readField<string>(object, "lastTimestamp") ??
          readField<string>(object, "deprecatedLastTimestamp") ??
          readField<string>(object, "eventTime"),
        now,
      ),
    Type: text("type"),
    Reason: text("reason"),
    Object: (object) => {
      const about =
        readField<{ kind?: string; name?: string }>(object, "involvedObject") ??
        readField<{ kind?: string; name?: string }>(object, "regarding");
      return `${(about?.kind ?? "").toLowerCase()}/${about?.name ?? ""}`;
    },
    Subobject: (object) => text("involvedObject.fieldPath")(object) || text("regarding.fieldPath")(object),
    Source: eventSource,
    Message: (object) => (text("message")(object) || text("note")(object)).trim(),
    "First Seen": (object, now) =>
      ageOf(readField<string>(object, "firstTimestamp") ?? readField<string>(object, "eventTime"), now),
    Count: (object) =>
      count("series.count")(object) || count("count")(object) || count("deprecatedCount")(object) || 1,
  },
  ResourceQuota: { Request: quota(false), Limit: quota(true) },
};

/** Who said it, and where; the two groups call it by different names. */
function eventSource(object: object): string {
  const first = (...paths: string[]): string => paths.map((path) => text(path)(object)).find(Boolean) ?? "";
  const component = first(
    "source.component",
    "deprecatedSource.component",
    "reportingComponent",
    "reportingController",
  );
  const instance = first("source.host", "deprecatedSource.host", "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}

/** What is used of what there is: `pods: 1/3`. */
function quota(limits: boolean): CellReader {
  return (object) => {
    const hard = readField<Record<string, string>>(object, "status.hard") ?? {};
    const used = readField<Record<string, string>>(object, "status.used") ?? {};
    return Object.keys(hard)
      .filter((name) => name.startsWith("limits.") === limits)
      .toSorted()
      .map((name) => `${name}: ${used[name] ?? 0}/${hard[name]}`)
      .join(", ");
  };
}

function endpoints(object: object): string {
  const subsets =
    readField<Array<{ addresses?: Array<{ ip: string }>; ports?: Port[] }>>(object, "subsets") ?? [];
  const all = subsets.flatMap(({ addresses = [], ports: list = [] }) =>
    addresses.flatMap(({ ip }) => (list.length === 0 ? [ip] : list.map(({ port }) => `${ip}:${port}`))),
  );
  if (all.length === 0) return "<none>";
  return all.length > 3 ? `${all.slice(0, 3).join(",")} + ${all.length - 3} more...` : all.join(",");
}

function externalIP(object: object): string {
  const type = readField<string>(object, "spec.type");
  if (type === "ExternalName") return text("spec.externalName")(object);
  const external = readField<string[]>(object, "spec.externalIPs") ?? [];
  if (type !== "LoadBalancer") return external.length > 0 ? external.join(",") : "<none>";
  const ingress =
    readField<Array<{ ip?: string; hostname?: string }>>(object, "status.loadBalancer.ingress") ?? [];
  const found = [...ingress.map(({ ip, hostname }) => ip ?? hostname ?? ""), ...external];
  return found.length > 0 ? found.join(",") : "<pending>";
}

function ports(object: object): string {
  const list = readField<Port[]>(object, "spec.ports") ?? [];
  if (list.length === 0) return "<none>";
  return list
    .map(({ port, nodePort, protocol = "TCP" }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`)
    .join(",");
}

function nodeStatus(object: object): string {
  const conditions = readField<Array<{ type: string; status: string }>>(object, "status.conditions") ?? [];
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
    const addresses = readField<Array<{ type: string; address: string }>>(object, "status.addresses") ?? [];
    return addresses.find(({ type }) => type === wanted)?.address ?? "<none>";
  };
}

const modes: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

function accessModes(object: object, part: string): string {
  const list = readField<string[]>(object, `${part}.accessModes`) ?? [];
  return Object.keys(modes)
    .filter((mode) => list.includes(mode))
    .map((mode) => modes[mode])
    .join(",");
}
