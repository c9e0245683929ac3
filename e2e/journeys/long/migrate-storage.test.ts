import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { onTestFinished, expect, test } from "vitest";
import {
  allow,
  createWidgetCRD,
  crdName,
  deny,
  inVersion,
  statusOf,
  storeIn,
  widget,
} from "../../support/cluster/stored-widgets.ts";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { findPrograms } from "../../support/kubectl-binaries.ts";
import { tryRun } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

const cli = join(repository, "bin/tsbuilder.js");
const programs = findPrograms("33");
if ("missing" in programs)
  console.log(`left out: migrate storage on the embedded cluster: ${programs.missing}`);

test.skipIf("missing" in programs)(
  "migrate storage says how far it is, what stopped it, and goes on",
  async () => {
    if ("missing" in programs) return;
    const work = mkdtempSync(join(tmpdir(), "tsbuilder-migrate-"));
    onTestFinished(() => rmSync(work, { recursive: true, force: true }));
    const cluster = await startTestCluster({ crds: [createWidgetCRD()] });
    onTestFinished(() => cluster.stop());
    const client = createClient(() => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
    onTestFinished(() => client.close());
    for (let index = 0; index < 300; index++) await client.create(inVersion("v1"), widget(`w-${index}`));
    await storeIn(client, "v2");
    await deny(client, "w-7");
    writeFileSync(join(work, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
    const shell = {
      folder: work,
      env: {
        PATH: `${dirname(programs.kubectl)}:${process.env["PATH"]}`,
        KUBECONFIG: join(work, "kubeconfig"),
        HOME: work,
      },
    };
    const migrate = () => tryRun(shell, process.execPath, cli, "migrate", "storage", "--crd", crdName);

    const stopped = await migrate();
    expect(stopped.exitCode).toBe(1);
    expect(stopped.stderr).toContain(`Migrating stored objects in context "tsbuilder"`);
    expect(stopped.stderr).toMatch(/widgets\.example\.com: [12]00 of about 300 objects are stored in v2/u);
    expect(stopped.stderr).toMatch(/1 object can't be stored in v2: default\/w-7: .* denied request/u);
    expect((await statusOf(client)).stored).toEqual(["v1", "v2"]);

    await allow(client);
    const done = await migrate();
    expect(done).toMatchObject({
      exitCode: 0,
      stdout: `${crdName}: all objects are stored in v2: 300 objects stored again\n`,
    });
    expect((await statusOf(client)).stored).toEqual(["v2"]);
    expect((await migrate()).stdout).toBe(`${crdName}: all objects are stored in v2\n`);
  },
);
