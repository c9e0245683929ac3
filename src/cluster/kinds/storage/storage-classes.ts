import { duplicate, forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { TopologySelectorTerm } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { StorageClass as V1 } from "@tsbuilder/apimachinery/k8s/storage/v1";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import type { Problems } from "../checks/problems.ts";
import { optionalChoice, declaredImmutable, refused, itemsOf, duplicates } from "../checks/problems.ts";
import { addFinalizer } from "../fill-in.ts";

export const storageClass: BuiltInKind = {
  resource: "storageclasses.storage.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    returnsDeleted: true,
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object, old) => [...classProblems(object), ...classChanges(object, old)],
  },
  cells: {
    Name: (object) => {
      const annotations = readField<Record<string, string>>(object, "metadata.annotations") ?? {};
      const isDefault = annotations["storageclass.kubernetes.io/is-default-class"] === "true";
      return `${text("metadata.name")(object)}${isDefault ? " (default)" : ""}`;
    },
    Provisioner: text("provisioner"),
    ReclaimPolicy: (object) => readField<string>(object, "reclaimPolicy") ?? "Delete",
    VolumeBindingMode: (object) => readField<string>(object, "volumeBindingMode") ?? "Immediate",
    AllowVolumeExpansion: (object) => readField<boolean>(object, "allowVolumeExpansion") ?? false,
  },
};

type StorageClass = ApiObject & Sent<Omit<V1, "metadata" | "apiVersion" | "kind">>;

function* classProblems(object: StorageClass): Problems {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
  yield* classDriverProblems("provisioner", provisioner);
  yield* classParameterProblems(parameters);
  if (reclaimPolicy) yield* optionalChoice("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]);
  yield* optionalChoice("volumeBindingMode", volumeBindingMode, "storage/v1.StorageClass");
  yield* topologyProblems("allowedTopologies", allowedTopologies);
}

function* classChanges(object: StorageClass, old: StorageClass): Problems {
  if (!isEqual(object.parameters ?? {}, old.parameters ?? {})) {
    yield* declaredImmutable("parameters", object.parameters, old.parameters);
  }
  for (const field of ["provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
    yield* declaredImmutable(field, object[field], old[field]);
  }
}

function* topologyProblems(field: string, terms: readonly Sent<TopologySelectorTerm>[]): Problems {
  const seen: object[] = [];
  for (const [index, term] of terms.entries()) {
    const at = `${field}[${index}].matchLabelExpressions`;
    const values = new Map<string, string[]>();
    for (const [each, { key = "", values: list = [] }] of itemsOf(at, term.matchLabelExpressions)) {
      if (list.length === 0) yield required(`${each}.values`);
      yield* duplicates(`${each}.values`, list);
      yield* refused(`${each}.key`, key, checkQualifiedName(key));
      if (values.has(key)) yield duplicate(`${each}.key`, key);
      values.set(key, [...new Set(list)].toSorted());
    }
    // The server allocates an empty entry for every term in advance, so that an empty term equals them all.
    const same = values.size === 0 ? terms.length : 0;
    const shown = Object.fromEntries(values);
    const again = seen.filter((other) => isEqual(other, shown)).length;
    for (let count = 0; count < same + again; count++) yield duplicate(at, "");
    seen.push(shown);
  }
}

export const volumeAttributesClass: BuiltInKind = {
  resource: "volumeattributesclasses.storage.k8s.io",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    returnsDeleted: true,
    prepareForCreate: (object) => addFinalizer(object, "kubernetes.io/vac-protection"),
    validate: (object) => [...attributesProblems(object)],
    validateUpdate: (object, old) => [...attributesChanges(object, old), ...attributesProblems(object)],
  },
  cells: { DriverName: text("driverName") },
};

type VolumeAttributesClass = ApiObject & {
  driverName?: string;
  parameters?: Readonly<Record<string, string>>;
};

function* attributesProblems({ driverName, parameters = {} }: VolumeAttributesClass): Problems {
  yield* classDriverProblems("driverName", driverName);
  yield* classParameterProblems(parameters);
  if (Object.keys(parameters).length === 0) {
    yield required("parameters", "must contain at least one key/value pair");
  }
}

function* attributesChanges(object: VolumeAttributesClass, old: VolumeAttributesClass): Problems {
  for (const field of ["driverName", "parameters"] as const) {
    if (!isEqual(object[field], old[field])) yield forbidden(field, `updates to ${field} are forbidden.`);
  }
}

/** Validates the name of the driver that a class uses. */
function* classDriverProblems(field: string, driver = ""): Problems {
  if (driver === "") yield required(field);
  else yield* refused(field, driver.toLowerCase(), checkQualifiedName(driver.toLowerCase()));
}

const mostParameters = 512;
const largestParameters = 256 * 1024;

/** Validates the parameters that a class passes to its driver. */
function* classParameterProblems(parameters: Readonly<Record<string, string>> = {}): Problems {
  const entries = Object.entries(parameters);
  if (entries.length > mostParameters) return yield tooLong("parameters", mostParameters);
  if (Object.hasOwn(parameters, "")) yield invalid("parameters", "", "field can not be empty.");
  if (countBytes(parameters) > largestParameters) yield tooLong("parameters", largestParameters);
}

/** Counts the bytes of all keys and values. */
export function countBytes(map: Readonly<Record<string, string>>): number {
  return Object.entries(map).reduce((sum, pair) => sum + Buffer.byteLength(pair.join("")), 0);
}
