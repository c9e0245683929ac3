import { type MarkerFamily, optional, singleValue } from "../definition.ts";

export const packages: MarkerFamily = {
  name: "packages",
  title: "Groups and versions",
  markers: [
    {
      name: "groupName",
      targets: ["package"],
      summary:
        "The API group. It is set by the constant groupVersion; a marker that contradicts it is an error.",
      arguments: { "": optional("string") },
    },
    {
      name: "versionName",
      targets: ["package"],
      summary:
        "The API version. It is set by the constant groupVersion; a marker that contradicts it is an error.",
      arguments: singleValue("string"),
    },
    {
      name: "kubebuilder:skip",
      targets: ["package"],
      summary: "No CRDs are generated for this version's kinds.",
      arguments: {},
    },
  ],
};
