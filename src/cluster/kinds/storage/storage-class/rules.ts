import { duplicate, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { TopologySelectorTerm } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { StorageClass as V1 } from "@tsbuilder/apimachinery/k8s/storage/v1";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import { immutable, optionalChoice, type Problems, refused } from "../../checks/problems.ts";
import { classParameters, driverOfClass } from "../class-rules.ts";

export type StorageClass = ApiObject & Sent<Omit<V1, "metadata" | "apiVersion" | "kind">>;

export function* classProblems(object: StorageClass): Problems {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies = [] } = object;
  yield* driverOfClass("provisioner", provisioner);
  yield* classParameters(parameters);
  if (reclaimPolicy) yield* optionalChoice("reclaimPolicy", reclaimPolicy, ["Delete", "Retain"]);
  if (volumeBindingMode !== "Immediate" && volumeBindingMode !== "WaitForFirstConsumer") {
    yield notSupported("volumeBindingMode", volumeBindingMode, ["Immediate", "WaitForFirstConsumer"]);
  }
  yield* topologies("allowedTopologies", allowedTopologies);
}

export function* classChanges(object: StorageClass, old: StorageClass): Problems {
  if (!isEqual(object.parameters ?? {}, old.parameters ?? {})) {
    yield* immutable("parameters", object.parameters, old.parameters);
  }
  for (const field of ["provisioner", "reclaimPolicy", "volumeBindingMode"] as const) {
    yield* immutable(field, object[field], old[field]);
  }
}

function* topologies(field: string, terms: readonly Sent<TopologySelectorTerm>[]): Problems {
  const seen: object[] = [];
  for (const [index, term] of terms.entries()) {
    const at = `${field}[${index}].matchLabelExpressions`;
    const values = new Map<string, string[]>();
    for (const [position, { key = "", values: list = [] }] of (term.matchLabelExpressions ?? []).entries()) {
      const each = `${at}[${position}]`;
      if (list.length === 0) yield required(`${each}.values`);
      for (const [place, value] of list.entries()) {
        if (list.indexOf(value) < place) yield duplicate(`${each}.values[${place}]`, value);
      }
      yield* refused(`${each}.key`, key, checkQualifiedName(key));
      if (values.has(key)) yield duplicate(`${each}.key`, key);
      values.set(key, [...new Set(list)].toSorted());
    }
    // The server compares a term without expressions with an empty place for every term, too.
    const same = values.size === 0 ? terms.length : 0;
    const shown = Object.fromEntries(values);
    const again = seen.filter((other) => isEqual(other, shown)).length;
    for (let count = 0; count < same + again; count++) yield duplicate(at, "");
    seen.push(shown);
  }
}
