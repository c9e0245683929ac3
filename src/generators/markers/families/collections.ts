import type { Schema } from "../../model/schema.ts";
import { type KeyValue, type MarkerFamily, flag, numeric, keyMarker, validation } from "../definition.ts";
import { declarative, describeSchema } from "./numbers.ts";

const items: KeyValue<number> = { type: "int", read: numeric, refuse: checkList };
const properties: KeyValue<number> = { type: "int", read: numeric, refuse: checkObject };
const unique: KeyValue<true | undefined> = { type: "bool", read: flag, refuse: checkList };

export const collections: MarkerFamily = {
  name: "collections",
  title: "Limits of lists and maps",
  markers: [
    validation("MaxItems", "maxItems", items, "The maximum number of elements."),
    validation("MinItems", "minItems", items, "The minimum number of elements."),
    validation(
      "UniqueItems",
      "uniqueItems",
      unique,
      "All elements must be unique. The API server rejects true: use +listType=set.",
    ),
    validation("MaxProperties", "maxProperties", properties, "The maximum number of properties."),
    validation("MinProperties", "minProperties", properties, "The minimum number of properties."),
    { ...keyMarker("k8s:maxItems", "maxItems", items, "An alias of MaxItems."), ...declarative },
    { ...keyMarker("k8s:minItems", "minItems", items, "An alias of MinItems."), ...declarative },
  ],
};

/** Refuses a schema that is not an array, which users call a list. */
export function checkList(schema: Schema): string | undefined {
  return schema.type === "array" ? undefined : `it applies to lists, but this is ${describeSchema(schema)}`;
}

/** Refuses a schema that is not an object; a map is one, too. */
export function checkObject(schema: Schema): string | undefined {
  if (schema.type === "object") return undefined;
  return `it applies to objects and maps, but this is ${describeSchema(schema)}`;
}
