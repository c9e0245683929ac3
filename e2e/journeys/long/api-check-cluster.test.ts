import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { goldenHost } from "../../golden/golden-projects.ts";
import { dispatch } from "../../../src/cli/start/main.ts";
import { runKubectl } from "../../../src/ship/cluster/kubectl.ts";
import { useProjectFolder } from "../../support/projects/project-folder.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
import { createCRD } from "../../support/cluster/create-crd.ts";

const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: api check against a cluster: ${programs.missing}`);

const folder = useProjectFolder();
const crdFile = "config/crd/bases/apps.example.com_orders.yaml";

describe.skipIf("missing" in programs)("api check against the CRDs of a cluster", () => {
  let kubeconfig: string;
  let cluster: Awaited<ReturnType<typeof startTestCluster>>;

  beforeEach(async () => {
    if ("missing" in programs) return;
    await folder.initialize();
    await folder.call("create api --group apps --version v1 --kind Order");
    const foreign = createCRD({ plural: "widgets", kind: "Widget" }, { name: "v1" });
    cluster = await startTestCluster({ crds: [foreign] });
    kubeconfig = writeKubeconfig("kubeconfig", () => undefined);
    vi.stubEnv("PATH", `${dirname(programs.kubectl)}:${process.env["PATH"]}`);
    vi.stubEnv("KUBECONFIG", kubeconfig);
    vi.stubEnv("HOME", folder.root);
    return async () => {
      vi.unstubAllEnvs();
      await cluster.stop();
    };
  });

  /** Writes the cluster's kubeconfig with a change. */
  function writeKubeconfig(name: string, change: (config: typeof cluster.kubeconfig) => void): string {
    const path = join(folder.root, name);
    const config = structuredClone(cluster.kubeconfig);
    change(config);
    writeFileSync(path, JSON.stringify(config));
    return path;
  }

  /** Runs the command; returns its exit code, and all that it prints. */
  async function check(...words: string[]): Promise<{ code: number; printed: string }> {
    const printed: string[] = [];
    const keep = (text: string): void => void printed.push(text);
    const ui = { print: keep, note: keep, isInteractive: false };
    const code = await dispatch(["api", "check", ...words], folder.root, ui, goldenHost);
    return { code, printed: printed.join("\n") };
  }

  async function installCrd(): Promise<void> {
    const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
    onTestFinished(() => client.close());
    await client.create(CustomResourceDefinition, parse(folder.read(crdFile)) as never);
  }

  test("finds what the cluster has and the types have no longer, and says nothing of the CRDs of others", async () => {
    await installCrd();
    expect(await check("--context", "tsbuilder")).toEqual({
      code: 0,
      printed: `Compared with the cluster of context "tsbuilder": 0 errors, 0 warnings, 0 changes that break nobody`,
    });
    const types = join(folder.root, "api/v1/order_types.ts");
    writeFileSync(types, readFileSync(types, "utf8").replace("foo?: string;", ""));
    for (const flags of [
      ["--context", "tsbuilder"],
      ["--kubeconfig", kubeconfig],
    ]) {
      const { code, printed } = await check(...flags);
      expect([code, printed.match(/\(([a-z-]+)\)$/gmu)]).toEqual([1, ["(field-removed)"]]);
      expect(printed).toContain(`Compared with the cluster of context "tsbuilder": 1 error`);
    }
    const { stdout } = await runKubectl({ kubeconfig }, ["get", "crds", "--output", "yaml"]);
    writeFileSync(join(folder.root, "crds.yaml"), stdout);
    expect((await check("--against", "crds.yaml")).printed).toMatch(/\(field-removed\)$/mu);
  });

  test("fails if the cluster has no CRD of the project, with which nothing would break", async () => {
    await expect(check("--context", "tsbuilder")).rejects.toMatchObject({
      code: "NOT_FOUND",
      message: 'the cluster of context "tsbuilder" has no CRD of apps.example.com',
    });
  });

  test("says that the context, the cluster or the permission is missing", async () => {
    await installCrd();
    await expect(check("--context", "prod")).rejects.toMatchObject({
      message: 'the kubeconfig has no context "prod"',
    });
    await expect(check("--kubeconfig", join(folder.root, "none"))).rejects.toMatchObject({
      code: "CLUSTER_UNREACHABLE",
    });
    await runKubectl({ kubeconfig }, ["create", "serviceaccount", "stranger"]);
    const { stdout: token } = await runKubectl({ kubeconfig }, ["create", "token", "stranger"]);
    const stranger = writeKubeconfig("stranger", ({ users }) => {
      users[0].user = { token };
    });
    await expect(check("--kubeconfig", stranger)).rejects.toMatchObject({
      code: "CLUSTER_UNREACHABLE",
      message: 'the cluster of context "tsbuilder" does not allow you to list CRDs',
    });
    const dead = writeKubeconfig("dead", ({ clusters }) => {
      clusters[0].cluster.server = "https://127.0.0.1:9";
    });
    await expect(check("--kubeconfig", dead)).rejects.toMatchObject({
      code: "CLUSTER_UNREACHABLE",
      message: expect.stringContaining("does not respond") as string,
    });
  });
});
