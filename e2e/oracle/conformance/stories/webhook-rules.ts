import { merge, post, type Step, type Story, story } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const rule = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["nothing"] };
const webhook = {
  name: "a.b.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  clientConfig: { url: "https://127.0.0.1:1/a" },
  rules: [rule],
};

/** Configurations of one webhook that differs in some fields. */
function hooks(kind: string, ...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(`${group}/${kind}`, { metadata: { name: `{ns}-${index}` }, webhooks: [{ ...webhook, ...fields }] }),
  );
}

const rules = (fields: object): Fields => ({ rules: [{ ...rule, ...fields }] });
const validating = "validatingwebhookconfigurations";

/** Webhook configurations that a real server rejects. */
export const webhookRules: readonly Story[] = [
  story("configurations of webhooks", [
    ...hooks(
      validating,
      { name: "" },
      { name: "a.example" },
      { name: "A.b.c" },
      { sideEffects: undefined },
      { sideEffects: "Some" },
      { sideEffects: "Unknown" },
      { admissionReviewVersions: [] },
      { admissionReviewVersions: ["v2"] },
      { admissionReviewVersions: ["v1", "v1", "V"] },
      { clientConfig: {} },
      { clientConfig: { url: "http://a" } },
      { clientConfig: { service: { name: "a" } } },
      { failurePolicy: "Maybe", matchPolicy: "Maybe" },
      { timeoutSeconds: 31 },
      { timeoutSeconds: 0 },
      { namespaceSelector: { matchLabels: { "a b": "c" } } },
      { matchConditions: [{ name: "a", expression: "" }] },
      { matchConditions: [{ name: "a b", expression: "true" }] },
      {
        matchConditions: [
          { name: "a", expression: "true" },
          { name: "a", expression: "true" },
        ],
      },
    ),
    ...hooks(
      "mutatingwebhookconfigurations",
      { reinvocationPolicy: "Maybe" },
      { sideEffects: "Some", name: "x" },
    ),
    post(`${group}/${validating}`, { metadata: { name: "{ns}-two" }, webhooks: [webhook, webhook] }),
  ]),
  story("rules of webhooks", [
    ...hooks(
      validating,
      rules({ operations: [] }),
      rules({ operations: ["*", "CREATE"] }),
      rules({ operations: ["READ"] }),
      rules({ apiGroups: [] }),
      rules({ apiGroups: ["*", "apps"] }),
      rules({ apiVersions: [] }),
      rules({ apiVersions: ["*", "v1"] }),
      rules({ resources: [] }),
      rules({ resources: [""] }),
      rules({ resources: ["*", "pods"] }),
      rules({ resources: ["*/*", "pods"] }),
      rules({ resources: ["pods/*", "pods/status"] }),
      rules({ resources: ["*/scale", "pods/scale"] }),
      rules({ scope: "Maybe" }),
      rules({ resources: ["nothing", "nothing/status"] }),
    ),
    merge(`${group}/${validating}/{ns}-14`, { webhooks: [{ ...webhook, sideEffects: "Some" }] }),
    { method: "DELETE", path: `${group}/${validating}/{ns}-14` },
  ]),
];
