import { isEqual } from "@tsbuilder/apimachinery/json";
import { duplicate, invalid, notSupported, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import type {
  CSIDriverSpec,
  CSINodeDriver,
  CSINodeSpec,
  TokenRequest,
} from "@tsbuilder/apimachinery/k8s/storage/v1";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, size } from "../cells.ts";
import { emptyAsNull } from "../fill-in.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { Problems } from "../checks/problems.ts";
import { optionalChoice, nonNegative, immutable, refused, itemsOf } from "../checks/problems.ts";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { driverNameProblems } from "../checks/names.ts";
import type { LabelSelector, Quantity } from "@tsbuilder/apimachinery/meta";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { selectorProblems } from "../checks/meta-types.ts";

type CSIDriver = ApiObject & { spec?: Sent<CSIDriverSpec> };

export const csiDriver: BuiltInKind = {
  resource: "csidrivers.storage.k8s.io",
  strategy: {
    returnsDeleted: true,
    default(object) {
      const { spec } = object as CSIDriver;
      if (spec && !spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
    },
    prepareForUpdate(object, old) {
      // As in the real server, a new CSIDriver has no generation; changes of its spec count from 1.
      if (isEqual(object["spec"], old["spec"])) return;
      object.metadata.generation = (old.metadata.generation ?? 0) + 1;
    },
    validate: (object) => [...driverProblems(object)],
    validateUpdate: (object, old) => [...driverProblems(object), ...driverChanges(object, old)],
    warnings: (object, old) => driverWarnings(object, old),
  },
  cells: {
    AttachRequired: (object) => readField<boolean>(object, "spec.attachRequired") ?? true,
    PodInfoOnMount: (object) => readField<boolean>(object, "spec.podInfoOnMount") ?? false,
    StorageCapacity: (object) => readField<boolean>(object, "spec.storageCapacity") ?? false,
    TokenRequests: (object) =>
      readField<Sent<TokenRequest>[]>(object, "spec.tokenRequests")
        ?.map(({ audience = "" }) => audience)
        .join(",") ?? "<unset>",
    RequiresRepublish: (object) => readField<boolean>(object, "spec.requiresRepublish") ?? false,
    Modes: (object) => readField<string[]>(object, "spec.volumeLifecycleModes")?.join(",") || "<none>",
  },
};

const shortestUpdatePeriod = 10;

function* driverProblems({ spec = {} }: CSIDriver): Problems {
  const policies = ["File", "None", "ReadWriteOnceWithFSType"];
  yield* optionalChoice("spec.fsGroupPolicy", spec.fsGroupPolicy, policies);
  yield* tokenProblems("spec.tokenRequests", spec);
  for (const mode of spec.volumeLifecycleModes ?? []) {
    if (mode === "Persistent" || mode === "Ephemeral") continue;
    yield notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
  }
  const { nodeAllocatableUpdatePeriodSeconds: period, serviceAccountTokenInSecrets: inSecrets } = spec;
  if (period !== undefined && period < shortestUpdatePeriod) {
    const field = "spec.nodeAllocatableUpdatePeriodSeconds";
    yield invalid(field, period, `must be greater than or equal to ${shortestUpdatePeriod} seconds`);
  }
  if (inSecrets !== undefined && !spec.tokenRequests?.length) {
    const detail = "serviceAccountTokenInSecrets is set but no tokenRequests are specified";
    yield invalid("spec.serviceAccountTokenInSecrets", inSecrets, detail);
  }
}

function* tokenProblems(field: string, { tokenRequests = [] }: Sent<CSIDriverSpec>): Problems {
  const audiences = tokenRequests.map(({ audience = "" }) => audience);
  for (const [at, { expirationSeconds: seconds }, index] of itemsOf(field, tokenRequests)) {
    const audience = audiences[index]!;
    if (audiences.indexOf(audience) < index) yield duplicate(`${at}.audience`, audience);
    else if (seconds !== undefined && seconds < 600) {
      yield invalid(`${at}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    } else if (seconds !== undefined && seconds > 2 ** 32) {
      const detail = "may not specify a duration larger than 2^32 seconds";
      yield invalid(`${at}.expirationSeconds`, seconds, detail);
    }
  }
}

/** The server reports attachRequired as `attachedRequired`. */
function* driverChanges({ spec = {} }: CSIDriver, { spec: old = {} }: CSIDriver): Problems {
  yield* immutable("spec.attachedRequired", spec.attachRequired, old.attachRequired);
  yield* immutable("spec.volumeLifecycleModes", spec.volumeLifecycleModes, old.volumeLifecycleModes);
}

function* driverWarnings({ spec = {} }: CSIDriver, old?: CSIDriver): Generator<string, void> {
  if (!spec.tokenRequests?.length || spec.serviceAccountTokenInSecrets !== undefined) return;
  if (old && isEqual(spec.tokenRequests, old.spec?.tokenRequests)) return;
  yield "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";
}

export const csiNode: BuiltInKind = {
  resource: "csinodes.storage.k8s.io",
  metadataChecks: { update: ["new"] },
  strategy: {
    returnsDeleted: true,
    prepareForCreate: (object) => emptyAsNull(object["spec"], "drivers"),
    prepareForUpdate: (object) => emptyAsNull(object["spec"], "drivers"),
    validate: (object) => [...nodeDriverProblems(object)],
    validateUpdate: (object, old) => [...nodeDriverProblems(object), ...nodeDriverChanges(object, old)],
  },
  cells: { Drivers: size("spec.drivers") },
};

type CSINode = ApiObject & { spec?: Sent<CSINodeSpec> };

const longestNodeID = 256;

function* nodeDriverProblems(object: CSINode): Problems {
  const names = driversOf(object).map(({ name = "" }) => name);
  for (const [field, driver, index] of itemsOf("spec.drivers", driversOf(object))) {
    const { name = "", nodeID = "", allocatable } = driver;
    const topologyKeys = driver.topologyKeys ?? [];
    yield* driverNameProblems(`${field}.name`, name);
    if (nodeID === "") yield required(`${field}.nodeID`);
    if (nodeID.length > longestNodeID) {
      yield invalid(`${field}.nodeID`, nodeID, `must be ${longestNodeID} characters or less`);
    }
    yield* nonNegative(`${field}.allocatable.count`, allocatable?.count);
    if (names.indexOf(name) < index) yield duplicate(`${field}.name`, name);
    for (const [position, key] of topologyKeys.entries()) {
      if (key === "") yield required(field);
      if (topologyKeys.indexOf(key) < position) yield duplicate(field, key);
      yield* refused(field, key, checkQualifiedName(key));
    }
  }
}

const driversOf = ({ spec }: CSINode): Sent<CSINodeDriver>[] => spec?.drivers ?? [];

/** Only `allocatable` of a driver may change; the message shows the driver as a Go struct. */
function* nodeDriverChanges(object: CSINode, old: CSINode): Problems {
  for (const before of driversOf(old).map(structOf)) {
    for (const now of driversOf(object).map(structOf)) {
      if (now.Name !== before.Name || isEqual(now, before)) continue;
      yield invalidStruct("spec.drivers", now, "field is immutable");
    }
  }
}

function structOf({ name = "", nodeID = "", topologyKeys }: Sent<CSINodeDriver>) {
  return { Name: name, NodeID: nodeID, TopologyKeys: topologyKeys ?? null, Allocatable: null };
}

export const csiStorageCapacity: BuiltInKind = {
  resource: "csistoragecapacities.storage.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    validate: (object) => [...capacityProblems(object)],
    validateUpdate: (object, old) => [...capacityProblems(object), ...capacityChanges(object, old)],
  },
};

type Capacity = ApiObject & { nodeTopology?: LabelSelector; storageClassName?: string; capacity?: Quantity };

function* capacityProblems({ nodeTopology, storageClassName = "", capacity }: Capacity): Problems {
  yield* selectorProblems("nodeTopology", nodeTopology);
  yield* refused("storageClassName", storageClassName, checkSubdomain(storageClassName));
  if (capacity !== undefined && compareQuantities(capacity, "0") < 0) {
    yield invalid("capacity", capacity, "must be greater than or equal to 0");
  }
}

/** The topology and the class whose capacity is reported can't change. */
function* capacityChanges(object: Capacity, old: Capacity): Problems {
  if (!isEqual(object.nodeTopology, old.nodeTopology)) {
    yield invalidStruct("nodeTopology", topologyStruct(object.nodeTopology), "field is immutable");
  }
  yield* immutable("storageClassName", object.storageClassName ?? "", old.storageClassName ?? "");
}

function topologyStruct(topology: LabelSelector | undefined): object {
  if (!topology) return null as unknown as object;
  const { matchLabels, matchExpressions } = topology;
  return { ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) };
}
