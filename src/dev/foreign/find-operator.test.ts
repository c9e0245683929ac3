import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { repository } from "../../../e2e/support/source-imports.ts";
import { type OperatorChoice, findOperator } from "./find-operator.ts";

let root: string;
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), "find-operator-")), "Shop operator");
  mkdirSync(root);
});
afterEach(() => rmSync(dirname(root), { recursive: true, force: true }));

const nothing: OperatorChoice = { manifests: [], serviceAccount: undefined };

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: shops.example.com }
spec:
  group: example.com
  names: { kind: Shop, plural: shops }
  versions: [{ name: v1beta1 }, { name: v1, storage: true }]
`;
const deployment = (name: string, account: string): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: shops }
spec: { template: { spec: { serviceAccountName: ${account} } } }
`;

test("kubebuilder's layout tells the name, the account, the kinds and the webhooks", () => {
  const found = findOperator(join(repository, "e2e/support/operators/guestbook"), nothing);
  expect(found).toMatchObject({
    name: "guestbook",
    account: { namespace: "guestbook-system", name: "controller-manager" },
    kinds: [{ apiVersion: "web.example.com/v1", kind: "Guestbook", resource: "guestbooks.web.example.com" }],
    hasWebhooks: true,
    manifestPaths: ["config"],
  });
  const { rbac, others } = found.manifests();
  expect(rbac.map(({ kind }) => kind)).toEqual(
    ["ClusterRole", "ClusterRoleBinding", "ServiceAccount"].toSorted(),
  );
  expect(others).toEqual([]);
});

test("of two accounts in config/rbac, the operator has that of the Deployment", () => {
  const account = (name: string): string =>
    `kind: ServiceAccount\napiVersion: v1\nmetadata: { name: ${name} }\n`;
  write("config/rbac/accounts.yaml", `${account("metrics")}---\n${account("shop-operator")}`);
  expect(() => findOperator(root, nothing)).toThrow(
    "don't tell which ServiceAccount the operator has: metrics or shop-operator?",
  );
  write("config/manager/manager.yaml", deployment("manager", "shop-operator"));
  const { name, account: found } = findOperator(root, nothing);
  expect({ name, found }).toEqual({
    name: "shop-operator",
    found: { namespace: "shop-operator-system", name: "shop-operator" },
  });
});

test.each([
  ["resources: [../crd, ../rbac, ../webhook]", true],
  ["resources:\n- ../crd\n#- ../webhook", false],
  ["resources: 1", false],
])("with the kustomization %j, the operator has webhooks: %s", (kustomization, hasWebhooks) => {
  write("config/rbac/account.yaml", "kind: ServiceAccount\napiVersion: v1\nmetadata: { name: shop }\n");
  write(
    "config/webhook/manifests.yaml",
    "kind: ValidatingWebhookConfiguration\napiVersion: v1\nmetadata: { name: shop }\n",
  );
  write("config/default/kustomization.yaml", kustomization);
  const found = findOperator(root, nothing);
  const leftOut = hasWebhooks ? [] : ["config/webhook: config/default does not name it"];
  expect(found).toMatchObject({ hasWebhooks, leftOut });
});

test("of any manifests, all is applied but the Deployment that the command replaces", () => {
  write(
    "deploy/all.yaml",
    [
      crd,
      "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: settings, namespace: shops }",
      "apiVersion: v1\nkind: Namespace\nmetadata: { name: shops }",
      deployment("operator", "shop"),
    ].join("\n---\n"),
  );
  const found = findOperator(root, { ...nothing, manifests: ["deploy"] });
  expect(found).toMatchObject({
    account: { namespace: "shops", name: "shop" },
    kinds: [{ apiVersion: "example.com/v1", kind: "Shop" }],
    hasWebhooks: false,
    leftOut: ["Deployment operator: the command runs in its place"],
  });
  const { crds, others, rbac } = found.manifests();
  expect([crds, others, rbac].map((each) => each.map(({ kind }) => kind))).toEqual([
    ["CustomResourceDefinition"],
    ["Namespace", "ConfigMap"],
    [],
  ]);
});

test("beside other Deployments, a person says which account is the operator's", () => {
  write("all.yaml", [crd, deployment("operator", "shop"), deployment("database", "db")].join("\n---\n"));
  const files = { ...nothing, manifests: ["all.yaml"] };
  expect(() => findOperator(root, files)).toThrow("shops/shop or shops/db?");
  const found = findOperator(root, { ...files, serviceAccount: "shops/shop" });
  expect(found.manifests().others.map(({ metadata }) => metadata.name)).toEqual(["database"]);
  expect(() => findOperator(root, { ...files, serviceAccount: "shop" })).toThrow(
    '"shop" names no ServiceAccount',
  );
});

test("a name that no ServiceAccount can have is refused, and does not reach the terminal as it is", () => {
  write("all.yaml", `${crd}---\n${deployment("operator", '"\\e[2Jshop"')}`);
  expect(() => findOperator(root, { ...nothing, manifests: ["all.yaml"] })).toThrow(
    '"shops/\\u001b[2Jshop" names no ServiceAccount',
  );
});

test("a CRD that asks for a webhook's conversion makes webhooks", () => {
  write("all.yaml", `${crd}  conversion: { strategy: Webhook }\n---\n${deployment("operator", "shop")}`);
  expect(findOperator(root, { ...nothing, manifests: ["all.yaml"] }).hasWebhooks).toBe(true);
});

test.each([
  [nothing, "there are no manifests in config/crd/bases and config/rbac"],
  [
    { ...nothing, manifests: ["dist/install.yaml"] },
    'there is no "dist/install.yaml" to read manifests from',
  ],
])("without manifests there is no operator: %j", (choice, message) => {
  expect(() => findOperator(root, choice)).toThrow(message);
});
