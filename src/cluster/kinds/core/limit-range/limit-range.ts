import { randomUUID } from "node:crypto";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { type Fields, eachOf, emptyAsNull } from "../../fill-in.ts";
import { limitRangeProblems } from "./limits.ts";

const limitRangeStrategy: Partial<Strategy> = {
  prepareForCreate(object) {
    object.metadata.name ||= randomUUID();
    emptyAsNull(object["spec"], "limits");
  },
  prepareForUpdate: (object) => emptyAsNull(object["spec"], "limits"),
  default: (object) => eachOf(object["spec"], "limits").forEach(defaultLimits),
  validate: (object) => [...limitRangeProblems(object)],
  validateUpdate: (object) => [...limitRangeProblems(object)],
};

/** `default` defaults to `max`, and `defaultRequest` to `default` or else `min`. */
function defaultLimits(limits: Fields): void {
  if (limits["type"] !== "Container") return;
  const { max = {}, min = {} } = limits as { max?: Fields; min?: Fields };
  const all = { ...max, ...(limits["default"] as Fields) };
  const requests = { ...min, ...all, ...(limits["defaultRequest"] as Fields) };
  if (Object.keys(all).length > 0) limits["default"] = all;
  if (Object.keys(requests).length > 0) limits["defaultRequest"] = requests;
}

export const limitRange: BuiltInKind = {
  resource: "limitranges",
  metadataChecks: "new/new/update",
  strategy: limitRangeStrategy,
  emptyObject: { spec: { limits: null } },
};
