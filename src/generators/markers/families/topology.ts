import { listWords } from "../../../shared/text.ts";
import type { Schema } from "../../model/schema.ts";
import type { MarkerDefinition, MarkerFamily } from "../definition.ts";
import { fieldAndType, keyMarker, singleValue, text } from "../definition.ts";
import { checkList, checkObject } from "./collections.ts";

/** Markers for the merge strategies of server-side apply. */
export const topology: MarkerFamily = {
  name: "topology",
  title: "How server-side apply merges lists, maps and objects",
  markers: [
    listType("listType"),
    listMapKey("listMapKey"),
    listType("k8s:listType"),
    listMapKey("k8s:listMapKey"),
    granularity(
      "mapType",
      checkObject,
      "granular: each key has its own owner; atomic: the map is replaced as a whole.",
    ),
    granularity(
      "structType",
      (schema) => (schema.type ? checkObject(schema) : undefined),
      "granular: each field has its own owner; atomic: the object is replaced as a whole.",
    ),
  ],
};

/** Applied before `listMapKey`, which reads the type of the list. */
function listType(name: string): MarkerDefinition {
  const summary =
    "map: elements have keys; set: elements are unique scalars; atomic: the list is replaced as a whole.";
  const words = ["map", "set", "atomic"];
  const definition = strategy(name, "x-kubernetes-list-type", words, checkList, summary);
  return {
    ...definition,
    priority: 9,
    apply(schema, args, context) {
      const problem = definition.apply?.(schema, args, context);
      // A list of conditions has a key without a marker, which only a list map may have.
      if (problem === undefined && text(args) !== "map") delete schema["x-kubernetes-list-map-keys"];
      return problem;
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
      const problem = checkList(schema);
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

/** Returns why a schema takes no marker; undefined if it does. */
type Refusal = (schema: Schema) => string | undefined;

function granularity(name: string, refuse: Refusal, summary: string): MarkerDefinition {
  return strategy(name, "x-kubernetes-map-type", ["granular", "atomic"], refuse, summary);
}

/** Defines a marker whose value is one of a few words. */
function strategy(
  name: string,
  key: "x-kubernetes-list-type" | "x-kubernetes-map-type",
  words: readonly string[],
  refuse: Refusal,
  summary: string,
): MarkerDefinition {
  return {
    ...keyMarker(name, key, { type: "string", read: text, refuse }, summary),
    forItems: false,
    check(args) {
      const quoted = words.map((word) => `"${word}"`);
      const isKnown = words.includes(text(args));
      return isKnown ? undefined : `"${text(args)}" is not one of ${listWords(quoted, "and")}`;
    },
  };
}
