import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { Memcached } from "../../e2e/golden/app-operator/api/v1/memcached_types.ts";
import { Order } from "../../e2e/golden/store-operator/api/v1/order_types.ts";
import { setupOrderController } from "../../e2e/golden/store-operator/src/controller/order_controller.ts";
import { setupOrderDefaulter } from "../../e2e/golden/store-operator/src/webhook/v1/order_defaulter.ts";
import { setupOrderValidator } from "../../e2e/golden/store-operator/src/webhook/v1/order_validator.ts";
import { setupOrderConversion } from "../../e2e/golden/store-operator/src/webhook/v2/order_conversion.ts";
import { setupMemcachedController } from "../../e2e/golden/app-operator/src/controller/memcached_controller.ts";
import { ConfigMap } from "../runtime/k8s/core/v1.ts";
import type { Manager } from "../runtime/index.ts";
import { exploreProject } from "./explore-project.ts";
import { examineScenario } from "./explore/explore.ts";
import { Random } from "./index.ts";
import { simulate } from "./world/simulate.ts";
import { projectScenario } from "./project-scenario.ts";
import { findRelease } from "./released-project.ts";

const goldens = fileURLToPath(new URL("../../e2e/golden", import.meta.url));

/** Makes a repository with a project in it, one commit and the tag `v1.0.0`. */
function releasedProject({ subfolder = "", golden = "app-operator" } = {}): {
  folder: string;
  git: (...args: string[]) => void;
} {
  const repository = mkdtempSync(join(tmpdir(), "released-"));
  onTestFinished(() => rmSync(repository, { recursive: true }));
  const folder = join(repository, subfolder);
  for (const part of ["api", "config", "PROJECT"])
    cpSync(join(goldens, golden, part), join(folder, part), { recursive: true });
  writeFileSync(join(folder, ".gitignore"), ".tsbuilder/*\n");
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], {
      cwd: repository,
      stdio: "ignore",
    });
  git("init");
  git("add", ".");
  git("commit", "-m", "one");
  git("tag", "v1.0.0");
  return { folder, git };
}

const crdPath = "config/crd/bases/apps.example.com_memcacheds.yaml";

/** Changes the text of a project's CRD. */
function editCrd(folder: string, from: string, to: string): void {
  edit(folder, crdPath, from, to);
}

function edit(folder: string, path: string, from: string, to: string): void {
  const text = readFileSync(join(folder, path), "utf8");
  expect(text).toContain(from);
  writeFileSync(join(folder, path), text.replace(from, to));
}

test.each(["", "operator"])(
  'the last release is the newest tag before the changes; folder "%s"',
  (subfolder) => {
    const { folder, git } = releasedProject({ subfolder });
    expect(findRelease(folder)).toBeUndefined();
    editCrd(folder, "maxLength: 512", "maxLength: 600");
    const release = findRelease(folder);
    expect(release?.name).toBe("v1.0.0");
    expect(readFileSync(join(release!.folder, crdPath), "utf8")).toContain("maxLength: 512");
    git("commit", "--all", "-m", "two");
    git("tag", "v1.1.0-rc.1");
    git("tag", "v1.1.0");
    // Nothing has changed since v1.1.0.
    expect(findRelease(folder)?.name).toBe("v1.0.0");
    expect(findRelease(folder)).toEqual(release);
    expect(readFileSync(join(findRelease(folder, "v1.1.0")!.folder, crdPath), "utf8")).toContain(
      "maxLength: 600",
    );
    expect(findRelease(folder, "config")).toEqual({ name: "config", folder: join(folder, "config") });
    expect(() => findRelease(folder, "v7")).toThrow(
      '"v7" is neither a folder nor a git ref that has this project',
    );
  },
);

test("a project that is younger than the last release has none", () => {
  const { folder } = releasedProject();
  const project = join(folder, "younger");
  cpSync(join(folder, "config"), join(project, "config"), { recursive: true });
  expect(findRelease(project)).toBeUndefined();
});

test("a folder that is no repository has no release", () => {
  const folder = mkdtempSync(join(tmpdir(), "unreleased-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(findRelease(folder)).toBeUndefined();
});

/** Leaves a ConfigMap beside each Memcached, which no other release knows. */
function setupWithMap(manager: Manager): void {
  manager.controllerFor(Memcached).complete({
    async reconcile(request) {
      const owner = await manager.client.find(Memcached, request);
      if (!owner || owner.metadata.deletionTimestamp) return;
      const { namespace, name } = request;
      await manager.client.apply(ConfigMap, { metadata: { namespace, name } }, { owner });
    },
  });
}

test("every third plan begins with the release, whose objects the operator must bring up to date", async () => {
  const { folder } = releasedProject();
  editCrd(folder, "maxLength: 512", "maxLength: 600");
  const roles = join(folder, "config/rbac/role.yaml");
  writeFileSync(
    roles,
    readFileSync(roles, "utf8").replace(
      "rules:\n",
      'rules:\n- apiGroups: [""]\n  resources: [configmaps]\n  verbs: ["*"]\n',
    ),
  );
  const project = { kind: Memcached, setup: setupMemcachedController, folder };
  const right = { ...project, former: () => Promise.resolve({ setup: setupMemcachedController }) };
  await expect(exploreProject(right)).resolves.toMatchObject({ failure: undefined });
  const wrong = exploreProject({ ...project, former: () => Promise.resolve({ setup: setupWithMap }) });
  await expect(wrong).rejects.toThrow(/^upgrade: [^]*former, from: "v1\.0\.0" \}/u);
  const { release } = await projectScenario(right);
  expect(release).toBe("every third plan begins with v1.0.0, or is rolled back to it");
});

test("what the release accepted and the CRD rejects now is found, unless it is meant", async () => {
  const { folder } = releasedProject();
  editCrd(folder, "maximum: 65535", "maximum: 20000");
  const project = {
    kind: Memcached,
    setup: setupMemcachedController,
    former: () => Promise.resolve({ setup: setupMemcachedController }),
    folder,
  };
  await expect(exploreProject(project)).rejects.toThrow(/^tightened: [^]*less than or equal to 20000/u);
  writeFileSync(
    join(folder, "config/api-changes.yaml"),
    "# meant\n- rule: bound-narrowed\n  path: .spec.port\n  reason: higher ports were never reachable\n",
  );
  await expect(exploreProject(project)).resolves.toMatchObject({ failure: undefined });
});

test("objects that the release stores in another version are converted", async () => {
  const { folder } = releasedProject({ golden: "store-operator" });
  const path = "config/crd/bases/shop.example.com_orders.yaml";
  edit(folder, path, "storage: true", "storage: before");
  edit(folder, path, "storage: false", "storage: true");
  edit(folder, path, "storage: before", "storage: false");
  const project = { kind: Order, setup: setupOrderController, folder };
  const webhooks = (manager: Manager): void => {
    setupOrderDefaulter(manager);
    setupOrderValidator(manager);
    setupOrderConversion(manager);
  };
  const setup = { setup: setupOrderController, webhooks };
  const without = await projectScenario({ ...project, former: () => Promise.resolve(setup) });
  expect(without.release).toBe(
    'no plan begins with v1.0.0: its objects must be converted, and the test has no "webhooks"',
  );
  await expect(
    projectScenario({
      ...project,
      ...setup,
      former: () => Promise.resolve({ setup: setupOrderController }),
    }),
  ).rejects.toThrow('v1.0.0 has webhooks of Order: let "former" return them beside its "setup"');
  const { make, release } = await projectScenario({
    ...project,
    ...setup,
    former: () => Promise.resolve(setup),
  });
  expect(release).toContain("begins with v1.0.0");
  const upgrade = make(new Random(1), 1);
  const faults = [{ fault: "upgrade", operator: "order", at: 2500 }] as const;
  const { trace } = await simulate({ ...upgrade, faults });
  expect(trace).toContainEqual(expect.objectContaining({ type: "webhook", path: "/convert", status: 200 }));
  expect(trace.filter(({ type }) => type === "refused-install")).toEqual([]);
  expect(await examineScenario({ ...upgrade, faults })).toBeUndefined();
  const tried = [{ fault: "rollback", operator: "order", at: 2500, for: 5000 }] as const;
  expect(await examineScenario({ ...make(new Random(4), 4), faults: tried })).toBeUndefined();
});

test("a reason is given if no plan begins with the release", async () => {
  const { folder, git } = releasedProject();
  const project = {
    kind: Memcached,
    setup: setupMemcachedController,
    former: () => Promise.resolve({ setup: setupMemcachedController }),
    folder,
  };
  const reason = async (): Promise<string | undefined> => (await projectScenario(project)).release;
  expect(await reason()).toBe("there is no release yet to begin with");
  editCrd(folder, "    name: v1\n", "    name: v2\n");
  expect(await reason()).toBe("no plan begins with v1.0.0: its version v1 is no longer served");
  git("rm", "--cached", crdPath);
  git("commit", "-m", "before the kind");
  git("tag", "v2.0.0");
  writeFileSync(join(folder, "PROJECT"), "");
  expect(await reason()).toBe("v2.0.0 has no Memcached to begin with");
});

test("a release whose controller is elsewhere is named", async () => {
  const { folder } = releasedProject();
  editCrd(folder, "maxLength: 512", "maxLength: 600");
  const explored = (former: () => Promise<never>) =>
    projectScenario({ kind: Memcached, setup: setupMemcachedController, former, folder });
  await expect(explored(() => Promise.reject(new Error("not found")))).rejects.toThrow(
    `the controller of v1.0.0 can't be imported: name its file there, or omit "former" until the next release`,
  );
  await expect(explored(() => Promise.resolve({ setup: undefined } as never))).rejects.toThrow(
    'the "setup" of v1.0.0 is not a function: name what its module exports',
  );
});
