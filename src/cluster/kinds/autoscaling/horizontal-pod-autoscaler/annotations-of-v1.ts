import { isObject } from "@tsbuilder/apimachinery/json";
import { type BuiltinSchema, DecodeError, decodeBuiltIn } from "@tsbuilder/apimachinery/kinds";
import { goStruct } from "@tsbuilder/apimachinery/text";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { OtherFields } from "./autoscaler.ts";
import { type Aim, type Metric, metricsSchema, metricToV1, metricToV2 } from "./metrics-of-v1.ts";

type Members = Readonly<Record<string, unknown>>;
type Behavior = NonNullable<OtherFields["behavior"]>;
type Annotations = Readonly<Record<string, string>>;

const inDomain = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;

/** The annotations by which version 1 shows them. */
const names = {
  metrics: inDomain("metrics"),
  behavior: inDomain("behavior"),
  currentMetrics: inDomain("current-metrics"),
  conditions: inDomain("conditions"),
};

const namesOfStatus = [names.currentMetrics, names.conditions];
const reserved = [...Object.values(names), inDomain("scale-down-tolerance"), inDomain("scale-up-tolerance")];

/** Annotations without those that stand for fields. */
export function ownAnnotations(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !reserved.includes(name)));
}

/** Restores the annotations that stand for fields of the spec, or of the status, from the stored object. */
export function keepAnnotations(
  object: ApiObject,
  old: ApiObject | undefined,
  part: "spec" | "status",
): void {
  const kept = Object.values(names).filter((name) => namesOfStatus.includes(name) === (part === "status"));
  const { annotations: stored = {} } = old?.metadata ?? {};
  const { annotations: sent = {}, ...metadata } = object.metadata;
  if (!kept.some((name) => sent[name] !== stored[name])) return;
  const annotations = Object.fromEntries([
    ...Object.entries(sent).filter(([name]) => !kept.includes(name)),
    ...Object.entries(stored).filter(([name]) => kept.includes(name)),
  ]);
  object.metadata = { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

/** The annotations that stand for fields, in Go's JSON. */
export function writeAnnotations({
  metrics,
  behavior,
  currentMetrics,
  conditions,
}: OtherFields): Annotations {
  return {
    ...listIn(
      names.metrics,
      metrics?.map((metric) => metricToV1(metric, "target")),
    ),
    ...(behavior && { [names.behavior]: goStruct(inInternalNames(behavior)) }),
    ...listIn(
      names.currentMetrics,
      currentMetrics?.map((metric) => metricToV1(metric, "current")),
    ),
    ...listIn(names.conditions, conditions?.map(inOrder)),
  };
}

function listIn(name: string, list: readonly object[] | undefined): Annotations {
  return list === undefined || list.length === 0 ? {} : { [name]: goStruct(list) };
}

/** Go writes the behavior with the names of a type that has no JSON names. */
function inInternalNames({ scaleUp, scaleDown }: Behavior): object {
  return { ScaleUp: rules(scaleUp), ScaleDown: rules(scaleDown) };
}

function rules(scaling: Behavior["scaleUp"]): object | null {
  if (!scaling) return null;
  const { stabilizationWindowSeconds = null, selectPolicy = null, policies, tolerance = null } = scaling;
  return {
    StabilizationWindowSeconds: stabilizationWindowSeconds,
    SelectPolicy: selectPolicy,
    Policies:
      policies?.map(({ type = "", value = 0, periodSeconds = 0 }) => {
        return { Type: type, Value: value, PeriodSeconds: periodSeconds };
      }) ?? null,
    Tolerance: tolerance,
  };
}

function inOrder({ type, status, lastTransitionTime = null, reason, message }: Members): object {
  return { type, status, lastTransitionTime, reason: reason || undefined, message: message || undefined };
}

/** Reads the fields from annotations, which a client may have written: what is not valid counts as absent. */
export function readAnnotations(annotations: Annotations): OtherFields {
  const read = (name: string, schema: BuiltinSchema) => decode(parse(annotations[name]), schema);
  const readMetrics = (name: string, aim: Aim) => {
    const metrics = read(name, metricsSchema(aim)) as readonly Metric[] | undefined;
    return metrics?.map((metric) => metricToV2(metric, aim));
  };
  const behavior = decode(inPublicNames(parse(annotations[names.behavior])), behaviorSchema) as
    | Behavior
    | undefined;
  const conditions = read(names.conditions, conditionsSchema) as readonly Members[] | undefined;
  return {
    metrics: readMetrics(names.metrics, "target"),
    behavior: behavior?.scaleUp || behavior?.scaleDown ? behavior : undefined,
    currentMetrics: readMetrics(names.currentMetrics, "current"),
    conditions: conditions?.map((each) => ({ type: "", status: "", lastTransitionTime: null, ...each })),
  };
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return undefined;
  }
}

function decode(value: unknown, schema: BuiltinSchema): unknown {
  if (value === undefined || value === null) return undefined;
  try {
    const root: BuiltinSchema = { type: "object", properties: { value: schema }, required: ["value"] };
    return decodeBuiltIn({ value }, root).object["value"];
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Go finds fields by their names in any case. */
function inPublicNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inPublicNames);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, child]) => {
    return [`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`, inPublicNames(child)] as const;
  });
  return Object.fromEntries(entries);
}

const text: BuiltinSchema = { type: "string" };
const integer: BuiltinSchema = { type: "integer", format: "int32" };
const struct = (properties: Record<string, BuiltinSchema>): BuiltinSchema => ({ type: "object", properties });
const list = (items: BuiltinSchema): BuiltinSchema => ({ type: "array", items });

const rulesSchema = struct({
  stabilizationWindowSeconds: integer,
  selectPolicy: text,
  policies: list(struct({ type: text, value: integer, periodSeconds: integer })),
  tolerance: { "x-kubernetes-int-or-string": true, typeName: "Quantity" },
});
const behaviorSchema = struct({ scaleUp: rulesSchema, scaleDown: rulesSchema });
const conditionsSchema = list(
  struct({
    type: text,
    status: text,
    lastTransitionTime: { type: "string", format: "date-time", typeName: "Time" },
    reason: text,
    message: text,
  }),
);
