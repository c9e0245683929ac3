import { duplicate, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { CSINodeDriver, CSINodeSpec } from "@tsbuilder/apimachinery/k8s/storage/v1";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Sent } from "../../contract/sent.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { size } from "../cells.ts";
import { nonNegative, type Problems, refused } from "../checks/problems.ts";
import { emptyAsNull, fillIn } from "../fill-in.ts";
import { driverNameProblems } from "../checks/names.ts";

export const csiNode: BuiltInKind = {
  resource: "csinodes.storage.k8s.io",
  metadataChecks: { update: ["new"] },
  strategy: {
    returnsDeleted: true,
    default: (object) => fillIn(object["spec"], () => ({ drivers: null })),
    prepareForCreate: (object) => emptyAsNull(object["spec"], "drivers"),
    prepareForUpdate: (object) => emptyAsNull(object["spec"], "drivers"),
    validate: (object) => [...driverProblems(object)],
    validateUpdate: (object, old) => [...driverProblems(object), ...driverChanges(object, old)],
  },
  cells: { Drivers: size("spec.drivers") },
  emptyObject: { spec: { drivers: null } },
};

type CSINode = ApiObject & { spec?: Sent<CSINodeSpec> };

const longestNodeID = 256;

function* driverProblems(object: CSINode): Problems {
  const names = driversOf(object).map(({ name = "" }) => name);
  for (const [index, driver] of driversOf(object).entries()) {
    const field = `spec.drivers[${index}]`;
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

/** A driver that stays keeps all but what can be allocated; the message shows it as a Go struct. */
function* driverChanges(object: CSINode, old: CSINode): Problems {
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
