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
        "One webhook of the mutating or the validating configuration. It may stand anywhere in a source file.",
      arguments: {
        mutating: { type: "bool", summary: "true changes objects, false only judges them" },
        failurePolicy: { type: "string", summary: "fail or ignore, when the webhook can't be reached" },
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
        path: { type: "string", optional: true, summary: "the path at the operator's service; or else url" },
        url: { type: "string", optional: true, summary: "a webhook outside the cluster" },
        reinvocationPolicy: { type: "string", optional: true, summary: "Never or IfNeeded" },
        timeoutSeconds: { type: "int", optional: true, summary: "1 to 30" },
        webhookVersions: { ...listOfStrings, optional: true, summary: "v1" },
        patch: { type: "string", optional: true, summary: "JSON that is merged into the webhook at the end" },
        featureGate: { type: "string", optional: true, summary: "only when the gate is on" },
      },
    },
    {
      name: "kubebuilder:webhookconfiguration",
      targets: ["package"],
      summary: "Name of the mutating or the validating configuration.",
      arguments: { mutating: { type: "bool" }, name: { type: "string", optional: true } },
    },
  ],
};
