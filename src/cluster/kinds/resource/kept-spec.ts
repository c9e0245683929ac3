import { invalidStruct } from "@tsbuilder/apimachinery/errors";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { Problems } from "../checks/problems.ts";

/** The spec of a claim can't change; the message shows it with the names of its Go fields. */
export function* keptSpec(spec: unknown, old: unknown): Problems {
  if (!isEqual(spec, old)) yield invalidStruct("spec", goNames(spec) as object, "field is immutable");
}

/** The fields whose names in Go have more capitals than the first. */
const initialisms: Readonly<Record<string, string>> = { cel: "CEL" };

function goNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(goNames);
  if (!isObject(value)) return value;
  const named = Object.entries(value).map(([name, field]) => [
    initialisms[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    // The parameters of a driver are anything, which Go keeps as it came.
    name === "parameters" ? field : goNames(field),
  ]);
  return Object.fromEntries(named) as object;
}
