import {
  fieldAndType,
  type MarkerArguments,
  type MarkerDefinition,
  type MarkerFamily,
  singleValue,
  text,
} from "../definition.ts";
import { checkType } from "./collections.ts";

/** Merging of lists, maps and objects by server-side apply. */
export const topology: MarkerFamily = {
  name: "topology",
  title: "How server-side apply merges lists, maps and objects",
  markers: [
    listType("listType"),
    listMapKey("listMapKey"),
    listType("k8s:listType"),
    listMapKey("k8s:listMapKey"),
    {
      name: "mapType",
      targets: fieldAndType,
      summary: "granular: each key has its own owner; atomic: the map is replaced as a whole.",
      arguments: singleValue("string"),
      check: checkGranularity,
      apply(schema, args) {
        const problem = checkType(schema, "object");
        if (problem) return problem;
        schema["x-kubernetes-map-type"] = text(args);
        return undefined;
      },
    },
    {
      name: "structType",
      targets: fieldAndType,
      summary: "granular: each field has its own owner; atomic: the object is replaced as a whole.",
      arguments: singleValue("string"),
      check: checkGranularity,
      apply(schema, args) {
        const problem = schema.type ? checkType(schema, "object") : undefined;
        if (problem) return problem;
        schema["x-kubernetes-map-type"] = text(args);
        return undefined;
      },
    },
  ],
};

function checkGranularity(args: MarkerArguments): string | undefined {
  const value = text(args);
  return value === "atomic" || value === "granular"
    ? undefined
    : `"${value}" is not one of "granular" and "atomic"`;
}

function listType(name: string): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    priority: 9,
    summary:
      "map: elements have keys; set: elements are unique scalars; atomic: the list is replaced as a whole.",
    arguments: singleValue("string"),
    check(args) {
      const value = text(args);
      return ["map", "set", "atomic"].includes(value)
        ? undefined
        : `"${value}" is not one of "map", "set" and "atomic"`;
    },
    apply(schema, args) {
      const problem = checkType(schema, "array");
      if (problem) return problem;
      schema["x-kubernetes-list-type"] = text(args);
      return undefined;
    },
  };
}

function listMapKey(name: string): MarkerDefinition {
  return {
    name,
    targets: fieldAndType,
    repeatable: true,
    summary:
      "A field that is part of the key of a list map's elements. Repeat the marker for a key of several fields.",
    arguments: singleValue("string"),
    apply(schema, args) {
      const problem = checkType(schema, "array");
      if (problem) return problem;
      if (schema["x-kubernetes-list-type"] !== "map") return "it requires +listType=map";
      const keys = schema["x-kubernetes-list-map-keys"] ?? [];
      const key = text(args);
      // The API server rejects duplicate keys.
      if (!keys.includes(key)) schema["x-kubernetes-list-map-keys"] = [...keys, key];
      return undefined;
    },
  };
}
