import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { startControlPlane } from "./control-plane.ts";
import { findBinaries, kubernetesVersion } from "./control-plane-binaries.ts";

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
