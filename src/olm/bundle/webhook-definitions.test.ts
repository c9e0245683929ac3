import { expect, test } from "vitest";
import { parseManifest } from "../../ship/manifest.ts";
import { isForSelfSigning } from "./assemble-csv.ts";
import { installDeployment, signsWebhookCertificate } from "./assemble-csv.ts";
import { type Deployment, findWebhooks } from "./webhook-definitions.ts";

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: shop.manager, namespace: system }
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers:
      - name: manager
        args: [--leader-elect, --self-signed-webhook-certs, --webhook-service=$(WEBHOOK_SERVICE)]
        env: [{ name: WEBHOOK_SERVICE, value: hooks }]
`;

const service = `
apiVersion: v1
kind: Service
metadata: { name: hooks, namespace: system }
spec: { selector: { app: shop }, ports: [{ port: 443, targetPort: 9443 }] }
`;

const webhooks = (name: string, more = ""): string => `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: validating }
webhooks:
- name: vorder.example.com
  admissionReviewVersions: [v1]
  clientConfig: { service: { name: ${name}, namespace: system, path: /validate } }
  sideEffects: None
  failurePolicy: Ignore
  timeoutSeconds: 5
  ${more}
`;

const found = (...texts: string[]) => findWebhooks(texts.flatMap(parseManifest));

test("a webhook is described with the Deployment behind its Service", () => {
  const { definitions, services, deployments, notes } = found(deployment, service, webhooks("hooks"));

  expect(definitions).toEqual([
    {
      type: "ValidatingAdmissionWebhook",
      generateName: "vorder.example.com",
      deploymentName: "shop.manager",
      containerPort: 443,
      targetPort: 9443,
      webhookPath: "/validate",
      admissionReviewVersions: ["v1"],
      sideEffects: "None",
      failurePolicy: "Ignore",
      timeoutSeconds: 5,
    },
  ]);
  expect([...services].map(({ metadata }) => metadata.name)).toEqual(["hooks"]);
  expect([...deployments]).toEqual(["shop.manager"]);
  expect(notes).toEqual([]);
});

test("a webhook that nothing here serves is left out by name", () => {
  const { definitions, notes } = found(deployment, service, webhooks("elsewhere"));

  expect(definitions).toEqual([]);
  expect(notes).toEqual([expect.stringMatching(/^left out the webhook vorder\.example\.com: /u)]);
});

test("fields that a webhookdefinition has not are left out by name", () => {
  const { definitions, notes } = found(deployment, service, webhooks("hooks", "namespaceSelector: {}"));

  expect(definitions[0]).not.toHaveProperty("namespaceSelector");
  expect(notes).toEqual([
    "left out namespaceSelector of the webhook vorder.example.com: a webhookdefinition has no such field; OLM selects the namespaces that the operator watches",
  ]);
});

test("an operator that makes its certificate takes OLM's, and needs no roles for it", () => {
  const [object] = parseManifest(deployment) as Deployment[];
  const provided = { secrets: new Set<string>(), webhooks: true, namespaces: false };
  const [manager] = installDeployment(object!, provided).spec.template.spec!.containers;

  expect(signsWebhookCertificate(object!)).toBe(true);
  expect(manager).toEqual({
    name: "manager",
    args: ["--leader-elect", "--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"],
  });
  const named = (kind: string, name: string) => ({ apiVersion: "rbac/v1", kind, metadata: { name } });
  expect(isForSelfSigning(named("ClusterRoleBinding", "shop-webhook-ca-rolebinding"))).toBe(true);
  expect(isForSelfSigning(named("Role", "shop-webhook-certs-role"))).toBe(true);
  expect(isForSelfSigning(named("Role", "shop-manager-role"))).toBe(false);
});
