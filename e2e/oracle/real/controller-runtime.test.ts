import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installLaunchers } from "@tsbuilder/cluster";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fetchModule } from "./go-suites/fetch-module.ts";
import { compileSuite, runSuite } from "./go-suites/run-suite.ts";

/** controller-runtime's own envtest suites, unmodified, with our launchers as their control plane. */
const suites: readonly { readonly pkg: string; readonly select?: string; readonly always?: true }[] = [
  { pkg: "pkg/client", always: true },
  // The other half downloads a kube-apiserver that doesn't support aggregated discovery.
  { pkg: "pkg/client/apiutil", select: "/aggregatedDiscovery=true" },
  { pkg: "pkg/builder", always: true },
  { pkg: "pkg/cluster" },
  { pkg: "pkg/controller" },
  { pkg: "pkg/controller/controllerutil" },
  { pkg: "pkg/envtest", always: true },
  { pkg: "pkg/handler" },
  { pkg: "pkg/internal/controller" },
  { pkg: "pkg/internal/recorder" },
  { pkg: "pkg/manager/internal/integration" },
  { pkg: "pkg/metrics/filters" },
  { pkg: "pkg/reconcile" },
  { pkg: "pkg/source" },
  { pkg: "pkg/webhook", always: true },
  { pkg: "pkg/cache" },
  { pkg: "pkg/manager" },
];

/** Specs that can't pass here, and why. */
const leftOut = new Map([
  [
    "controller Warmup should not leak goroutines when manager is stopped with warmup runnable and with leader election enabled",
    "counts idle connections; the embedded server speaks HTTP/1.1, so there is more than one",
  ],
]);

const wanted = process.env["GO_SUITES"];
const all = wanted === "all";
const isLeftOut = wanted === undefined || spawnSync("go", ["version"]).status !== 0;
if (isLeftOut)
  console.log(
    "left out: controller-runtime's suites, which compile for minutes: GO_SUITES=some (4 of 17), all",
  );

describe.skipIf(isLeftOut)("controller-runtime", { timeout: 1_800_000 }, () => {
  let assets: string;
  let module: string;
  beforeAll(() => {
    assets = mkdtempSync(join(tmpdir(), "go-suites-"));
    installLaunchers(assets);
    module = fetchModule("sigs.k8s.io/controller-runtime", "v0.23.1");
  });
  afterAll(() => rmSync(assets, { recursive: true, force: true }));

  test.each(suites.filter(({ always }) => all || always))(
    "$pkg passes on the launchers",
    async ({ pkg, select }) => {
      const suite = await compileSuite(module, pkg, join(assets, "suite"));
      const { passed, failed, output } = await runSuite(suite, { KUBEBUILDER_ASSETS: assets }, select);
      const known = [...failed.keys()].filter((name) => leftOut.has(name));
      const unknown = [...failed].filter(([name]) => !leftOut.has(name));
      console.log(`${pkg}: ${passed} passed, ${failed.size} failed`);
      for (const name of known) console.log(`  left out: ${name}: ${leftOut.get(name)!}`);
      if (unknown.length > 0) console.log(output.slice(-5000));
      expect(unknown).toEqual([]);
      expect(passed).toBeGreaterThan(0);
    },
  );
});
