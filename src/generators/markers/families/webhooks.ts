import { listOfStrings, type MarkerFamily, optional } from "../definition.ts";

export const webhooks: MarkerFamily = {
  name: "webhooks",
  title: "Admission webhooks",
  markers: [
    {
      name: "kubebuilder:webhook",
      targets: ["package"],
      summary:
        "A webhook in the mutating or validating configuration. It may be placed anywhere in a source file.",
      arguments: {
        mutating: { type: "bool", summary: "true for a mutating webhook, false for a validating one" },
        failurePolicy: { type: "string", summary: "fail or ignore, if the webhook is unavailable" },
        name: { type: "string", summary: "a name with at least three parts: vmysql-v1.kb.io" },
        groups: listOfStrings,
        resources: listOfStrings,
        verbs: { ...listOfStrings, summary: "create, update, delete, connect or *" },
        versions: listOfStrings,
        admissionReviewVersions: { ...listOfStrings, summary: "v1" },
        matchPolicy: optional("string", "Exact or Equivalent"),
        sideEffects: optional("string", "None or NoneOnDryRun"),
        serviceName: optional("string"),
        serviceNamespace: optional("string"),
        servicePort: optional("int"),
        path: optional("string", "URL path at the operator's service; alternatively, use url"),
        url: optional("string", "URL of a webhook outside of the cluster"),
        reinvocationPolicy: optional("string", "Never or IfNeeded"),
        timeoutSeconds: optional("int", "1 to 30"),
        webhookVersions: optional(listOfStrings, "v1"),
        patch: optional("string", "JSON that is merged into the generated webhook"),
        featureGate: optional("string", "feature gate that enables the webhook"),
      },
    },
    {
      name: "kubebuilder:webhookconfiguration",
      targets: ["package"],
      summary: "The name of the mutating or validating configuration.",
      arguments: { mutating: { type: "bool" }, name: optional("string") },
    },
  ],
};
