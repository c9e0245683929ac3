import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { Memcached } from "../../e2e/golden/app-operator/api/v1/memcached_types.ts";
import { Workspace } from "../../e2e/golden/team-operator/api/v1/workspace_types.ts";
import { setupWorkspaceController } from "../../e2e/golden/team-operator/src/controller/workspace_controller.ts";
import { WorkspaceValidator } from "../../e2e/golden/team-operator/src/webhook/v1/workspace_validator.ts";
import { setupMemcachedController } from "../../e2e/golden/app-operator/src/controller/memcached_controller.ts";
import { ConfigMap } from "../runtime/k8s/core/v1.ts";
import { defineKind, type Manager } from "../runtime/index.ts";
import type { ProjectFinding } from "./explore-project.ts";
import { budgetOf, examineProject, exploreProject, summaryOf } from "./explore-project.ts";
import type { Failure } from "./explore/explore.ts";

const folder = fileURLToPath(new URL("../../e2e/golden/app-operator", import.meta.url));

test("a controller of a project is explored with the project's CRDs and role", async () => {
  const { runs, crashPoints } = await exploreProject({
    kind: Memcached,
    setup: setupMemcachedController,
    folder,
  });
  expect(runs).toBeGreaterThan(0);
  expect(crashPoints.all).toContain("memcached: PATCH Deployment");
});

test("what is wrong is thrown as a story, with a test that replays it", async () => {
  /** Nothing owns what it makes. */
  const setup = (manager: Manager): void =>
    void manager.controllerFor(Memcached).complete({
      async reconcile(request) {
        await manager.client.apply(ConfigMap, { metadata: request });
      },
    });
  const copy = mkdtempSync(join(tmpdir(), "explored-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(join(folder, "config"), join(copy, "config"), { recursive: true });
  const thrown = await exploreProject({ kind: Memcached, setup, folder: copy }).catch(
    (error: Error) => error,
  );
  const { message } = thrown as Error;
  const [, trace = ""] = /^The whole trace: (\.tsbuilder\/explore\/memcached-\d+\.txt)$/m.exec(message)!;
  expect(readFileSync(join(copy, trace), "utf8")).toContain("← src/simulation/explore-project.test.ts:");
  const seed = /^leftover: [^]*To find it again: npx tsbuilder test --explore --seed (\d+)\n/.exec(
    message,
  )?.[1];
  const [, title, body = "", replayed] =
    /A test that replays it:[^]*\ntest\("(.*)", async \(\) => \{\n([^]*?) {2}const failure = await (.*);\n/.exec(
      message,
    )!;
  expect(title).toBe(`seed ${seed}: leftover`);
  expect(replayed).toBe(
    `examineProject({ kind: Memcached, setup }, { objects, steps, faults, seed: ${seed} })`,
  );
  // eslint-disable-next-line typescript/no-implied-eval -- the test that is printed
  const finding = new Function(`${body} return { objects, steps, faults };`) as () => Omit<
    ProjectFinding,
    "seed"
  >;
  const replay = (replayedSetup: typeof setup): Promise<Failure | undefined> =>
    examineProject({ kind: Memcached, setup: replayedSetup, folder }, { ...finding(), seed: Number(seed) });
  expect((await replay(setup))?.verdict.class).toBe("leftover");
  expect(await replay(setupMemcachedController)).toBeUndefined();
});

test("a kind is explored with its webhooks, as the project configures them", async () => {
  const defaulted = new Set<string | undefined>();
  const { runs } = await exploreProject({
    kind: Workspace,
    setup: setupWorkspaceController,
    webhooks(manager) {
      manager
        .webhookFor(Workspace)
        .defaulter({ default: ({ metadata }) => void defaulted.add(metadata.name) })
        .validator(new WorkspaceValidator())
        .complete();
    },
    folder: fileURLToPath(new URL("../../e2e/golden/team-operator", import.meta.url)),
  });
  expect(runs).toBeGreaterThan(0);
  expect(defaulted.size).toBeGreaterThan(0);
});

test("two explorations of a kind are shared each by itself", async () => {
  const shared = mkdtempSync(join(tmpdir(), "shared-"));
  onTestFinished(() => {
    rmSync(shared, { recursive: true });
    vi.unstubAllEnvs();
  });
  vi.stubEnv("TSBUILDER_EXPLORE_TIME", "0s");
  vi.stubEnv("TSBUILDER_EXPLORE_SHARE", JSON.stringify({ index: 1, count: 2, folder: shared }));
  const project = { kind: Memcached, setup: setupMemcachedController, folder };
  await exploreProject(project);
  await exploreProject({
    ...project,
    objects: [{ apiVersion: "v1", kind: "Node", metadata: { name: "a" } }],
  });
  expect(readdirSync(shared)).toHaveLength(1);
  await exploreProject({ ...project, controllers: ["deployment"] });
  await exploreProject({ ...project, eventually: { never: () => false } });
  expect(readdirSync(shared)).toHaveLength(3);
});

test("a kind without a CRD is named", async () => {
  const kind = defineKind({ group: "none.dev", version: "v1" }, { kind: "None", plural: "nones" });
  await expect(exploreProject({ kind, setup: () => {}, folder })).rejects.toThrow(
    "config/crd/bases has no CRD of None: npx tsbuilder manifests writes it",
  );
});

test("tsbuilder test --explore says how long, and from which seed", () => {
  expect(budgetOf({})).toEqual({ seeds: 50, processorTime: 5000 });
  expect(budgetOf({ TSBUILDER_EXPLORE_TIME: "10m", TSBUILDER_EXPLORE_SEED: "70" })).toEqual({
    seeds: Infinity,
    time: 600_000,
    from: 70,
  });
});

test("the summary names the kinds of writes that no process died at", () => {
  const crashPoints = {
    all: ["shop: PATCH ConfigMap", "shop: PATCH Shop/status"],
    missed: ["shop: PATCH Shop/status"],
  };
  const exploration = {
    runs: 4,
    failure: undefined,
    crashPoints,
    calls: { all: ["GET dns"], missed: ["GET dns"] },
    unchanged: [],
  };
  expect(summaryOf(exploration, { from: 70 })).toBe(
    "explored 4 disturbed runs from seed 70; processes died at 1 of 2 kinds of writes, but not at shop: PATCH Shop/status; calls that never failed: GET dns",
  );
});

test("the summary says how far it came if the time ended before the seeds", () => {
  const crashPoints = { all: [], missed: [] };
  const exploration = {
    runs: 31,
    failure: undefined,
    crashPoints,
    calls: { all: [], missed: [] },
    unchanged: [],
  };
  expect(summaryOf(exploration, budgetOf({}))).toBe(
    "explored 31 of 50 disturbed runs from seed 1, as many as 5 s of processor time allow; processes died at 0 of 0 kinds of writes",
  );
});
