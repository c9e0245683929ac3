import { addRule } from "../../model/schema.ts";
import type { MarkerFamily } from "../definition.ts";

export const immutability: MarkerFamily = {
  name: "immutability",
  title: "Immutable fields",
  markers: [
    {
      name: "k8s:immutable",
      targets: ["field"],
      summary: "The field cannot be changed once it is set.",
      arguments: {},
      apply(schema) {
        addRule(schema, { rule: "self == oldSelf", message: "field is immutable" });
        return undefined;
      },
    },
  ],
};
