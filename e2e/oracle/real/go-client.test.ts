import { execFile, spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries } from "./control-plane-binaries.ts";

/** Go's typed clients use protobuf: the program in `go-client/` must get the same results from both servers. */
const binaries = findBinaries({ build: false });
const isLeftOut = "missing" in binaries || spawnSync("go", ["version"]).status !== 0;
if (isLeftOut)
  console.log(`left out: Go's typed clients: ${"missing" in binaries ? binaries.missing : "no Go"}`);

const run = promisify(execFile);

interface Step {
  readonly step: string;
  readonly saw?: unknown;
  readonly error?: string;
}

describe.skipIf(isLeftOut)("Go's typed clients", () => {
  let folder: string;
  const program = (): string => join(folder, "goclient");

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "go-client-"));
    cpSync(fileURLToPath(new URL("go-client", import.meta.url)), folder, { recursive: true });
    const options = { cwd: folder, env: { ...process.env, GOFLAGS: "-mod=mod" } };
    await run("go", ["mod", "tidy"], options);
    await run("go", ["build", "-o", program(), "."], options);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const steps = async (kubeconfig: string): Promise<Step[]> => {
    const { stdout } = await run(program(), [kubeconfig]);
    return stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Step);
  };

  test("get the same results from the embedded cluster and from a real one", async () => {
    if ("missing" in binaries) return;
    const cluster = await startTestCluster();
    const control = await startControlPlane(binaries.folder);
    try {
      const real = await steps(control.kubeconfig);
      const embedded = await steps(await cluster.kubeconfigFile());
      expect(embedded).toEqual(real);
      const errors = real.filter(({ error }) => error !== undefined).map(({ step }) => step);
      expect(errors).toEqual(["delete of another"]);
    } finally {
      await cluster.stop();
      await control.stop();
    }
  });
});
