import { given, type Stages } from "./stage.ts";

/** An operator with a child, and what its snippets give to the simulation. */
const world = `${given}
import assert from "node:assert/strict";
import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
const spec = {
  type: "object",
  required: ["owner"],
  properties: { owner: { type: "string" }, image: { type: "string" }, config: { type: "string" } },
};
const shopCRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.apps.example.com" },
  spec: {
    group: "apps.example.com",
    scope: "Namespaced" as const,
    names: { kind: "Shop", listKind: "ShopList", plural: "shops", singular: "shop" },
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object", required: ["spec"], properties: { spec } } } },
    ],
  },
};
function setupShopController(manager: Manager): void {
  const { client } = manager;
  manager.controllerFor(Shop).owns(ConfigMap).complete({
    async reconcile(request) {
      const found = await client.find(Shop, request);
      if (found) await client.apply(ConfigMap, { metadata: { name: request.name }, data: { owner: found.spec.owner } }, { owner: found });
    },
  });
}
const role = {
  rules: [
    { apiGroups: ["apps.example.com"], resources: ["shops"], verbs: ["get", "list", "watch"] },
    { apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list", "watch", "create", "patch"] },
  ],
};
const shop = {
  apiVersion: "apps.example.com/v1",
  kind: "Shop",
  metadata: { namespace: "default", name: "shop" },
  spec: { owner: "me" },
};
`;

/** The same with the manifests of a project. */
const project = `${world}
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("config/rbac", { recursive: true });
writeFileSync("config/crd/bases/Shop.yaml", JSON.stringify(shopCRD));
writeFileSync("config/rbac/role.yaml", JSON.stringify({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "manager-role" }, ...role }));
`;

/** Snippets of the guides on the simulation. */
export const simulationStages: Stages = {
  "external: { dns } });": { before: project },
  "former: async (release) => {": {
    before: `${project}\nimport { exploreProject } from "@tsbuilder/simulation";\n`,
  },
  "const servers = external({": {
    before: `import assert from "node:assert/strict";
`,
    after: `const server = { namespace: "default", pod: "db-0", options: {} };
const pods = { readFile: (_: unknown, path: string) => path, readEnv: () => "0" };
const passwords = servers.state();
assert.deepEqual(await servers.exec?.({ ...server, command: ["reload"] }, passwords, pods), { stdout: "0" });
assert.deepEqual(passwords, new Map([["db-0", "/etc/login/password"]]));
assert.deepEqual(await servers.exec?.({ ...server, command: ["ls"] }, passwords, pods), { exitCode: 127, stderr: "ls: not found" });
`,
  },
  "external: { ca }, ...promises });": {
    before: `${project}
import { external, type State } from "@tsbuilder/simulation";
interface Authority {
  readonly valid: ReadonlySet<string>;
}
const ca = external<Authority>({ state: () => ({ valid: new Set() }), handle: () => new Response() });
type Any = State["objects"][number];
const isDown = ({ metadata }: Any): boolean => metadata.deletionTimestamp !== undefined;
const expiryOf = ({ metadata }: Any): number => Date.parse(metadata.annotations?.["example.com/expiry"] ?? "");
const isServed = (state: State, { metadata }: Any): boolean =>
  state.list("ConfigMap").some((map) => map.metadata.name === metadata.name);
`,
  },
  'run.state.list("ConfigMap");': {
    before: world,
    after: `assert.deepEqual(run.state.list("ConfigMap").map(({ metadata }) => metadata.name), ["shop"]);
assert.ok(run.trace.some(({ type }) => type === "died"));
`,
  },
  "await explore(scenario, { seeds: 200 })": {
    before: `${world}
const scenario = {
  crds: [shopCRD],
  operators: [{ name: "shop", setup: setupShopController, rules: role.rules }],
  steps: [{ do: "apply" as const, object: shop }],
};
`,
    quicker: ["seeds: 200", "seeds: 20"],
    after: `assert.equal(runs, 20);
`,
  },
  "const operations = operationsFor(shopCRD": {
    before: world,
    after: `assert.ok(run.trace.some(({ type }) => type === "step"));
assert.deepEqual(unchangedFields(shopCRD, new Random(1)), []);
`,
  },
};
