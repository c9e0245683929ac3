import { isObject, type JSONObject } from "@tsbuilder/apimachinery/json";
import type { BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { compareText } from "@tsbuilder/apimachinery/text";

/** A metric of a spec aims at a target, one of a status has a current value. */
export type Aim = "target" | "current";

/** A decoded metric of either version. */
export type Metric = Record<string, unknown> & { readonly type?: string };

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

interface Field {
  /** Its name in version 1. */
  readonly name: string;
  /** Its path in version 2. */
  readonly path: readonly string[];
  readonly schema: BuiltinSchema;
  readonly zero?: unknown;
}

const text: BuiltinSchema = { type: "string" };
const quantity: BuiltinSchema = { "x-kubernetes-int-or-string": true, typeName: "Quantity" };
const reference: BuiltinSchema = {
  type: "object",
  properties: { kind: text, name: text, apiVersion: text },
};
const expression: BuiltinSchema = {
  type: "object",
  properties: { key: text, operator: text, values: { type: "array", items: text } },
};
const selector: BuiltinSchema = {
  type: "object",
  properties: {
    matchLabels: { type: "object", additionalProperties: text },
    matchExpressions: { type: "array", items: expression },
  },
};

function fieldsOf(source: string, aim: Aim): Field[] {
  return sources[source]!.map((line) => {
    const [name = "", path = "", zero = ""] = line.replaceAll("@", aim).split(" ");
    const isWritten = zero === "!" || (zero === "?" && aim === "current");
    const field = { name, path: path.split(".") };
    if (name === "target") return { ...field, schema: reference, zero: { kind: "", name: "" } };
    if (/selector$/i.test(name)) return { ...field, schema: selector };
    if (name.endsWith("Utilization")) return { ...field, schema: { type: "integer", format: "int32" } };
    if (name.endsWith("Value")) return { ...field, schema: quantity, ...(isWritten && { zero: "0" }) };
    return { ...field, schema: text, zero: "" };
  });
}

/** The schema of a list of metrics in version 1. */
export function metricsSchema(aim: Aim): BuiltinSchema {
  const ofSources = Object.keys(sources).map((source) => {
    const fields = fieldsOf(source, aim).map(({ name, schema }) => [name, schema] as const);
    return [source, { type: "object", properties: Object.fromEntries(fields) }] as const;
  });
  return {
    type: "array",
    items: { type: "object", properties: { type: text, ...Object.fromEntries(ofSources) } },
  };
}

/** A metric as version 1 writes it; its members are in the order of Go's. */
export function metricToV1(metric: Metric, aim: Aim): Metric {
  return eachSource(metric, (source, name) => {
    const members = fieldsOf(name, aim).map(({ name: field, path, schema, zero }) => {
      const value = path.reduce<unknown>((at, step) => (at as JSONObject | undefined)?.[step], source);
      return [field, inOrder(value ?? zero, schema)] as const;
    });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  });
}

/** The metric that one of version 1 stands for. */
export function metricToV2(metric: Metric, aim: Aim): Metric {
  return eachSource(metric, (source, name) => {
    const converted: Record<string, unknown> = { [aim]: {} };
    for (const { name: field, path, zero } of fieldsOf(name, aim)) {
      const value = source[field] ?? zero;
      if (value === undefined || isUnset(field, value, source)) continue;
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

function eachSource(
  { type = "", ...metric }: Metric,
  convert: (source: Record<string, unknown>, name: string) => object,
): Metric {
  const present = Object.keys(sources).filter((name) => metric[name] !== undefined);
  const converted = present.map(
    (name) => [name, convert(metric[name] as Record<string, unknown>, name)] as const,
  );
  return { type, ...Object.fromEntries(converted) };
}

/** Version 1 can't leave out every amount: beside another one, zero means none. */
function isUnset(field: string, value: unknown, source: Record<string, unknown>): boolean {
  const isAmount = (name: string) => /(Value|Utilization)$/.test(name);
  const hasOther = Object.keys(source).some((name) => name !== field && isAmount(name));
  return hasOther && field.endsWith("Value") && compareQuantities(value as string, "0") === 0;
}

/** A struct with its fields in the order of its schema, a map in that of its keys. */
function inOrder(value: unknown, { properties, items }: BuiltinSchema): unknown {
  if (Array.isArray(value)) return items ? value.map((item) => inOrder(item, items)) : value;
  if (!isObject(value)) return value;
  const names = properties ? Object.keys(properties) : Object.keys(value).toSorted(compareText);
  const present = names.filter((name) => value[name] !== undefined);
  return Object.fromEntries(present.map((name) => [name, inOrder(value[name], properties?.[name] ?? {})]));
}

function targetType(name: string, source: Record<string, unknown>): string {
  if (source["targetAverageUtilization"] !== undefined) return "Utilization";
  if (name === "object") return source["averageValue"] === undefined ? "Value" : "AverageValue";
  return name === "external" && source["targetValue"] !== undefined ? "Value" : "AverageValue";
}
