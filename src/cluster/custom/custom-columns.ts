import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import type { Cell, TableColumns } from "../registry/resource.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { formatAge } from "../registry/format-age.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";

const nameDescription = "Name of the object, unique among those of its kind in a namespace.";
const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a CRD version: the name, then its `additionalPrinterColumns`; without any, the age. */
export function customColumns({ additionalPrinterColumns }: CRDVersion): TableColumns {
  const columns = additionalPrinterColumns?.length ? additionalPrinterColumns : [ageColumn];
  return {
    definitions: [
      { name: "Name", type: "string", format: "name", description: nameDescription, priority: 0 },
      ...columns.map((column) => ({
        name: column.name,
        type: column.type as "string",
        format: column.format ?? "",
        description:
          column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map((column) => readCell(column, object, now)),
    ],
  };
}

function readCell({ type, jsonPath }: PrinterColumn, object: ApiObject, now: number): Cell {
  const values = readPath(object, jsonPath);
  const [value] = values;
  if (value === undefined) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return value === "" ? "<unknown>" : formatAge(value, now);
    default:
      return values.map(textOf).join(",");
  }
}

/** The selectable fields of a CRD; scalars are compared as text. */
export function selectableFields({
  spec,
}: CustomResourceDefinition): ReadonlyMap<string, (object: ApiObject) => string> {
  const paths = spec.versions.flatMap(({ selectableFields: fields = [] }) =>
    fields.map(({ jsonPath }) => jsonPath),
  );
  return new Map(
    paths.map(
      (path) => [path.replace(/^\./, ""), (object) => readPath(object, path).map(textOf).join(",")] as const,
    ),
  );
}

/** Formats a selected value. Lists and objects, which only another version can have stored, are compared as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/**
 * Evaluates the JSONPath that printer columns and selectable fields use: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.spec.ports[*].port`, `.metadata.labels['a\.b']`.
 */
export function readPath(root: unknown, path: string): unknown[] {
  let values: unknown[] = [root];
  for (const step of parsePath(path)) values = values.flatMap((value) => takeStep(value, step));
  return values.filter((value) => value !== undefined && value !== null);
}

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "filter"; readonly path: string; readonly operator: string; readonly value: unknown };

const parsedPaths = new Map<string, readonly Step[]>();

function parsePath(path: string): readonly Step[] {
  let steps = parsedPaths.get(path);
  if (!steps) {
    steps = [...scanSteps(path.replace(/^\{|\}$/g, ""))];
    parsedPaths.set(path, steps);
  }
  return steps;
}

/** A step of a path: a filter, an index, a quoted field or a plain one. */
const stepPattern =
  /\.?\[\?\(\s*@([^=!<>\s]+)\s*(==|!=|<=|>=|<|>)?\s*("[^"]*"|'[^']*'|[^)\s]*)\s*\)\]|\.?\[(\*|-?\d+)\]|\.?\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.((?:[^.[\]\\]|\\.)+)/g;

function* scanSteps(path: string): Generator<Step> {
  for (const match of path.matchAll(stepPattern)) {
    const [, filter, operator = "", value = "", index, single, double, field] = match;
    if (filter !== undefined) yield { kind: "filter", path: filter, operator, value: parseLiteral(value) };
    else if (index === "*" || field === "*") yield { kind: "all" };
    else if (index !== undefined) yield { kind: "index", index: Number(index) };
    else yield { kind: "field", name: (single ?? double ?? field!).replace(/\\(.)/g, "$1") };
  }
}

/** The value in a filter; undefined if there is none. */
function parseLiteral(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return text === "" ? undefined : Number(text);
}

function takeStep(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field":
      return [(value as Record<string, unknown>)[step.name]];
    case "index":
      return Array.isArray(value) ? [value.at(step.index)] : [];
    case "all":
      return Object.values(value);
    case "filter":
      return (Array.isArray(value) ? value : []).filter((item) => matchesFilter(item, step));
  }
}

function matchesFilter(item: unknown, { path, operator, value }: Step & { kind: "filter" }): boolean {
  const [actual] = readPath(item, path);
  if (operator === "") return actual !== undefined;
  if (operator === "==") return actual === value;
  if (operator === "!=") return actual !== value;
  // Values of different types have no order.
  if (typeof actual !== typeof value || typeof actual === "object") return false;
  const [a, b] = [actual as number, value as number];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}
