import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { kubernetesVersion } from "./build-kubernetes.ts";
import { findBinaries } from "./control-plane-binaries.ts";

const binaries = findBinaries({ build: false });
if ("missing" in binaries) console.log(`left out: the real control plane: ${binaries.missing}`);

test.skipIf("missing" in binaries)(
  "the real control plane starts, answers and leaves nothing running",
  async () => {
    if ("missing" in binaries) return;
    const control = await startControlPlane(binaries.folder, { controllerManager: true });
    const get = (path: string): string =>
      execFileSync("curl", ["-sk", "-H", `Authorization: Bearer ${control.token}`, `${control.url}${path}`], {
        encoding: "utf8",
      });
    expect(JSON.parse(get("/version"))).toMatchObject({ gitVersion: `v${kubernetesVersion}` });
    expect(JSON.parse(get("/api/v1/namespaces/default"))).toMatchObject({ status: { phase: "Active" } });
    await control.stop();
    expect(() => get("/version")).toThrow();
  },
);

test("a control plane fails at once if its etcd exits, with the logs of both", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ended-etcd-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = (name: string, script: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  program("kube-apiserver", "echo waiting for etcd; exec sleep 600");
  program("etcd", "echo no space; until grep -q waiting kube-apiserver.log; do sleep 0.1; done; exit 3");
  await expect(startControlPlane(folder)).rejects.toThrow(
    /^etcd ended with 3: \/readyz: .*ECONNREFUSED[^]*no space\n[^]*waiting for etcd/,
  );
});
