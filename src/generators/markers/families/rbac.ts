import { listOfStrings, type MarkerFamily } from "../definition.ts";

/** What the operator is allowed to do. */
export const rbac: MarkerFamily = {
  name: "rbac",
  title: "What the operator is allowed to do",
  markers: [
    {
      name: "kubebuilder:rbac",
      targets: ["package"],
      summary: "One rule of the operator's role. It may stand anywhere in a source file.",
      arguments: {
        groups: { ...listOfStrings, optional: true, summary: 'API groups; "" or core is the core group' },
        resources: { ...listOfStrings, optional: true, summary: "plurals, with /status and the like" },
        resourceNames: { ...listOfStrings, optional: true, summary: "only objects of these names" },
        urls: { ...listOfStrings, optional: true, summary: "paths that are no resources: /metrics" },
        verbs: { ...listOfStrings, summary: "get, list, watch, create, update, patch, delete …" },
        namespace: {
          type: "string",
          optional: true,
          summary: "a Role in this namespace instead of a ClusterRole",
        },
        roleName: { type: "string", optional: true, summary: "another role than the generator's" },
        featureGate: { type: "string", optional: true, summary: "only when the gate is on" },
      },
      check(args) {
        if ((args["verbs"] as readonly string[]).length === 0) return "a rule without verbs allows nothing";
        const has = (name: string): boolean => ((args[name] ?? []) as readonly string[]).length > 0;
        if (has("urls") && args["namespace"]) return "a role in a namespace cannot allow URLs";
        return undefined;
      },
    },
  ],
};
