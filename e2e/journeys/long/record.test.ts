import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { createLogger, loadConfig, Manager } from "@tsbuilder/runtime";
import { untilIdle } from "@tsbuilder/runtime/testing";
import { onTestFinished, expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { startContainerServer } from "../../support/runtime/container-server.ts";
import { Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";
import { tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
if ("missing" in programs) console.log(`left out: record: ${programs.missing}`);

test.skipIf("missing" in programs)(
  "record writes what an operator did last, and replay tells it",
  async () => {
    if ("missing" in programs) return;
    const work = mkdtempSync(join(tmpdir(), "tsbuilder-record-"));
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const cluster = await startTestCluster({ crds: [widgetDefinition] });
    onTestFinished(() => cluster.stop());
    const manager = new Manager({
      name: "shop",
      config: () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }),
      logger: createLogger({ encoder: "json", write() {} }),
      recorder: { bindAddress: "127.0.0.1:0" },
    });
    manager.controllerFor(Widget).complete({ reconcile: async () => undefined });
    const end = manager.start();
    onTestFinished(async () => {
      manager.stop();
      await end;
    });
    await manager.started;
    await manager.client.create(Widget, { metadata: { namespace: "default", name: "one" }, spec: {} });
    await untilIdle(manager);

    // The embedded cluster forwards no ports: a stand-in for an API server does, to this machine.
    const metadata = { namespace: "shop-system", name: "shop", resourceVersion: "1", uid: "1" };
    let args = [`--recorder-bind-address=${manager.addresses.recorder!}`];
    const server = await startContainerServer({
      answer({ url = "" }) {
        const template = { spec: { containers: [{ name: "manager", args }] } };
        const deployment = {
          apiVersion: "apps/v1",
          kind: "Deployment",
          metadata,
          spec: { selector: {}, template },
        };
        if (url.includes("/deployments/shop")) return { code: 200, body: JSON.stringify(deployment) };
        if (!url.includes("/pods?")) return undefined;
        const pods = {
          apiVersion: "v1",
          kind: "PodList",
          metadata: { resourceVersion: "1" },
          items: [{ metadata }],
        };
        return { code: 200, body: JSON.stringify(pods) };
      },
    });
    const kubeconfig = {
      apiVersion: "v1",
      kind: "Config",
      "current-context": "prod",
      clusters: [{ name: "prod", cluster: server.config }],
      users: [{ name: "prod", user: {} }],
      contexts: [{ name: "prod", context: { cluster: "prod", user: "prod" } }],
    };
    writeFileSync(join(work, "kubeconfig"), JSON.stringify(kubeconfig));
    const env = {
      PATH: `${dirname(programs.kubectl)}:${process.env["PATH"]}`,
      KUBECONFIG: join(work, "kubeconfig"),
      HOME: work,
    };
    const run = (...words: string[]) => tryRun({ folder: work, env }, process.execPath, cli, ...words);
    const record = ["record", "night.jsonl", "--context", "prod", "--operator", "shop-system/shop"];

    const written = await run(...record);
    expect(written).toMatchObject({ exitCode: 0 });
    expect(written.stdout).toMatch(/^wrote \d+ lines of 1 pod to night\.jsonl\n$/u);
    expect(statSync(join(work, "night.jsonl")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(work, "night.jsonl"), "utf8")).toMatch(/^\{"type":"session","format":1,/u);
    expect((await run("replay", "night.jsonl", "--object", "default/one")).stdout).toContain(
      "widget reconciles default/one, because of add of Widget default/one: done in",
    );
    expect((await run(...record)).stderr).toContain('"night.jsonl" exists');
    expect(await run(...record, "--force")).toMatchObject({ exitCode: 0 });

    const following = spawn(
      process.execPath,
      [cli, "record", "follow.jsonl", ...record.slice(2), "--follow"],
      {
        cwd: work,
        env,
      },
    );
    onTestFinished(() => void following.kill("SIGKILL"));
    const followed = (): string => readFileSync(join(work, "follow.jsonl"), "utf8");
    await eventually(() => expect(followed()).toContain("add of Widget default/one"));
    await manager.client.create(Widget, { metadata: { namespace: "default", name: "two" }, spec: {} });
    await eventually(() => expect(followed()).toContain("add of Widget default/two"));
    following.kill("SIGINT");
    expect(await once(following, "exit")).toEqual([0, null]);
    expect((await run("replay", "follow.jsonl", "--object", "default/two")).stdout).toContain(
      "widget reconciles default/two, because of add of Widget default/two: done in",
    );

    args = [];
    expect((await run(...record, "--force")).stderr).toContain("the operator runs without a recorder");
  },
);
