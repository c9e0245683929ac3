import type { MarkerFamily } from "../definition.ts";

/** Fields that never change. */
export const immutability: MarkerFamily = {
  name: "immutability",
  title: "Fields that never change",
  markers: [
    {
      name: "k8s:immutable",
      targets: ["field"],
      summary: "Once set, the field keeps its value.",
      arguments: {},
      apply(schema) {
        schema["x-kubernetes-validations"] = [
          ...(schema["x-kubernetes-validations"] ?? []),
          { rule: "self == oldSelf", message: "field is immutable" },
        ];
        return undefined;
      },
    },
  ],
};
