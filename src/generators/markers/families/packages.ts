import { type MarkerFamily, singleValue } from "../definition.ts";

/** What holds for a whole version. */
export const packages: MarkerFamily = {
  name: "packages",
  title: "Groups and versions",
  markers: [
    {
      name: "groupName",
      targets: ["package"],
      summary:
        "The API group. The constant groupVersion says it already; a marker that says otherwise is an error.",
      arguments: { "": { type: "string", optional: true } },
    },
    {
      name: "versionName",
      targets: ["package"],
      summary:
        "The version. The constant groupVersion says it already; a marker that says otherwise is an error.",
      arguments: singleValue("string"),
    },
    {
      name: "kubebuilder:skip",
      targets: ["package"],
      summary: "The version is read for its types, but its kinds get no CRD.",
      arguments: {},
    },
  ],
};
