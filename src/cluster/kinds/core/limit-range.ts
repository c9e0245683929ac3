import { randomUUID } from "node:crypto";
import type { LimitRangeItem } from "@tsbuilder/apimachinery/k8s/core/v1";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { compareQuantities, quantityToNumber } from "@tsbuilder/apimachinery/quantity";
import type { BuiltInKind } from "../built-in-kind.ts";
import { type Fields, eachOf, emptyAsNull } from "../fill-in.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { type Problems, itemsOf, refused, unique } from "../checks/problems.ts";
import { containerResourceNameProblems, isHugePages, isNative, resourceNameProblems } from "./resources.ts";

export const limitRange: BuiltInKind = {
  resource: "limitranges",
  metadataChecks: { update: ["new"] },
  strategy: {
    prepareForCreate(object) {
      object.metadata.name ||= randomUUID();
      emptyAsNull(object["spec"], "limits");
    },
    prepareForUpdate: (object) => emptyAsNull(object["spec"], "limits"),
    default: (object) => eachOf(object["spec"], "limits").forEach(defaultLimits),
    validate: (object) => [...limitRangeProblems(object)],
    validateUpdate: (object) => [...limitRangeProblems(object)],
  },
};

type Limits = Sent<LimitRangeItem>;

function* limitRangeProblems(object: ApiObject): Problems {
  const { limits } = (object["spec"] ?? {}) as { limits?: Limits[] | null };
  const uniqueType = unique();
  for (const [field, each] of itemsOf("spec.limits", limits)) {
    const { type = "" } = each;
    yield* typeProblems(`${field}.type`, type);
    yield* uniqueType(`${field}.type`, type);
    yield* limitNameProblems(field, each);
    yield* orderProblems(field, each);
  }
}

const standardTypes = ["Container", "PersistentVolumeClaim", "Pod"];

function* typeProblems(field: string, type: string): Problems {
  const reasons = checkQualifiedName(type);
  yield* refused(field, type, reasons);
  if (reasons.length > 0 || type.includes("/") || standardTypes.includes(type)) return;
  yield invalid(field, type, "must be a standard limit type or fully qualified");
}

const limitFields = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;

/** Validates the names of resources. A pod has no defaults; a claim with a ratio needs a limit of its storage. */
function* limitNameProblems(field: string, limits: Limits): Problems {
  const check =
    limits.type === "Pod" || limits.type === "Container"
      ? containerResourceNameProblems
      : resourceNameProblems;
  for (const list of limitFields) {
    const amounts = Object.keys(limits[list] ?? {});
    if (limits.type === "Pod" && (list === "default" || list === "defaultRequest")) {
      if (amounts.length > 0)
        yield forbidden(`${field}.${list}`, "may not be specified when `type` is 'Pod'");
      continue;
    }
    if (list === "maxLimitRequestRatio" && limits.type === "PersistentVolumeClaim" && !hasStorage(limits)) {
      const detail = "either minimum or maximum storage value is required, but neither was provided";
      yield required(`${field}.limits`, detail);
    }
    for (const name of amounts) yield* check(`${field}.${list}[${name}]`, name);
  }
}

function hasStorage({ min, max }: Limits): boolean {
  return min?.["storage"] !== undefined || max?.["storage"] !== undefined;
}

/** Checks that min ≤ defaultRequest ≤ default ≤ max for each resource, and that min and max allow the ratio. */
function* orderProblems(field: string, limits: Limits): Problems {
  const defaults = limits.type === "Pod" ? {} : limits;
  const all = limitFields.flatMap((list) => Object.keys(limits[list] ?? {}));
  for (const name of new Set(all)) {
    const [min, max] = [limits.min?.[name], limits.max?.[name]];
    const [limit, request] = [defaults.default?.[name], defaults.defaultRequest?.[name]];
    const at = (list: (typeof limitFields)[number]): string => `${field}.${list}[${name}]`;
    yield* exceedingProblems(at("min"), ["min", min], ["max", max], min);
    yield* exceedingProblems(at("defaultRequest"), ["min", min], ["default request", request], request);
    yield* exceedingProblems(at("defaultRequest"), ["default request", request], ["max", max], request);
    yield* exceedingProblems(
      at("defaultRequest"),
      ["default request", request],
      ["default limit", limit],
      request,
    );
    yield* exceedingProblems(at("default"), ["min", min], ["default", limit], min);
    yield* exceedingProblems(at("default"), ["default", limit], ["max", max], max);
    yield* ratioProblems(at("maxLimitRequestRatio"), limits.maxLimitRequestRatio?.[name], min, max);
    const mayDiffer = isNative(name) && !isHugePages(name);
    if (mayDiffer || limit === undefined || request === undefined) continue;
    if (compareQuantities(limit, request) === 0) continue;
    const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
    yield invalid(at("defaultRequest"), request, detail);
  }
}

type NamedQuantity = readonly [name: string, quantity: Quantity | undefined];

function* exceedingProblems(
  field: string,
  [lowerName, lower]: NamedQuantity,
  [upperName, upper]: NamedQuantity,
  shown: Quantity | undefined,
): Problems {
  if (lower === undefined || upper === undefined || compareQuantities(lower, upper) <= 0) return;
  yield invalid(field, shown, `${lowerName} value ${lower} is greater than ${upperName} value ${upper}`);
}

function* ratioProblems(
  field: string,
  most: Quantity | undefined,
  min: Quantity | undefined,
  max: Quantity | undefined,
): Problems {
  if (most === undefined) return;
  if (compareQuantities(most, "1") < 0) yield invalid(field, most, `ratio ${most} is less than 1`);
  if (min === undefined || max === undefined) return;
  const limit = quantityToNumber(max) / quantityToNumber(min);
  if (quantityToNumber(most) <= limit || Number.isNaN(limit)) return;
  yield invalid(field, most, `ratio ${most} is greater than max/min = ${limit.toFixed(6)}`);
}

/** `default` defaults to `max`, and `defaultRequest` to `default` or else `min`. */
function defaultLimits(limits: Fields): void {
  if (limits["type"] !== "Container") return;
  const { max = {}, min = {} } = limits as { max?: Fields; min?: Fields };
  const all = { ...max, ...(limits["default"] as Fields) };
  const requests = { ...min, ...all, ...(limits["defaultRequest"] as Fields) };
  if (Object.keys(all).length > 0) limits["default"] = all;
  if (Object.keys(requests).length > 0) limits["defaultRequest"] = requests;
}
