import { listOfStrings, type MarkerFamily } from "../definition.ts";

/** The operator's permissions. */
export const rbac: MarkerFamily = {
  name: "rbac",
  title: "The operator's permissions",
  markers: [
    {
      name: "kubebuilder:rbac",
      targets: ["package"],
      summary: "A rule of the operator's role. It may be placed anywhere in a source file.",
      arguments: {
        groups: { ...listOfStrings, optional: true, summary: 'API groups; "" or core is the core group' },
        resources: {
          ...listOfStrings,
          optional: true,
          summary: "plural resource names, also with a subresource: pods/status",
        },
        resourceNames: {
          ...listOfStrings,
          optional: true,
          summary: "restricts the rule to objects with these names",
        },
        urls: { ...listOfStrings, optional: true, summary: "URL paths instead of resources: /metrics" },
        verbs: { ...listOfStrings, summary: "get, list, watch, create, update, patch, delete …" },
        namespace: {
          type: "string",
          optional: true,
          summary: "creates a Role in this namespace instead of a ClusterRole",
        },
        roleName: {
          type: "string",
          optional: true,
          summary: "name of the role, instead of the generator's default",
        },
        featureGate: { type: "string", optional: true, summary: "feature gate that enables the rule" },
      },
      check(args) {
        if ((args["verbs"] as readonly string[]).length === 0) return "a rule without verbs has no effect";
        const has = (name: string): boolean => ((args[name] ?? []) as readonly string[]).length > 0;
        if (has("urls") && args["namespace"]) return "a Role in a namespace cannot allow URLs";
        return undefined;
      },
    },
  ],
};
