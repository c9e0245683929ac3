import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { limits } from "./limits.ts";

/** What tsbuilder remembers of a test's journals and plugins is nothing for the home of whoever runs it. */
const state = mkdtempSync(join(tmpdir(), "tsbuilder-state-"));
process.env["XDG_STATE_HOME"] = state;
process.on("exit", () => rmSync(state, { recursive: true, force: true }));

/** Workspace packages resolve to their sources, so that unit tests need no build. */
const source = {
  resolve: { conditions: ["@tsbuilder/source"] },
  ssr: { resolve: { conditions: ["@tsbuilder/source"] } },
};

/** Gives properties their seed. */
const randomCases = "e2e/tools/random-cases.setup.ts";

/** Lets the runtime's own `eventually` wait as long as a unit test may take. */
const patience = "e2e/tools/patience.setup.ts";

/** The dependencies that scaffolded projects share. */
const sharedInstall = "e2e/support/registries/shared-install.setup.ts";

/** Says what a test waited for that reaches its limit. */
const waits = "e2e/support/eventually.setup.ts";

export default defineConfig({
  root: new URL("..", import.meta.url).pathname,
  test: {
    projects: [
      {
        ...source,
        test: {
          name: "unit",
          include: [
            "src/**/*.test.ts",
            "e2e/{rules,support}/**/*.test.ts",
            "e2e/{book,lab,tools}/*.test.ts",
            "e2e/lab/{defects,facts,first-minute,fuzz,gallery,go-types,mutants,release,seeds}/*.test.ts",
            "e2e/golden/maria-operator/src/controller/*_{decide,drive,gtids,model,pods,sql}.test.ts",
            "e2e/oracle/{conformance,controllers,differential,kubernetes-cases,kubernetes-suite}/*.test.ts",
            "e2e/lab/bench/load/*.test.ts",
            "e2e/journeys/node/results-page.test.ts",
          ],
          setupFiles: [randomCases, patience, waits],
          expect: { poll: { timeout: limits.unit - 10_000 } },
          exclude: ["**/node_modules/**", "**/dist/**"],
          // They take as long as threads, and end even if Node fails to close a handle: in a thread it waits without end.
          pool: "forks",
          // All cores: by default one of them would stay idle.
          maxWorkers: availableParallelism(),
          isolate: false,
          testTimeout: limits.unit,
          hookTimeout: limits.unit,
        },
      },
      {
        ...source,
        test: {
          name: "journeys",
          include: ["e2e/journeys/fast/**/*.test.ts"],
          globalSetup: sharedInstall,
          setupFiles: waits,
          pool: "forks",
          maxWorkers: 2,
          testTimeout: limits.journey,
          hookTimeout: limits.journey,
        },
      },
      {
        ...source,
        test: {
          // What needs more than Node and npm, or takes its time wherever it runs.
          name: "long-journeys",
          include: ["e2e/journeys/long/**/*.test.ts", "e2e/lab/snippets/*.test.ts"],
          globalSetup: sharedInstall,
          setupFiles: waits,
          pool: "forks",
          maxWorkers: 2,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
      {
        ...source,
        test: {
          // What `npm run book` built.
          name: "built-book",
          include: ["e2e/book/built/*.test.ts"],
          // A hundred pages in one test.
          testTimeout: 2 * limits.build,
        },
      },
      {
        ...source,
        test: {
          // Those who have only the built book and a registry: `npm run book` comes before.
          name: "strangers",
          include: ["e2e/journeys/strangers/**/*.test.ts"],
          setupFiles: waits,
          pool: "forks",
          maxWorkers: 2,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
      {
        ...source,
        test: {
          name: "node-versions",
          // What stands on Node itself: sockets, TLS, streams, timers, processes.
          include: [
            "e2e/lab/node-versions/**/*.test.ts",
            "src/runtime/http/{connection-pool,http-*,proxy-tunnel}.test.ts",
            "src/runtime/config/exec-credentials.test.ts",
            "src/runtime/watch/reflector{,-faults}.test.ts",
            "src/runtime/webhook/{webhook-server,served-reviews}.test.ts",
            "src/runtime/{client-node,containers}/*.test.ts",
            "src/runtime/manager/{loop-watchdog,own-process}.test.ts",
          ],
          pool: "forks",
          maxWorkers: 1,
          isolate: false,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
      {
        ...source,
        test: {
          name: "real",
          include: ["e2e/oracle/real/**/*.test.ts"],
          exclude: ["e2e/oracle/real/node/**"],
          globalSetup: sharedInstall,
          setupFiles: [randomCases, waits],
          pool: "forks",
          // More than cores: a file waits for servers ten times longer than it works.
          maxWorkers: 4,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
      {
        ...source,
        test: {
          // A whole Kubernetes with containers; each takes most of a machine.
          name: "node",
          include: ["e2e/oracle/real/node/**/*.test.ts", "e2e/journeys/node/**/*.test.ts"],
          exclude: ["e2e/journeys/node/results-page.test.ts"],
          globalSetup: sharedInstall,
          setupFiles: waits,
          pool: "forks",
          maxWorkers: 1,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
      {
        ...source,
        test: {
          // Kubernetes' own specs, by its own program.
          name: "kubernetes-suite",
          include: ["e2e/oracle/kubernetes-suite/quick/*.test.ts"],
          pool: "forks",
          maxWorkers: 1,
          testTimeout: limits.build,
          hookTimeout: limits.build,
        },
      },
    ],
  },
});
