import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everythingBelow } from "../../../src/scaffold/tree.ts";
import { type ManifestObject, parseManifest } from "../../../src/ship/manifest.ts";
import { run as call } from "../../golden/golden-projects.ts";
import { eventually } from "../../support/eventually.ts";
import { FakeKubelet } from "../../support/cluster/fake-kubelet.ts";
import { downloadGoModule } from "../../support/go-module.ts";
import { findPrograms, kubectlReleases } from "../../support/kubectl-binaries.ts";
import { type BundleImages, OlmStandIn } from "../../support/olm/olm-stand-in.ts";
import { repository } from "../../support/source-imports.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

// Bundles that OLM installs and upgrades, on a real API server with OLM's CRDs; a stand-in plays OLM. The tests depend
// on each other.

const programs = findPrograms(kubectlReleases.at(-1)!);
const binaries = findBinaries({ build: false });
const crds = olmCrds();
const missing =
  "missing" in binaries
    ? binaries.missing
    : "missing" in programs
      ? programs.missing
      : "missing" in crds
        ? crds.missing
        : undefined;
if (missing !== undefined) console.log(`left out: run bundle on a real control plane: ${missing}`);

const path = process.env["PATH"];
const work = mkdtempSync(join(tmpdir(), "tsbuilder-run-bundle-"));
const root = join(work, "mysql-operator");
const namespace = "mysql-operator-system";
const image = (version: string): string => `registry.example.com/mysql-bundle:v${version}`;
const used = ["Subscription", "InstallPlan", "ClusterServiceVersion", "CatalogSource"];
const images: Record<string, ManifestObject[]> = {};
let control: ControlPlane;
let client: ReturnType<typeof createClient>;
let kubelet: FakeKubelet;
let olm: OlmStandIn;

function olmCrds(): { readonly crds: readonly ManifestObject[] } | { readonly missing: string } {
  const module = "github.com/operator-framework/api@v0.31.0";
  try {
    const folder = join(downloadGoModule(module).Dir, "crds");
    const files = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
    return { crds: files.flatMap((name) => parseManifest(readFileSync(join(folder, name), "utf8"))) };
  } catch (error) {
    return { missing: `${module}: ${(error as Error).message.split("\n")[0]}` };
  }
}

/** Calls tsbuilder while the stand-in works. */
async function tsbuilder(...words: string[]): Promise<string> {
  const working = new AbortController();
  const standIn = (async () => {
    while (!working.signal.aborted) {
      await olm.step();
      await delay(100);
    }
    return "";
  })();
  const called = alone(...words);
  try {
    // An error of the stand-in ends the test, which would wait for a plan otherwise.
    await Promise.race([called, standIn]);
    return await called;
  } finally {
    working.abort();
    await standIn;
  }
}

/** Calls tsbuilder while nobody plays OLM. */
async function alone(...words: string[]): Promise<string> {
  return call([...words, "--kubeconfig", control.kubeconfig], root);
}

async function bundle(version: string): Promise<ManifestObject[]> {
  await call(["bundle", "--image", `registry.example.com/mysql:v${version}`, "--version", version], root);
  const tree = everythingBelow(root);
  return tree.list("bundle/manifests").flatMap((file) => parseManifest(tree.read(file)!));
}

async function names(apiVersion: string, kind: string): Promise<string[]> {
  const found = await client.list(await client.mapper.kindFor({ apiVersion, kind }), {});
  return found.map(({ metadata }) => metadata.name);
}

async function read(apiVersion: string, kind: string, name: string): Promise<object | undefined> {
  return client.find(await client.mapper.kindFor({ apiVersion, kind }), { namespace, name });
}

beforeAll(async () => {
  if ("missing" in binaries || "missing" in programs || "missing" in crds) return;
  process.env["PATH"] = `${dirname(programs.kubectl)}:${path}`;
  cpSync(join(repository, "e2e/golden/mysql-operator"), root, { recursive: true });
  control = await startControlPlane(binaries.folder, { controllerManager: true });
  client = createClient(await loadConfig({ kubeconfig: control.kubeconfig, env: {} }));
  kubelet = new FakeKubelet(client);
});

afterAll(async () => {
  process.env["PATH"] = path;
  await kubelet?.stop();
  await client?.close();
  await control?.stop();
  rmSync(work, { recursive: true, force: true });
});

describe.skipIf(missing !== undefined)("tsbuilder run bundle", () => {
  test("refuses a cluster without OLM, before it writes anything", async () => {
    await bundle("1.0.0");
    const words = ["run", "bundle", image("1.0.0"), "--kubeconfig", control.kubeconfig];

    await expect(call(words, root)).rejects.toMatchObject({
      code: "REFUSED",
      message: expect.stringContaining("it has no OLM v0") as string,
    });
    expect(await names("v1", "Namespace")).not.toContain(namespace);
  });

  test("has OLM install a bundle, and upgrade it", async () => {
    const definitions = await client.mapper.kindFor({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
    });
    for (const crd of "crds" in crds ? crds.crds : []) await client.create(definitions, crd);
    for (const kind of used) {
      await eventually(() => client.mapper.kindFor({ apiVersion: "operators.coreos.com/v1alpha1", kind }));
    }
    const group = { apiVersion: "operators.coreos.com/v1", kind: "OperatorGroup" };
    await eventually(() => client.mapper.kindFor(group));
    images[image("1.0.0")] = await bundle("1.0.0");
    olm = new OlmStandIn(client, images satisfies BundleImages);
    const first = await tsbuilder("run", "bundle", image("1.0.0"));
    images[image("1.1.0")] = await bundle("1.1.0");
    const second = await tsbuilder("run", "bundle-upgrade", image("1.1.0"));

    expect(first).toContain("OLM has installed mysql-operator.v1.0.0");
    expect(second).toContain("OLM has upgraded to mysql-operator.v1.1.0");
    expect(await read("operators.coreos.com/v1alpha1", "Subscription", "mysql-operator")).toMatchObject({
      spec: { installPlanApproval: "Manual", startingCSV: "mysql-operator.v1.0.0" },
      status: { installedCSV: "mysql-operator.v1.1.0" },
    });
    expect(await read("operators.coreos.com/v1", "OperatorGroup", "tsbuilder-run-bundle")).toBeDefined();
    expect(await read("apps/v1", "Deployment", "mysql-operator-catalog")).toMatchObject({
      status: { availableReplicas: 1 },
    });
  });

  test("refuses to install it twice, to upgrade to what is there, and another install mode", async () => {
    const other = ["--install-mode", "SingleNamespace=shop"];

    await expect(tsbuilder("run", "bundle", image("1.1.0"))).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    await expect(tsbuilder("run", "bundle-upgrade", image("1.1.0"))).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    await expect(tsbuilder("run", "bundle", image("1.1.0"), ...other)).rejects.toThrow(
      "the bundle does not support the install mode SingleNamespace",
    );
  });

  test("cleanup deletes it all", async () => {
    const printed = await tsbuilder("cleanup", "mysql-operator");

    expect(printed).toContain(
      'customresourcedefinition.apiextensions.k8s.io "mysqls.apps.example.com" deleted',
    );
    for (const kind of used.filter((one) => one !== "InstallPlan")) {
      expect(await names("operators.coreos.com/v1alpha1", kind)).toEqual([]);
    }
    expect(await names("operators.coreos.com/v1", "OperatorGroup")).toEqual([]);
    expect(await names("apps/v1", "Deployment")).toEqual([]);
    await expect(tsbuilder("cleanup", "mysql-operator")).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("goes on where an earlier call stopped", async () => {
    images[image("1.2.0")] = await bundle("1.2.0");
    await expect(alone("run", "bundle", image("1.2.0"), "--timeout", "0")).rejects.toThrow(
      "OLM made no plan for mysql-operator.v1.2.0",
    );
    expect(await tsbuilder("run", "bundle", image("1.2.0"))).toContain("OLM has installed");

    images[image("1.3.0")] = await bundle("1.3.0");
    await expect(alone("run", "bundle-upgrade", image("1.3.0"), "--timeout", "0")).rejects.toThrow(
      "OLM made no plan for mysql-operator.v1.3.0",
    );
    await expect(tsbuilder("run", "bundle-upgrade", image("1.2.0"))).rejects.toMatchObject({
      code: "ALREADY_EXISTS",
    });
    expect(await tsbuilder("run", "bundle-upgrade", image("1.3.0"))).toContain("OLM has upgraded");
  });

  test("cleanup deletes the rest when it is called again after a failure", async () => {
    const mysql = await client.mapper.kindFor({ apiVersion: "apps.example.com/v1", kind: "MySQL" });
    const metadata = { namespace, name: "kept", finalizers: ["example.com/keep"] };
    const [sample] = everythingBelow(root)
      .list("config/samples")
      .filter((file) => file.endsWith("_mysql.yaml"))
      .flatMap((file) => parseManifest(everythingBelow(root).read(file)!));
    await client.create(mysql, { ...sample, metadata });

    await expect(alone("cleanup", "mysql-operator", "--timeout", "1")).rejects.toThrow("kept");
    expect(await names("operators.coreos.com/v1alpha1", "Subscription")).toEqual([]);
    const kept = await client.get(mysql, { namespace, name: "kept" });
    await client.update(mysql, { ...kept, metadata: { ...kept.metadata, finalizers: [] } });
    await alone("cleanup", "mysql-operator");

    expect(await names("operators.coreos.com/v1alpha1", "ClusterServiceVersion")).toEqual([]);
    expect(await names("operators.coreos.com/v1alpha1", "CatalogSource")).toEqual([]);
    expect(await names("apps/v1", "Deployment")).toEqual([]);
  });

  test("cleanup deletes a catalog to which nothing is subscribed", async () => {
    await expect(alone("run", "bundle", image("1.3.0"), "--timeout", "0")).rejects.toThrow("no plan");
    const subscriptions = await client.mapper.kindFor({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
    });
    await client.delete(subscriptions, { namespace, name: "mysql-operator" });
    await alone("cleanup", "mysql-operator");

    expect(await names("apps/v1", "Deployment")).toEqual([]);
    expect(await names("operators.coreos.com/v1", "OperatorGroup")).toEqual([]);
  });

  test("overwrites and deletes nothing that others made", async () => {
    const configMaps = await client.mapper.kindFor({ apiVersion: "v1", kind: "ConfigMap" });
    const metadata = { namespace, name: "mysql-operator-catalog" };
    await client.create(configMaps, { metadata, data: { "catalog.yaml": "theirs" } });

    await expect(alone("run", "bundle", image("1.3.0"))).rejects.toMatchObject({ code: "REFUSED" });
    await expect(alone("cleanup", "mysql-operator")).rejects.toMatchObject({ code: "NOT_FOUND" });
    expect(await client.find(configMaps, metadata)).toMatchObject({ data: { "catalog.yaml": "theirs" } });
    await client.delete(configMaps, metadata);

    const subscriptions = await client.mapper.kindFor({
      apiVersion: "operators.coreos.com/v1alpha1",
      kind: "Subscription",
    });
    const subscription = { namespace, name: "databases" };
    await client.create(subscriptions, {
      metadata: subscription,
      spec: { name: "mysql-operator", source: "operatorhub", sourceNamespace: "olm" },
    });
    const message = "mysql-operator comes from the catalog olm/operatorhub";

    await expect(alone("run", "bundle", image("1.3.0"))).rejects.toThrow(message);
    await expect(alone("cleanup", "mysql-operator")).rejects.toThrow(message);
    expect(await client.find(subscriptions, subscription)).toBeDefined();
    await client.delete(subscriptions, subscription);
  });

  test("says why OLM could not install it", async () => {
    olm.outcome = { phase: "Failed", message: "the service account is missing" };

    await expect(tsbuilder("run", "bundle", image("1.3.0"))).rejects.toThrow(
      "OLM could not install mysql-operator.v1.3.0: the service account is missing",
    );
  });
});
