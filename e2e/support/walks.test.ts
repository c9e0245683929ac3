import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineKind, type KubernetesObject, type Manager } from "@tsbuilder/runtime";
import { startTestManager } from "@tsbuilder/runtime/testing";
import { expect, onTestFinished, test } from "vitest";
import { openWatch } from "../../src/cluster/testing/open-watch.ts";
import { send } from "../../src/cluster/testing/send.ts";
import { startTestCluster, type TestCluster } from "../../src/cluster/testing/start-test-cluster.ts";
import { createCRD } from "./create-crd.ts";
import { eventually } from "./eventually.ts";
import { useProjectFolder } from "./project-folder.ts";
import { type Recorded, recordFiles } from "./record-files.ts";
import { repository } from "./source-imports.ts";

// The walks of src/README.md name exactly the files that are called on the way.

/** They run once, when a process or a connection starts, before the recording. */
const atStart = [
  "bin/tsbuilder.js",
  "src/cli/start/start.ts",
  "src/cli/start/scripts.ts",
  "src/cli/start/main.ts",
  "src/cluster/server/listen.ts",
];

/** The watchdog and its reports run by a timer, independently of a walk. */
const byTimer = ["loop-watchdog", "manager-servers", "controller-set"].map(
  (file) => `src/runtime/manager/${file}.ts`,
);

const folder = useProjectFolder();

test("create api calls the files that its walk names", async () => {
  const createApi = (kind: string) =>
    folder.call(`create api --group crew --version v1 --kind ${kind} --make=false`);
  await folder.initialize();
  await createApi("Captain");
  const recorded = await recordFiles((round) => createApi(`Sailor${round}`), startsOf("`create api`"));
  expect(compareWalk("`create api`", recorded, (file) => !file.startsWith("src/apimachinery/"))).toEqual(
    asNamed,
  );
});

test("a type becomes a CRD by the files that the walk names", async () => {
  await folder.initialize();
  await folder.call("create api --group crew --version v1 --kind Captain");
  const recorded = await recordFiles(() => folder.call("manifests"), startsOf("A type"));
  expect(compareWalk("A type", recorded, (file) => file.startsWith("src/generators/"))).toEqual(asNamed);
});

test("a watch event is reconciled by the files that the walk names", async () => {
  const cluster = await startCluster();
  const operator = await startTestManager(cluster, reconcileWidgets);
  onTestFinished(() => operator.stop());
  await createAndReconcile(cluster, "first");
  // Without the order: this walk is a loop, and a run begins anywhere in it.
  const recorded = await recordFiles(async (round) => {
    // Several, as a write may or may not reach the cache before its response.
    for (let at = 0; at < 10; at += 1) await createAndReconcile(cluster, `recorded-${round}-${at}`);
  });
  expect(compareWalk("A watch event", recorded, (file) => file.startsWith("src/runtime/"))).toEqual(asNamed);
});

test("a POST reaches a watch by the files that the walk names", async () => {
  const cluster = await startCluster();
  const watch = await openWatch(cluster.kubeconfig, `${widgets}?watch=true`);
  onTestFinished(() => watch.close());
  const create = async (name: string) => {
    await createWidget(cluster, name);
    await eventually(() => watch.events.some(({ object }) => object.metadata.name === name));
  };
  await create("first");
  const recorded = await recordFiles((round) => create(`recorded-${round}`), startsOf("A POST"));
  expect(
    compareWalk("A POST", recorded, (file) => file.startsWith("src/cluster/") && !file.includes("/testing/")),
  ).toEqual(asNamed);
});

const asNamed = { absent: [], calledButNotNamed: [], namedButNotCalled: [], namedTwice: [], tooEarly: [] };

/** Compares a walk of src/README.md with the recorded files of its rooms. */
function compareWalk(
  title: string,
  { called, inOrder }: Recorded,
  isOfRoom: (file: string) => boolean,
): Record<keyof typeof asNamed, readonly string[]> {
  const named = readWalk(title).flat();
  const recorded = called.filter((file) => isOfRoom(file) && !byTimer.includes(file));
  const steps = named.filter((file) => !atStart.includes(file));
  return {
    absent: named.filter((file) => !existsSync(join(repository, file))),
    calledButNotNamed: recorded.filter((file) => !steps.includes(file)),
    namedButNotCalled: steps.filter((file) => !called.includes(file)),
    namedTwice: named.filter((file, at) => named.indexOf(file) !== at),
    tooEarly: outOfOrder(startsOf(title), inOrder),
  };
}

/** The files that were called before a file that the walk names earlier. */
function outOfOrder(named: readonly string[], inOrder: readonly string[]): readonly string[] {
  const called = named.filter((file) => inOrder.includes(file));
  return called.filter((file, at) =>
    called.slice(0, at).some((before) => inOrder.indexOf(before) > inOrder.indexOf(file)),
  );
}

/** The first file of each step of a walk. */
function startsOf(title: string): readonly string[] {
  return readWalk(title).flatMap((step) => step.find((file) => !atStart.includes(file)) ?? []);
}

/** The files of the section whose title begins with this text, by step. */
function readWalk(title: string): string[][] {
  const sections = readFileSync(join(repository, "src/README.md"), "utf8").split(/^#+ /m);
  const section = sections.find((text) => text.startsWith(title)) ?? "";
  const steps = section.split(/^\d+\. /m).slice(1);
  return steps.map((step) =>
    [...step.matchAll(/`((?:src|bin)\/[\w./-]+\.(?:ts|js))`/g)].map((match) => match[1]!),
  );
}

interface Widget extends KubernetesObject {
  readonly status?: { readonly isSeen?: boolean };
}

const Widget = defineKind<Widget>(
  { group: "example.com", version: "v1" },
  { kind: "Widget", plural: "widgets" },
);
const widgets = "/apis/example.com/v1/namespaces/default/widgets";

async function startCluster(): Promise<TestCluster> {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const properties = {
    spec: { type: "object", properties: { size: { type: "integer", minimum: 1, default: 3 } } },
    status: { type: "object", properties: { isSeen: { type: "boolean" } } },
  };
  await cluster.installCRDs(createCRD(Widget, { subresources: { status: {} }, properties }));
  return cluster;
}

function reconcileWidgets(manager: Manager): void {
  manager.controllerFor(Widget).complete({
    async reconcile(request) {
      const widget = await manager.client.find(Widget, request);
      if (widget) await manager.client.patchStatus(Widget, widget, { isSeen: true });
    },
  });
}

async function createWidget({ kubeconfig }: TestCluster, name: string): Promise<void> {
  const body = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name }, spec: {} };
  expect(await send(kubeconfig, { method: "POST", path: widgets, body })).toMatchObject({ code: 201 });
}

async function createAndReconcile(cluster: TestCluster, name: string): Promise<void> {
  await createWidget(cluster, name);
  await eventually(async () => {
    const { body } = await send(cluster.kubeconfig, { method: "GET", path: `${widgets}/${name}` });
    expect(body).toMatchObject({ status: { isSeen: true } });
  });
}
