import { findController } from "@tsbuilder/apimachinery/meta";
import { invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import { nonNegative, type Problems } from "../checks/problems.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { count } from "../cells.ts";

export const controllerRevision: BuiltInKind = {
  resource: "controllerrevisions.apps",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    validate: (object) => [...revisionProblems(object), ...dataProblems(object)],
    validateUpdate: (object, old) => [...revisionProblems(object), ...dataChanges(object, old)],
  },
  cells: {
    Controller: (object) => {
      const owner = findController(object);
      if (!owner) return "<none>";
      const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.split("/")[0]}` : "";
      return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
    },
    Revision: count("revision"),
  },
  zeroValues: { data: null },
};

function revisionProblems({ revision }: ApiObject): Problems {
  return nonNegative("revision", revision as number | undefined);
}

function* dataProblems({ data = null }: ApiObject): Problems {
  if (data === null) yield required("data", "data is mandatory");
  else if (!isObject(data)) yield required("data", "data must be a valid JSON object");
}

function* dataChanges({ data = null }: ApiObject, old: ApiObject): Problems {
  if (!isEqual(data, old["data"] ?? null)) yield invalidStruct("data", data as object, "field is immutable");
}
