import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { ConfigMap, type Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { timeoutIn } from "../../../.config/limits.ts";
import { everythingBelow } from "../../../src/scaffold/tree.ts";
import { parseManifest } from "../../../src/ship/manifest.ts";
import { run as call } from "../../golden/golden-projects.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeKubelet, type PodOutcome } from "../../support/cluster/fake-kubelet.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { repository } from "../../support/source-imports.ts";
import { type ControlPlane, endingWithUs, startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";
import { findOlmPrograms } from "./olm-programs/build.ts";

// OLM v0 itself installs bundles, on a real control plane. Without containers, opm's programs run here instead of in the
// pods of the catalog and of the Job that unpacks a bundle. OLM listens on all addresses, so that all of it runs in a
// network of its own, with the address of the catalog in its hosts file: `npm run lab -- olm` makes it.

const programs = findPrograms(kubectlReleases.at(-1)!);
const binaries = findBinaries({ build: false });
const olm = findOlmPrograms();
const missing =
  "missing" in binaries
    ? binaries.missing
    : "missing" in programs
      ? programs.missing
      : "missing" in olm
        ? olm.missing
        : process.env["TSBUILDER_OLM_NETWORK"] === undefined
          ? "npm run lab -- olm runs it in a network of its own, which it makes as root"
          : undefined;
if (missing !== undefined) console.log(`left out: bundles installed by OLM itself: ${missing}`);
const folder = "missing" in olm ? "" : olm.folder;

const path = process.env["PATH"];
// Nothing cleans up after tests that are all left out.
const work = missing === undefined ? mkdtempSync(join(tmpdir(), "tsbuilder-olm-")) : "";
const name = "store-operator";
const root = join(work, name);
const namespace = `${name}-system`;
const image = (version: string): string => `registry.example.com/store-bundle:v${version}`;
/** The programs that run, and that we have not ended. */
const children = new Set<ChildProcess>();
let control: ControlPlane;
let client: ReturnType<typeof createClient>;
let kubelet: FakeKubelet;
let catalog: ChildProcess | undefined;

/** Rejects as soon as nothing can be installed any more. */
const { failed, fail } = failure();

function failure(): { readonly failed: Promise<never>; readonly fail: (reason: unknown) => void } {
  let fail!: (reason: unknown) => void;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // The promise may be rejected while nobody awaits an installation.
  failed.catch(() => undefined);
  return { failed, fail };
}

/** The environment of OLM's programs, which leave their temporary files behind when they are killed. */
function environment(added: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return { ...process.env, TMPDIR: work, KUBECONFIG: control.kubeconfig, ...added };
}

/** Starts a program that ends with us, and must not end before. */
function start(program: string, ...args: string[]): ChildProcess {
  const file = join(work, `${program}.log`);
  const log = openSync(file, "a");
  const [command = "", ...words] = [...endingWithUs, join(folder, program), ...args];
  const child = spawn(command, words, {
    cwd: work,
    env: environment({ OPERATOR_NAMESPACE: "olm", OPERATOR_NAME: program }),
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  children.add(child);
  child.once("exit", (code, signal) => {
    if (!children.delete(child)) return;
    fail(new Error(`${program} ended with ${code ?? signal}:\n${readFileSync(file, "utf8").slice(-2000)}`));
  });
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  if (!children.delete(child)) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

const unpacked = new Set<string>();

/** Does the work of the container of a Job that unpacks a bundle, before its pod succeeds. */
function unpack(pod: Pod): PodOutcome | undefined {
  const job = pod.metadata.ownerReferences?.find(({ kind }) => kind === "Job")?.name;
  if (job === undefined || unpacked.has(job)) return undefined;
  const { command = [], args = [], env = [] } = pod.spec!.containers[0]!;
  const words = [...command, ...args]
    .slice(1)
    .map((word) => (word === "/bundle/" ? `${root}/bundle/` : word));
  const image = env.find((one) => one.name === "CONTAINER_IMAGE")?.value;
  try {
    execFileSync(join(folder, "opm"), words, { env: environment({ CONTAINER_IMAGE: image }), stdio: "pipe" });
  } catch (error) {
    fail(error);
    return "failed";
  }
  unpacked.add(job);
  return undefined;
}

/** Serves the catalog with a version, as its pod would once it starts. */
async function serve(version: string): Promise<void> {
  const text = await eventually(async () => {
    const found = await client.find(ConfigMap, { namespace, name: `${name}-catalog` });
    const blobs = found?.data?.["catalog.yaml"] ?? "";
    expect(blobs).toContain(`${name}.v${version}`);
    return blobs;
  });
  if (catalog) await end(catalog);
  const served = join(work, `catalog-${version}`);
  mkdirSync(served);
  writeFileSync(join(served, "catalog.yaml"), text);
  catalog = start("opm", "serve", served, "--port", "50051", "--termination-log", join(work, "termination"));
}

/** Calls tsbuilder on a bundle of a version, while its catalog is served. */
async function install(version: string, ...words: string[]): Promise<string> {
  await call(["bundle", "--image", `registry.example.com/store:v${version}`, "--version", version], root);
  const options = ["--kubeconfig", control.kubeconfig, "--timeout", timeoutIn.build];
  const installed = Promise.all([call([...words, image(version), ...options], root), serve(version)]);
  const [printed] = await Promise.race([installed, failed]);
  return printed;
}

async function list(apiVersion: string, kind: string): Promise<unknown[]> {
  return client.list(await client.mapper.kindFor({ apiVersion, kind }), { namespace });
}

/** How many objects of the cluster each kind has that OLM has made for a bundle. */
async function countOwned(): Promise<Record<string, number>> {
  const counts = clusterKinds.map(async ([apiVersion, kind]) => {
    const known = await client.mapper.kindFor({ apiVersion, kind });
    return [kind, (await client.list(known, { labels: { "olm.owner.namespace": namespace } })).length];
  });
  return Object.fromEntries(await Promise.all(counts)) as Record<string, number>;
}

/** The CRDs of the operator. */
async function ownedCrds(): Promise<unknown[]> {
  const kind = await client.mapper.kindFor({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  });
  return (await client.list(kind)).filter(({ metadata }) => metadata.name?.endsWith(".shop.example.com"));
}

const clusterKinds = [
  ["rbac.authorization.k8s.io/v1", "ClusterRole"],
  ["rbac.authorization.k8s.io/v1", "ClusterRoleBinding"],
  ["admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"],
  ["admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"],
] as const;

beforeAll(async () => {
  if (missing !== undefined || "missing" in binaries || "missing" in programs) return;
  process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
  cpSync(join(repository, "e2e/golden", name), root, { recursive: true });
  control = await startControlPlane(binaries.folder, { controllerManager: true });
  client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  kubelet = new FakeKubelet(client, unpack);
  const crds = everythingBelow("missing" in olm ? "" : olm.crds);
  const kind = await client.mapper.kindFor({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
  });
  for (const crd of crds.list("").flatMap((file) => parseManifest(crds.read(file)!)))
    await client.create(kind, crd);
  const namespaces = await client.mapper.kindFor({ apiVersion: "v1", kind: "Namespace" });
  await client.create(namespaces, { metadata: { name: "olm" } });
  for (const one of ["Subscription", "InstallPlan", "ClusterServiceVersion", "CatalogSource", "OLMConfig"]) {
    const apiVersion = `operators.coreos.com/${one === "OLMConfig" ? "v1" : "v1alpha1"}`;
    await eventually(() => client.mapper.kindFor({ apiVersion, kind: one }));
  }
  start("catalog", "--namespace", "olm", "--interval", "10s", "--kubeconfig", control.kubeconfig);
  start("olm", "--namespace", "olm", "--interval", "10s");
});

afterAll(async () => {
  process.env["PATH"] = path;
  await kubelet?.stop();
  for (const child of children) await end(child);
  await client?.close();
  await control?.stop();
  rmSync(work, { recursive: true, force: true });
});

describe.skipIf(missing !== undefined)("OLM itself", () => {
  test("installs a bundle with webhooks and conversion", async () => {
    expect(await install("1.0.0", "run", "bundle")).toContain(`OLM has installed ${name}.v1.0.0`);
    expect(await list("operators.coreos.com/v1alpha1", "ClusterServiceVersion")).toMatchObject([
      { metadata: { name: `${name}.v1.0.0` }, status: { phase: "Succeeded" } },
    ]);
    expect(await countOwned()).toMatchObject({
      MutatingWebhookConfiguration: 1,
      ValidatingWebhookConfiguration: 2,
    });
    const service = { namespace, name: `${name}-controller-manager-service` };
    const conversion = { strategy: "Webhook", webhook: { clientConfig: { service } } };
    expect(await ownedCrds()).toMatchObject([
      { metadata: { name: "invoices.shop.example.com" }, spec: { conversion } },
      { metadata: { name: "orders.shop.example.com" }, spec: { conversion } },
    ]);
  });

  test("upgrades it", async () => {
    expect(await install("1.1.0", "run", "bundle-upgrade")).toContain(`OLM has upgraded to ${name}.v1.1.0`);
    await eventually(async () =>
      expect(await list("operators.coreos.com/v1alpha1", "ClusterServiceVersion")).toMatchObject([
        { metadata: { name: `${name}.v1.1.0` }, spec: { replaces: `${name}.v1.0.0` } },
      ]),
    );
  });

  test("has nothing left of it after cleanup", async () => {
    await call(["cleanup", name, "--kubeconfig", control.kubeconfig], root);
    const kinds = ["Subscription", "ClusterServiceVersion", "CatalogSource"];
    const left = await Promise.all(kinds.map((kind) => list("operators.coreos.com/v1alpha1", kind)));

    expect(left).toEqual([[], [], []]);
    expect(await list("operators.coreos.com/v1", "OperatorGroup")).toEqual([]);
    expect(await ownedCrds()).toEqual([]);
    await eventually(async () => {
      expect(await list("operators.coreos.com/v1alpha1", "InstallPlan")).toEqual([]);
      expect(await list("apps/v1", "Deployment")).toEqual([]);
      expect(await countOwned()).toEqual(Object.fromEntries(clusterKinds.map(([, kind]) => [kind, 0])));
    });
  });
});
