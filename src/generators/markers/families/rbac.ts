import { listOfStrings, type MarkerFamily, optional, strings } from "../definition.ts";

export const rbac: MarkerFamily = {
  name: "rbac",
  title: "The operator's permissions",
  markers: [
    {
      name: "kubebuilder:rbac",
      targets: ["package"],
      summary: "A rule of the operator's role. It may be placed anywhere in a source file.",
      arguments: {
        groups: optional(listOfStrings, 'API groups; "" or core is the core group'),
        resources: optional(listOfStrings, "plural resource names, also with a subresource: pods/status"),
        resourceNames: optional(listOfStrings, "restricts the rule to objects with these names"),
        urls: optional(listOfStrings, "URL paths instead of resources: /metrics"),
        verbs: { ...listOfStrings, summary: "get, list, watch, create, update, patch, delete …" },
        namespace: optional("string", "creates a Role in this namespace instead of a ClusterRole"),
        roleName: optional("string", "name of the role, instead of the generator's default"),
        featureGate: optional("string", "feature gate that enables the rule"),
      },
      check(args) {
        if (strings(args, "verbs").length === 0) return "a rule without verbs has no effect";
        if (strings(args, "urls").length > 0 && args["namespace"])
          return "a Role in a namespace cannot allow URLs";
        return undefined;
      },
    },
  ],
};
