import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { findAssets } from "./find-assets.ts";
import { useLaunchers } from "./use-launchers.ts";

let state: string;
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), "use-launchers-"));
  vi.stubEnv("XDG_STATE_HOME", state);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(state, { recursive: true, force: true });
});

test("useLaunchers() writes the programs that envtest starts, and names each of them", async () => {
  const variables = await useLaunchers({ controllers: "garbagecollector" });
  const folder = join(state, "tsbuilder/envtest");
  expect(variables).toEqual({
    KUBEBUILDER_ASSETS: folder,
    TEST_ASSET_KUBE_APISERVER: join(folder, "kube-apiserver"),
    TEST_ASSET_ETCD: join(folder, "etcd"),
    TSBUILDER_CONTROLLERS: "garbagecollector",
  });
  for (const program of ["kube-apiserver", "etcd"]) accessSync(join(folder, program), constants.X_OK);
});

test("useLaunchers() unsets the controllers of the time before", async () => {
  expect(await useLaunchers({})).toHaveProperty("TSBUILDER_CONTROLLERS", undefined);
});

test("useLaunchers() refuses an unknown controller, and writes nothing", async () => {
  await expect(useLaunchers({ controllers: "garbagecolector" })).rejects.toMatchObject({
    message: 'unknown controller "garbagecolector"',
    hint: 'did you mean "garbagecollector"?',
  });
  expect(() => accessSync(join(state, "tsbuilder/envtest"))).toThrow("ENOENT");
});

test("a test on a real API server doesn't take the embedded cluster for one", async () => {
  const { KUBEBUILDER_ASSETS: folder } = await useLaunchers({});
  await expect(findAssets(folder)).rejects.toMatchObject({
    message: "KUBEBUILDER_ASSETS names the embedded cluster, which is no real API server",
  });
});
