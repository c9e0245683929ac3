import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { run } from "../../../e2e/golden/golden-projects.ts";
import { findPrograms, kubectlReleases } from "../../../e2e/support/kubectl-binaries.ts";

const programs = findPrograms(kubectlReleases.at(-1)!);
const isLeftOut = "missing" in programs;
if (isLeftOut) process.stderr.write(`left out: permissions of a namespaced operator: ${programs.missing}\n`);

let root: string;
let cluster: TestCluster;
let client: ReturnType<typeof createClient>;
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "tsbuilder-cluster-scoped-"));
  const calls = [
    "init --domain example.com --project-name shop --namespaced",
    "create api --group apps --version v1 --kind Order --make=false",
    "create api --group apps --version v1 --kind Zone --cluster-scoped --make=false",
    "create api --group core --version v1 --kind Node --resource=false",
  ];
  for (const call of calls) await run(call.split(" "), root);
  cluster = await startTestCluster();
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }));
});
afterAll(async () => {
  await client?.close();
  await cluster?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe.skipIf(isLeftOut)("a namespaced operator with cluster-scoped kinds", () => {
  test("may use them, and namespaced kinds only in its own namespace", async () => {
    await install();
    expect(await grantedTo(operator)).toEqual([
      "list zones.apps.example.com",
      "update zones.apps.example.com/status",
      "watch nodes",
      "create events.events.k8s.io in default",
      "list orders.apps.example.com in shop-system",
    ]);
  });

  test("has roles for the people who use its kinds, each in the kind's scope", () => {
    const helpers = render()
      .filter(({ metadata }) => metadata.name.endsWith("-viewer-role"))
      .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(helpers).toEqual(["Role shop-order-viewer-role", "ClusterRole shop-zone-viewer-role"]);
  });

  test("may use them from any of several namespaces", async () => {
    await run(["edit", "--namespaces", "team-a"], root);
    await install();
    expect(await grantedTo(operator)).toContain("list zones.apps.example.com");
    expect(await grantedTo(operator)).toContain("list orders.apps.example.com in team-a");
    expect(await grantedTo(operator)).not.toContain("list orders.apps.example.com");
  });

  test("has one ClusterRole again when it watches all namespaces", async () => {
    await run(["edit", "--namespaced=false"], root);
    const bound = render().filter(({ kind }) => kind === "ClusterRoleBinding");
    expect(bound.map(({ metadata }) => metadata.name)).toEqual([
      "shop-manager-rolebinding",
      "shop-metrics-auth-rolebinding",
    ]);
  });
});

const operator = "system:serviceaccount:shop-system:shop-controller-manager";

interface RbacObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

function render(): RbacObject[] {
  if ("missing" in programs) throw new Error(programs.missing);
  const text = execFileSync(programs.kubectl, ["kustomize", join(root, "config/default")], {
    encoding: "utf8",
    env: { HOME: root, KUBECONFIG: "/dev/null" },
  });
  return parseAllDocuments(text)
    .map((document) => document.toJS() as RbacObject)
    .filter(({ apiVersion }) => apiVersion.startsWith("rbac.authorization.k8s.io/"));
}

async function install(): Promise<void> {
  const objects = render();
  const namespaces = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  await cluster.install(
    ...[...namespaces].map((name) => ({ apiVersion: "v1", kind: "Namespace", metadata: { name } })),
    ...objects,
  );
}

/** Which of the operator's possible requests the API server would allow. */
async function grantedTo(user: string): Promise<string[]> {
  const granted: string[] = [];
  for (const request of [
    "list zones.apps.example.com",
    "update zones.apps.example.com/status",
    "watch nodes",
    "create events.events.k8s.io in default",
    "list orders.apps.example.com",
    "list orders.apps.example.com in shop-system",
    "list orders.apps.example.com in team-a",
    "list secrets",
  ]) {
    const [, verb, resource, group = "", subresource, namespace] =
      /^(\w+) (\w+)(?:\.([\w.]+))?(?:\/(\w+))?(?: in (\S+))?$/u.exec(request)!;
    const { text } = await client.request({
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/subjectaccessreviews",
      body: {
        apiVersion: "authorization.k8s.io/v1",
        kind: "SubjectAccessReview",
        spec: { user, resourceAttributes: { verb, resource, group, subresource, namespace } },
      },
    });
    if ((JSON.parse(text) as { status: { allowed: boolean } }).status.allowed) granted.push(request);
  }
  return granted;
}
