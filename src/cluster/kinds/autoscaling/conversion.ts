import type * as v2 from "@tsbuilder/apimachinery/k8s/autoscaling/v2";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { type JSONObject, isObject } from "@tsbuilder/apimachinery/json";
import { type BuiltinSchema, DecodeError, decodeBuiltIn } from "@tsbuilder/apimachinery/kinds";
import { compareText, goStruct } from "@tsbuilder/apimachinery/text";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";

/** An autoscaler of version 1 or 2; only version 1 has the fields with `CPU`. */
export type HorizontalPodAutoscaler = ApiObject & {
  spec?: Sent<v2.HorizontalPodAutoscalerSpec> & { targetCPUUtilizationPercentage?: number };
  status?: Pick<FieldsOfV2, "currentMetrics" | "conditions"> & {
    currentReplicas?: number;
    desiredReplicas?: number;
    currentCPUUtilizationPercentage?: number;
  };
};

/**
 * Version 1 has two metrics as fields: the CPU utilization that it aims at, and the current one. All other fields of
 * version 2 become annotations, so that a write in version 1 loses nothing.
 */
export function convertVersion(object: HorizontalPodAutoscaler, apiVersion: string): HorizontalPodAutoscaler {
  const converted = toV2(object);
  return apiVersion.endsWith("/v1") ? toV1(converted) : converted;
}

function toV2(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { annotations = {} } = object.metadata;
  const own = withAnnotations(object, withoutReservedAnnotations(annotations));
  if (!object.apiVersion.endsWith("/v1")) return own;
  const { metrics = [], behavior, currentMetrics, conditions } = readAnnotations(annotations);
  const { targetCPUUtilizationPercentage: target, ...spec } = object.spec ?? {};
  const { currentCPUUtilizationPercentage: current, currentReplicas = 0, ...status } = object.status ?? {};
  const aims = [...metrics, ...(target === undefined ? [] : [cpuTarget(target)])];
  return {
    ...own,
    apiVersion: "autoscaling/v2",
    spec: { ...spec, metrics: aims.length > 0 ? aims : [cpuTarget(80)], ...(behavior && { behavior }) },
    status: {
      ...status,
      ...(currentReplicas !== 0 && { currentReplicas }),
      currentMetrics: currentMetrics ?? (current === undefined ? null : [currentCPU(current)]),
      ...(conditions && { conditions }),
    },
  };
}

function toV1(object: HorizontalPodAutoscaler): HorizontalPodAutoscaler {
  const { metrics = [], behavior, ...spec } = object.spec ?? {};
  const { currentMetrics, conditions, ...status } = object.status ?? {};
  const target = metrics.find(isCPUTarget)?.resource?.target?.averageUtilization;
  const current = currentMetrics?.findLast(isCurrentCPU)?.resource?.current?.averageUtilization;
  const others = metrics.filter((metric) => !isCPUTarget(metric));
  const written = writeAnnotations({ metrics: others, behavior, currentMetrics, conditions });
  return {
    ...withAnnotations(object, { ...object.metadata.annotations, ...written }),
    apiVersion: "autoscaling/v1",
    spec: { ...spec, ...(target !== undefined && { targetCPUUtilizationPercentage: target }) },
    status: {
      currentReplicas: 0,
      ...status,
      ...(current !== undefined && { currentCPUUtilizationPercentage: current }),
    },
  };
}

const cpuTarget = (averageUtilization: number): Sent<v2.MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const currentCPU = (averageUtilization: number): Sent<v2.MetricStatus> => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

/** Returns a copy with these annotations; an empty map is left out unless the object has an empty one, too. */
export function withAnnotations<T extends Pick<HorizontalPodAutoscaler, "metadata">>(
  object: T,
  annotations: Readonly<Record<string, string>>,
): T {
  const { annotations: before, ...metadata } = object.metadata;
  const isAbsent = Object.keys(annotations).length === 0 && Object.keys(before ?? { none: "" }).length > 0;
  return { ...object, metadata: { ...metadata, ...(!isAbsent && { annotations }) } };
}

function isCPUTarget({ type, resource }: Sent<v2.MetricSpec>): boolean {
  return type === "Resource" && resource?.name === "cpu" && resource.target?.averageUtilization !== undefined;
}

function isCurrentCPU({ type, resource }: Sent<v2.MetricStatus>): boolean {
  return (
    type === "Resource" && resource?.name === "cpu" && resource.current?.averageUtilization !== undefined
  );
}

/** The fields of version 2 that version 1 lacks. Go always serializes the list of current metrics. */
interface FieldsOfV2 {
  readonly metrics?: readonly Sent<v2.MetricSpec>[] | undefined;
  readonly behavior?: Sent<v2.HorizontalPodAutoscalerSpec>["behavior"] | undefined;
  readonly currentMetrics?: readonly Sent<v2.MetricStatus>[] | null | undefined;
  readonly conditions?:
    | ReadonlyArray<Readonly<Record<string, unknown>> & { observedGeneration?: number }>
    | undefined;
}

type Annotations = Readonly<Record<string, string>>;

const annotationName = (name: string): string => `autoscaling.alpha.kubernetes.io/${name}`;

/** The annotations in which version 1 has these fields. */
const annotationNames = {
  metrics: annotationName("metrics"),
  behavior: annotationName("behavior"),
  currentMetrics: annotationName("current-metrics"),
  conditions: annotationName("conditions"),
};

const reserved = [
  ...Object.values(annotationNames),
  annotationName("scale-down-tolerance"),
  annotationName("scale-up-tolerance"),
];

/** Returns the annotations that don't hold fields of version 2. */
export function withoutReservedAnnotations(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !reserved.includes(name)));
}

const statusAnnotations = [annotationNames.currentMetrics, annotationNames.conditions];

/** Restores the annotations that hold fields of the spec, or of the status, from the stored object. */
export function restoreAnnotations(
  object: ApiObject,
  old: ApiObject | undefined,
  part: "spec" | "status",
): void {
  const kept = Object.values(annotationNames).filter(
    (name) => statusAnnotations.includes(name) === (part === "status"),
  );
  const { annotations: stored = {} } = old?.metadata ?? {};
  const { annotations: sent = {}, ...metadata } = object.metadata;
  if (!kept.some((name) => sent[name] !== stored[name])) return;
  const annotations = Object.fromEntries([
    ...Object.entries(sent).filter(([name]) => !kept.includes(name)),
    ...Object.entries(stored).filter(([name]) => kept.includes(name)),
  ]);
  object.metadata = { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

/** Returns the annotations that hold fields of version 2, in Go's JSON. */
function writeAnnotations(fields: FieldsOfV2): Annotations {
  const { behavior } = fields;
  const metrics = fields.metrics?.map((metric) => metricToV1(metric, "target")) ?? [];
  const currentMetrics = fields.currentMetrics?.map((metric) => metricToV1(metric, "current")) ?? [];
  const conditions = fields.conditions?.map(conditionInOrder) ?? [];
  return {
    ...(metrics.length > 0 && { [annotationNames.metrics]: goStruct(metrics) }),
    // Go writes the behavior with the names of a type that has no JSON names.
    ...(behavior && {
      [annotationNames.behavior]: goStruct(withGoNames(behavior, behaviorSchema)),
    }),
    ...(currentMetrics.length > 0 && { [annotationNames.currentMetrics]: goStruct(currentMetrics) }),
    ...(conditions.length > 0 && { [annotationNames.conditions]: goStruct(conditions) }),
  };
}

type Behavior = NonNullable<FieldsOfV2["behavior"]>;

function withGoNames(value: unknown, { properties, items }: BuiltinSchema): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map((item) => withGoNames(item, items!));
  if (!properties) return value;
  const fields = Object.entries(properties).map(([name, schema]) => {
    return [`${name.charAt(0).toUpperCase()}${name.slice(1)}`, withGoNames((value as Members)[name], schema)];
  });
  return Object.fromEntries(fields);
}

type Members = Readonly<Record<string, unknown>>;

function conditionInOrder({ type, status, lastTransitionTime = null, reason, message }: Members): object {
  return { type, status, lastTransitionTime, reason: reason || undefined, message: message || undefined };
}

const stringSchema: BuiltinSchema = { type: "string" };
const integerSchema: BuiltinSchema = { type: "integer", format: "int32" };
const quantitySchema: BuiltinSchema = { "x-kubernetes-int-or-string": true, typeName: "Quantity" };

const structSchema = (properties: Record<string, BuiltinSchema>): BuiltinSchema => ({
  type: "object",
  properties,
});

const listSchema = (items: BuiltinSchema): BuiltinSchema => ({ type: "array", items });

const scalingRulesSchema = structSchema({
  stabilizationWindowSeconds: integerSchema,
  selectPolicy: stringSchema,
  policies: listSchema(
    structSchema({ type: stringSchema, value: integerSchema, periodSeconds: integerSchema }),
  ),
  tolerance: quantitySchema,
});

const behaviorSchema = structSchema({ scaleUp: scalingRulesSchema, scaleDown: scalingRulesSchema });

const conditionsSchema = listSchema(
  structSchema({
    type: stringSchema,
    status: stringSchema,
    lastTransitionTime: { type: "string", format: "date-time", typeName: "Time" },
    reason: stringSchema,
    message: stringSchema,
  }),
);

/** A metric of a spec aims at a target, one of a status has a current value. */
type MetricPart = "target" | "current";

/** A decoded metric of either version. */
type Metric = Record<string, unknown> & { readonly type?: string };

/** Reads the fields of version 2 from annotations. A client may have written them, so that invalid ones count as absent. */
function readAnnotations(annotations: Annotations): FieldsOfV2 {
  const read = (name: string, schema: BuiltinSchema) => decode(parse(annotations[name]), schema);
  const readMetrics = (name: string, aim: MetricPart) => {
    const metrics = read(name, metricsSchema(aim)) as readonly Metric[] | undefined;
    return metrics?.map((metric) => metricToV2(metric, aim));
  };
  const behavior = decode(
    withLowerCaseNames(parse(annotations[annotationNames.behavior])),
    behaviorSchema,
  ) as Behavior | undefined;
  const conditions = read(annotationNames.conditions, conditionsSchema) as readonly Members[] | undefined;
  return {
    metrics: readMetrics(annotationNames.metrics, "target"),
    behavior: behavior?.scaleUp || behavior?.scaleDown ? behavior : undefined,
    currentMetrics: readMetrics(annotationNames.currentMetrics, "current"),
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
function withLowerCaseNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withLowerCaseNames);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, child]) => {
    return [`${name.slice(0, 1).toLowerCase()}${name.slice(1)}`, withLowerCaseNames(child)] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * The fields of each source of metrics in version 1, in the order of Go's, and where version 2 has them; `@` is `target`
 * or `current`. Go always writes a field with `!`, and that with `?` if it is of a status.
 */
const sources: Readonly<Record<string, readonly string[]>> = {
  object: [
    "target describedObject",
    "metricName metric.name",
    "@Value @.value !",
    "selector metric.selector",
    "averageValue @.averageValue",
  ],
  pods: ["metricName metric.name", "@AverageValue @.averageValue !", "selector metric.selector"],
  resource: ["name name", "@AverageUtilization @.averageUtilization", "@AverageValue @.averageValue ?"],
  containerResource: [
    "name name",
    "@AverageUtilization @.averageUtilization",
    "@AverageValue @.averageValue ?",
    "container container",
  ],
  external: [
    "metricName metric.name",
    "metricSelector metric.selector",
    "@Value @.value ?",
    "@AverageValue @.averageValue",
  ],
};

/** The schema of a list of metrics in version 1. */
function metricsSchema(aim: MetricPart): BuiltinSchema {
  const ofSources = Object.keys(sources).map((source) => {
    const fields = metricFields(source, aim).map(({ name, schema }) => [name, schema] as const);
    return [source, structSchema(Object.fromEntries(fields))] as const;
  });
  return listSchema(structSchema({ type: stringSchema, ...Object.fromEntries(ofSources) }));
}

interface MetricField {
  /** Its name in version 1. */
  readonly name: string;
  /** Its path in version 2. */
  readonly path: readonly string[];
  readonly schema: BuiltinSchema;
  readonly zero?: unknown;
}

const referenceSchema = structSchema({ kind: stringSchema, name: stringSchema, apiVersion: stringSchema });

const selectorSchema = structSchema({
  matchLabels: { type: "object", additionalProperties: stringSchema },
  matchExpressions: listSchema(
    structSchema({ key: stringSchema, operator: stringSchema, values: listSchema(stringSchema) }),
  ),
});

function metricFields(source: string, aim: MetricPart): MetricField[] {
  return sources[source]!.map((line) => {
    const [name = "", path = "", zero = ""] = line.replaceAll("@", aim).split(" ");
    const isWritten = zero === "!" || (zero === "?" && aim === "current");
    const field = { name, path: path.split(".") };
    if (name === "target") return { ...field, schema: referenceSchema, zero: { kind: "", name: "" } };
    if (/selector$/i.test(name)) return { ...field, schema: selectorSchema };
    if (name.endsWith("Utilization")) return { ...field, schema: integerSchema };
    if (name.endsWith("Value")) return { ...field, schema: quantitySchema, ...(isWritten && { zero: "0" }) };
    return { ...field, schema: stringSchema, zero: "" };
  });
}

/** Converts a metric to version 1, with its members in the order of Go's fields. */
function metricToV1(metric: Metric, aim: MetricPart): Metric {
  return convertSources(metric, (source, name) => {
    const members = metricFields(name, aim).map(({ name: field, path, schema, zero }) => {
      const value = path.reduce<unknown>((at, step) => (at as JSONObject | undefined)?.[step], source);
      return [field, ordered(value ?? zero, schema)] as const;
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  });
}

/** Converts a metric of version 1 to version 2. */
function metricToV2(metric: Metric, aim: MetricPart): Metric {
  return convertSources(metric, (source, name) => {
    const converted: Record<string, unknown> = { [aim]: {} };
    for (const { name: field, path, zero } of metricFields(name, aim)) {
      const value = source[field] ?? zero;
      if (value === undefined || isUnsetAmount(field, value, source)) continue;
      const [last = "", ...parents] = path.toReversed();
      const parent = parents.reduceRight(
        (at, step) => (at[step] ??= {}) as Record<string, unknown>,
        converted,
      );
      parent[last] = value;
    }
    if (aim === "target")
      converted["target"] = { type: targetType(name, source), ...(converted["target"] as object) };
    return converted;
  });
}

function convertSources(
  { type = "", ...metric }: Metric,
  convert: (source: Record<string, unknown>, name: string) => object,
): Metric {
  const present = Object.keys(sources).filter((name) => metric[name] !== undefined);
  const converted = present.map(
    (name) => [name, convert(metric[name] as Record<string, unknown>, name)] as const,
  );
  return { type, ...Object.fromEntries(converted) };
}

/** Some amounts of version 1 can't be omitted: zero means none if the source has another amount. */
function isUnsetAmount(field: string, value: unknown, source: Record<string, unknown>): boolean {
  const isAmount = (name: string) => /(Value|Utilization)$/.test(name);
  const hasOther = Object.keys(source).some((name) => name !== field && isAmount(name));
  return hasOther && field.endsWith("Value") && compareQuantities(value as string, "0") === 0;
}

/** Orders the fields of a struct as its schema does, and those of a map by their names. */
function ordered(value: unknown, { properties, items }: BuiltinSchema): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => ordered(item, items)) : value;
  if (!isObject(value)) return value;
  const names = properties ? Object.keys(properties) : Object.keys(value).toSorted(compareText);
  const present = names.filter((name) => value[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, ordered(value[name], properties?.[name] ?? {})]));
}

function targetType(name: string, source: Record<string, unknown>): string {
  if (source["targetAverageUtilization"] !== undefined) return "Utilization";
  if (name === "object") return source["averageValue"] === undefined ? "Value" : "AverageValue";
  return name === "external" && source["targetValue"] !== undefined ? "Value" : "AverageValue";
}
