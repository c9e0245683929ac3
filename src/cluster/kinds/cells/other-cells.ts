import { formatSelector } from "./format-selector.ts";
import { count, readField, size, text } from "./read-field.ts";
import type { CellReader } from "../../registry/table-columns.ts";

type Cells = Readonly<Record<string, Readonly<Record<string, CellReader>>>>;

interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

function subjects(kind: string): CellReader {
  return (object) =>
    (readField<Subject[]>(object, "subjects") ?? [])
      .filter((subject) => subject.kind === kind)
      .map(({ name, namespace }) => (kind === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name))
      .join(", ");
}

const binding: Readonly<Record<string, CellReader>> = {
  Role: (object) => `${text("roleRef.kind")(object)}/${text("roleRef.name")(object)}`,
  Users: subjects("User"),
  Groups: subjects("Group"),
  ServiceAccounts: subjects("ServiceAccount"),
};

/** The cells of all remaining kinds. */
export const otherCells: Cells = {
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  MutatingWebhookConfiguration: { Webhooks: size("webhooks") },
  ValidatingWebhookConfiguration: { Webhooks: size("webhooks") },
  ValidatingAdmissionPolicy: { Validations: size("spec.validations"), ParamKind: paramKind },
  MutatingAdmissionPolicy: { Mutations: size("spec.mutations"), ParamKind: paramKind },
  ValidatingAdmissionPolicyBinding: { PolicyName: text("spec.policyName"), ParamRef: paramRef },
  MutatingAdmissionPolicyBinding: { PolicyName: text("spec.policyName"), ParamRef: paramRef },
  Lease: { Holder: text("spec.holderIdentity") },
  PodDisruptionBudget: {
    "Min Available": text("spec.minAvailable", "N/A"),
    "Max Unavailable": text("spec.maxUnavailable", "N/A"),
    "Allowed Disruptions": count("status.disruptionsAllowed"),
  },
  Ingress: {
    Class: text("spec.ingressClassName", "<none>"),
    Hosts: hosts,
    Address: addresses,
    Ports: ingressPorts,
  },
  IngressClass: {
    Controller: text("spec.controller"),
    Parameters: (object) => {
      const parameters = readField<{ apiGroup?: string; kind: string; name: string }>(
        object,
        "spec.parameters",
      );
      if (!parameters) return "<none>";
      const { apiGroup, kind, name } = parameters;
      return `${kind}${apiGroup ? `.${apiGroup}` : ""}/${name}`;
    },
  },
  NetworkPolicy: { "Pod-Selector": (object) => formatSelector(readField(object, "spec.podSelector")) },
  EndpointSlice: {
    AddressType: text("addressType"),
    Ports: (object) =>
      listOr(
        readField<Array<{ port?: number }>>(object, "ports"),
        ({ port }) => String(port ?? "*"),
        "<unset>",
      ),
    Endpoints: (object) =>
      listOr(
        readField<Array<{ addresses: string[] }>>(object, "endpoints"),
        (each) => each.addresses.join(","),
        "<unset>",
      ),
  },
  StorageClass: {
    Name: (object) => {
      const annotations = readField<Record<string, string>>(object, "metadata.annotations") ?? {};
      const isDefault = annotations["storageclass.kubernetes.io/is-default-class"] === "true";
      return `${text("metadata.name")(object)}${isDefault ? " (default)" : ""}`;
    },
    Provisioner: text("provisioner"),
    ReclaimPolicy: text("reclaimPolicy"),
    VolumeBindingMode: text("volumeBindingMode"),
    AllowVolumeExpansion: (object) => readField<boolean>(object, "allowVolumeExpansion") ?? false,
  },
  PriorityClass: {
    Value: count("value"),
    "Global-Default": (object) => readField<boolean>(object, "globalDefault") ?? false,
    PreemptionPolicy: text("preemptionPolicy"),
  },
  RuntimeClass: { Handler: text("handler") },
  CertificateSigningRequest: {
    SignerName: text("spec.signerName", "<none>"),
    Requestor: text("spec.username"),
    RequestedDuration: (object) => {
      const seconds = readField<number>(object, "spec.expirationSeconds");
      return seconds === undefined ? "<none>" : `${seconds}s`;
    },
    Condition: requestCondition,
  },
  APIService: {
    Service: (object) => {
      const service = readField<{ namespace: string; name: string }>(object, "spec.service");
      return service ? `${service.namespace}/${service.name}` : "Local";
    },
    Available: (object) => {
      const conditions =
        readField<Array<{ type: string; status: string; reason?: string }>>(object, "status.conditions") ??
        [];
      const available = conditions.find(({ type }) => type === "Available");
      if (!available || available.status === "True") return available?.status ?? "Unknown";
      return available.reason ? `${available.status} (${available.reason})` : available.status;
    },
  },
  FlowSchema: {
    PriorityLevel: text("spec.priorityLevelConfiguration.name"),
    MatchingPrecedence: count("spec.matchingPrecedence"),
    DistinguisherMethod: text("spec.distinguisherMethod.type", "<none>"),
    MissingPL: (object) => {
      const conditions =
        readField<Array<{ type: string; status: string }>>(object, "status.conditions") ?? [];
      return conditions.find(({ type }) => type === "Dangling")?.status ?? "?";
    },
  },
  PriorityLevelConfiguration: {
    Type: text("spec.type"),
    NominalConcurrencyShares: numberOr("spec.limited.nominalConcurrencyShares"),
    Queues: numberOr("spec.limited.limitResponse.queuing.queues"),
    HandSize: numberOr("spec.limited.limitResponse.queuing.handSize"),
    QueueLengthLimit: numberOr("spec.limited.limitResponse.queuing.queueLengthLimit"),
  },
  IPAddress: {
    ParentRef: (object) =>
      `${text("spec.parentRef.resource")(object)}/${text("spec.parentRef.namespace")(object)}/${text("spec.parentRef.name")(object)}`,
  },
  ServiceCIDR: { CIDRs: (object) => (readField<string[]>(object, "spec.cidrs") ?? []).join(",") },
  CSIDriver: {
    AttachRequired: (object) => readField<boolean>(object, "spec.attachRequired") ?? true,
    PodInfoOnMount: (object) => readField<boolean>(object, "spec.podInfoOnMount") ?? false,
    StorageCapacity: (object) => readField<boolean>(object, "spec.storageCapacity") ?? false,
    TokenRequests: text("spec.tokenRequests", "<unset>"),
    RequiresRepublish: (object) => readField<boolean>(object, "spec.requiresRepublish") ?? false,
    Modes: (object) => (readField<string[]>(object, "spec.volumeLifecycleModes") ?? []).join(","),
  },
  CSINode: { Drivers: size("spec.drivers") },
  VolumeAttachment: {
    Attacher: text("spec.attacher"),
    PV: text("spec.source.persistentVolumeName"),
    Node: text("spec.nodeName"),
    Attached: (object) => readField<boolean>(object, "status.attached") ?? false,
  },
  VolumeAttributesClass: { DriverName: text("driverName") },
  ResourceClaim: { State: claimState },
  ResourceSlice: { Node: text("spec.nodeName"), Driver: text("spec.driver"), Pool: text("spec.pool.name") },
};

function numberOr(path: string): CellReader {
  return (object) => readField<number>(object, path) ?? "<none>";
}

function claimState(object: object): string {
  const allocated = readField(object, "status.allocation") !== undefined;
  const deleted = readField(object, "metadata.deletionTimestamp") !== undefined;
  const reserved = allocated && (readField<unknown[]>(object, "status.reservedFor") ?? []).length > 0;
  return [
    ...(deleted ? ["deleted"] : []),
    ...(allocated ? ["allocated"] : deleted ? [] : ["pending"]),
    ...(reserved ? ["reserved"] : []),
  ].join(",");
}

function paramKind(object: object): string {
  const kind = readField<{ apiVersion: string; kind: string }>(object, "spec.paramKind");
  return kind ? `${kind.apiVersion}/${kind.kind}` : "<unset>";
}

function paramRef(object: object): string {
  const reference = readField<{ namespace?: string; name?: string }>(object, "spec.paramRef");
  if (!reference) return "<unset>";
  return `${reference.namespace ? `${reference.namespace}/` : ""}${reference.name ?? ""}`;
}

function hosts(object: object): string {
  const rules = readField<Array<{ host?: string }>>(object, "spec.rules") ?? [];
  const named = rules.flatMap(({ host }) => (host ? [host] : []));
  if (named.length === 0) return "*";
  return named.length > 3 ? `${named.slice(0, 3).join(",")} + ${named.length - 3} more...` : named.join(",");
}

function addresses(object: object): string {
  const list =
    readField<Array<{ ip?: string; hostname?: string }>>(object, "status.loadBalancer.ingress") ?? [];
  return list.map(({ ip, hostname }) => ip ?? hostname ?? "").join(",");
}

function ingressPorts(object: object): string {
  return readField(object, "spec.tls") === undefined ? "80" : "80, 443";
}

function listOr<T>(list: readonly T[] | undefined, show: (item: T) => string, absent: string): string {
  if (!list || list.length === 0) return absent;
  const shown = list.map(show);
  return shown.length > 3 ? `${shown.slice(0, 3).join(",")} + ${shown.length - 3} more...` : shown.join(",");
}

function requestCondition(object: object): string {
  const conditions = readField<Array<{ type: string }>>(object, "status.conditions") ?? [];
  const has = (wanted: string) => conditions.some(({ type }) => type === wanted);
  const issued = readField(object, "status.certificate") !== undefined ? ",Issued" : "";
  if (has("Denied")) return `Denied${issued}`;
  if (has("Approved")) return `${has("Failed") ? "Approved,Failed" : "Approved"}${issued}`;
  return "Pending";
}
