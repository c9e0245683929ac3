import { listOfStrings, type MarkerFamily } from "../definition.ts";

/** Admission webhooks. */
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
        groups: { ...listOfStrings },
        resources: { ...listOfStrings },
        verbs: { ...listOfStrings, summary: "create, update, delete, connect or *" },
        versions: { ...listOfStrings },
        admissionReviewVersions: { ...listOfStrings, summary: "v1" },
        matchPolicy: { type: "string", optional: true, summary: "Exact or Equivalent" },
        sideEffects: { type: "string", optional: true, summary: "None or NoneOnDryRun" },
        serviceName: { type: "string", optional: true },
        serviceNamespace: { type: "string", optional: true },
        servicePort: { type: "int", optional: true },
        path: {
          type: "string",
          optional: true,
          summary: "URL path at the operator's service; alternatively, use url",
        },
        url: { type: "string", optional: true, summary: "URL of a webhook outside of the cluster" },
        reinvocationPolicy: { type: "string", optional: true, summary: "Never or IfNeeded" },
        timeoutSeconds: { type: "int", optional: true, summary: "1 to 30" },
        webhookVersions: { ...listOfStrings, optional: true, summary: "v1" },
        patch: { type: "string", optional: true, summary: "JSON that is merged into the generated webhook" },
        featureGate: { type: "string", optional: true, summary: "feature gate that enables the webhook" },
      },
    },
    {
      name: "kubebuilder:webhookconfiguration",
      targets: ["package"],
      summary: "The name of the mutating or validating configuration.",
      arguments: { mutating: { type: "bool" }, name: { type: "string", optional: true } },
    },
  ],
};
