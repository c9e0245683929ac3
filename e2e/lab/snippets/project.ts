/** The CRD of a kind of the project that the READMEs speak of; it allows any fields. */
export function openDefinition(kind: string) {
  const singular = kind.toLowerCase();
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.apps.example.com` },
    spec: {
      group: "apps.example.com",
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        },
      ],
    },
  };
}

/** The generator's output for a project with a defaulting webhook of MySQL. */
export const webhookConfiguration = {
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingWebhookConfiguration",
  metadata: { name: "mutating-webhook-configuration" },
  webhooks: [
    {
      name: "mmysql-v1.kb.io",
      clientConfig: {
        service: { name: "webhook-service", namespace: "system", path: "/mutate-apps-example-com-v1-mysql" },
      },
      rules: [
        {
          apiGroups: ["apps.example.com"],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["mysqls"],
        },
      ],
      failurePolicy: "Fail",
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    },
  ],
};
