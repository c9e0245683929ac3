import type { JSONObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import type { Parameter } from "./parameters.ts";

/** What a method does on a path. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly parameters: readonly Parameter[];
  /** The rest of it, as it is published. */
  readonly head: JSONObject<unknown>;
  readonly tail: JSONObject<unknown>;
}

/** Puts operations under their paths; a parameter that all operations of a path have stands once, at the path. */
export function pathItems(operations: readonly Operation[]): Record<string, JSONObject<unknown>> {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) {
    byPath.set(operation.path, [...(byPath.get(operation.path) ?? []), operation]);
  }
  return Object.fromEntries([...byPath].map(([path, own]) => [path, pathItem(own)]));
}

function pathItem(operations: readonly Operation[]): JSONObject<unknown> {
  const [first, ...others] = operations;
  const common = first!.parameters.filter((parameter) =>
    others.every((other) => other.parameters.some((each) => isSame(each, parameter))),
  );
  const isOwn = (parameter: Parameter): boolean => !common.some((each) => isSame(each, parameter));
  return {
    ...Object.fromEntries(
      operations.map(({ method, head, parameters, tail }) => [
        method,
        { ...head, ...listed(parameters.filter(isOwn)), ...tail },
      ]),
    ),
    ...listed(common),
  };
}

function isSame(a: Parameter, b: Parameter): boolean {
  return a.name === b.name && a.in === b.in;
}

function listed(parameters: readonly Parameter[]): JSONObject<unknown> {
  if (parameters.length === 0) return {};
  return {
    parameters: parameters.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.in, b.in)),
  };
}
