import { expect, test } from "vitest";
import { type Recorded, restorer } from "../record/recorded.ts";
import { ann, bodyOf, child, cluster, mysql, operator, write, written } from "./testdata/sample-writes.ts";

test("what hands did is done again, and what the operator made of it is expected", () => {
  const ready = { conditions: [{ type: "Ready", status: "True", reason: "Up", message: "for 3 s" }] };
  const labels = { app: "db" };
  const { text, notes } = written([
    write(0, "ADDED", { user: "ann", userAgent: "tsbuilder-runtime" }, mysql("db", { spec: { size: 1 } })),
    write(1, "ADDED", operator, child("Deployment", "db", "db", { spec: { replicas: 1 }, status: {} })),
    write(2, "MODIFIED", operator, mysql("db", { spec: { size: 1 }, status: ready }, { generation: 1 })),
    write(9, "MODIFIED", ann, mysql("db", { spec: { size: 2 }, status: ready }, { generation: 2, labels })),
    write(10, "MODIFIED", operator, child("Deployment", "db", "db", { spec: { replicas: 2 } })),
    write(
      11,
      "MODIFIED",
      operator,
      mysql("db", { spec: { size: 2 }, status: { ...ready, observedGeneration: 2 } }, { generation: 2 }),
    ),
    write(12, "ADDED", operator, child("ConfigMap", "db", "notes", { data: { at: "2026-01-02T03:04:05Z" } })),
  ]);
  expect(notes).toEqual([]);
  expect(text.startsWith('/* ours */\n\nimport { controllerNames } from "@tsbuilder/cluster";\n')).toBe(true);
  expect(text).toContain('import { MySQL } from "../../api/v1/mysql_types.ts";\n');
  expect(text).toContain('import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";\n');
  expect(text).toContain('import { setupMySQLController } from "./mysql_controller.ts";\n');
  expect(text).toContain("startTestManager(cluster.kubeconfig, setupMySQLController)");
  expect(bodyOf(text)).toBe(`  const { client } = manager;

  await client.create(MySQL, { metadata: { name: "db", namespace: "default" }, spec: { size: 1 } });

  await untilIdle(manager.manager);
  await eventually(async () => {
    const found = await client.get(MySQL, { namespace: "default", name: "db" });
    expect(found).toMatchObject({
      status: {
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: "Ready", status: "True", reason: "Up" }),
        ]),
      },
    });
  });

  await client.patch(MySQL, { namespace: "default", name: "db" }, { merge: { spec: { size: 2 }, metadata: { labels: { app: "db" } } } });

  await untilIdle(manager.manager);
  await eventually(async () => {
    const found = await client.get(MySQL, { namespace: "default", name: "db" });
    expect(found).toMatchObject({
      spec: { size: 2 },
      status: {
        observedGeneration: found.metadata.generation,
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: "Ready", status: "True", reason: "Up" }),
        ]),
      },
    });
  });
  await eventually(async () => {
    const found = await client.get(Deployment, { namespace: "default", name: "db" });
    expect(found).toMatchObject({
      metadata: { ownerReferences: [{ kind: "MySQL", name: "db" }] },
      spec: { replicas: 2 },
    });
  });
  await eventually(async () => {
    const found = await client.get(ConfigMap, { namespace: "default", name: "notes" });
    expect(found).toMatchObject({
      metadata: { ownerReferences: [{ kind: "MySQL", name: "db" }] },
      data: { at: expect.any(String) },
    });
  });
`);
});

test("what can't be the same in another run is left out, and said", () => {
  const secret = { apiVersion: "v1", kind: "Secret", data: { password: "(not shown)" } };
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
  const own = mysql("db", {}, { uid: "11111111-2222-3333-4444-555555555555" });
  const { text, notes } = written([
    { ...write(0, "ADDED", ann, { ...crd, metadata: { name: "others" } }), ...crds },
    write(0, "ADDED", ann, { ...secret, metadata: { name: "pw", namespace: "default" } }),
    write(0, "MODIFIED", ann, { ...secret, metadata: { name: "pw", namespace: "default" } }),
    write(0, "ADDED", ann, own),
    write(0, "ADDED", ann, child("ConfigMap", "db", "theirs")),
    write(1, "ADDED", operator, { ...child("Secret", "db", "made"), data: secret.data }),
    write(1, "ADDED", operator, {
      ...mysql("x"),
      kind: "Pod",
      metadata: { generateName: "db-", name: "db-x8vpk" },
    }),
    write(1, "MODIFIED", operator, mysql("db", { status: { id: own.metadata.uid, pod: "db-x8vpk" } })),
    { type: "full", at: "2026-01-02T00:00:00Z" },
  ]);
  expect(notes).toEqual([
    "the CRD others was applied by hand: give its file to startTestCluster, too",
    'the values of Secret default/pw are not in a record: replace "not-recorded" in the test',
    "a change of the values of Secret default/pw is left out: they are not in a record",
    "ConfigMap default/theirs is created without its owners: their uids differ between runs",
    "Pod db-x8vpk is left out: its name is generated",
    "the record is full: the test ends where it ends",
  ]);
  expect(text).toContain('stringData: { password: "not-recorded" }');
  expect(text).toContain("data: { password: expect.any(String) }");
  expect(text).toContain("status: { id: expect.any(String), pod: expect.any(String) }");
  expect(text).not.toContain("db-x8vpk");
});

const crds = { resource: "customresourcedefinitions.apiextensions.k8s.io" };

test("what a hand had a name generated for is created by that name", () => {
  const { text, notes } = written([
    write(0, "ADDED", ann, mysql("tmp-x8vpk", {}, { generateName: "tmp-" })),
    write(1, "ADDED", operator, child("ConfigMap", "tmp-x8vpk", "of-tmp-x8vpk")),
  ]);
  expect(notes).toEqual([]);
  expect(text).toContain('client.create(MySQL, { metadata: { name: "tmp-x8vpk", namespace: "default" } });');
  expect(text).toContain('client.get(ConfigMap, { namespace: "default", name: "of-tmp-x8vpk" })');
});

test("the names of a StatefulSet's pods are the same in each run", () => {
  const generateName = "db-";
  const status = { primary: "db-0", other: "db-x8vpk" };
  const { text } = written([
    write(0, "ADDED", ann, mysql("db")),
    write(1, "ADDED", cluster, { ...mysql("db-0", {}, { generateName }), kind: "Pod" }),
    write(1, "ADDED", cluster, { ...mysql("db-x8vpk", {}, { generateName }), kind: "Pod" }),
    write(2, "MODIFIED", operator, mysql("db", { status })),
  ]);
  expect(text).toContain('status: { primary: "db-0", other: expect.any(String) }');
});

test("with an object, other custom resources and what they own are left out", () => {
  const recorded = [
    write(0, "ADDED", ann, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name: "all" },
    }),
    write(0, "ADDED", ann, {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "else", name: "away" },
    }),
    write(0, "ADDED", ann, mysql("db")),
    write(0, "ADDED", ann, mysql("other")),
    write(1, "ADDED", operator, child("ConfigMap", "db", "of-db")),
    write(1, "ADDED", operator, child("ConfigMap", "other", "of-other")),
  ];
  const { text } = written(recorded, "default/db");
  const names = [...text.matchAll(/name: "([\w-]+)"/gu)].map(([, name]) => name);
  expect(new Set(names)).toEqual(new Set(["all", "db", "of-db"]));
  expect(() => written(recorded, "default/none")).toThrow(
    expect.objectContaining({
      message: 'the record has no custom resource "default/none"',
      hint: "it has default/db, default/other",
    }),
  );
});

const wentBack = (second: number, to: number): Recorded => ({
  type: "action",
  at: new Date(second * 1000).toISOString(),
  name: "restore",
  input: { at: new Date(to * 1000).toISOString() },
  outcome: "done",
  seconds: 0.5,
});

test("of a session that went back in time, the test does what led to its end", () => {
  const names = (recorded: readonly Recorded[]) => {
    const { text, notes } = written(recorded);
    expect(notes.filter((note) => note.includes("back in time"))).toEqual([]);
    return [...text.matchAll(/client\.(\w+)\(MySQL, \{.*?name: "([\w-]+)"/gu)].map(
      ([, verb, name]) => `${verb} ${name}`,
    );
  };
  const undone = [
    write(1, "ADDED", ann, mysql("a")),
    write(5, "ADDED", ann, mysql("b")),
    write(6, "DELETED", ann, mysql("a")),
    write(10, "ADDED", { user: restorer }, mysql("a")),
    write(10, "DELETED", { user: restorer }, mysql("b")),
  ];
  const back = [...undone, wentBack(9, 3), write(12, "ADDED", ann, mysql("c"))];
  expect(names(back)).toEqual(["create a", "create c", "get a", "get c"]);
  // Back to before that, and then to a moment that had been undone.
  expect(names([...back, wentBack(20, 2)])).toEqual(["create a", "get a"]);
  expect(names([...back, wentBack(20, 5.5), write(22, "DELETED", ann, mysql("b"))])).toEqual([
    "create a",
    "create b",
    "delete b",
    "get a",
    "find b",
  ]);
});

test("a session that went back in time, of an earlier version, is written with a note of that", () => {
  const forward = [write(0, "ADDED", ann, mysql("db")), write(1, "DELETED", ann, mysql("db"))];
  const back = write(2, "ADDED", { user: restorer }, mysql("db"));
  expect(written(forward).notes).toEqual([]);
  expect(written([...forward, back]).notes).toEqual([expect.stringContaining("went back in time")]);
});

test("objects that own each other belong to no custom resource", () => {
  const owner = (name: string) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name,
    uid: `uid-of-ConfigMap default/${name}`,
  });
  const configMap = (name: string, of: string) => ({
    ...mysql(name, {}, { ownerReferences: [owner(of)] }),
    apiVersion: "v1",
    kind: "ConfigMap",
  });
  const { text } = written(
    [
      write(0, "ADDED", ann, mysql("db")),
      write(0, "ADDED", operator, configMap("a", "b")),
      write(0, "ADDED", operator, configMap("b", "a")),
    ],
    "default/db",
  );
  expect(text).toContain('client.get(ConfigMap, { namespace: "default", name: "b" })');
});

test.each<[string, readonly Recorded[]]>([
  ["--samples", [write(0, "ADDED", operator, mysql("db"))]],
  ["--context", [{ type: "dev", at: "2026-01-02T00:00:00Z", text: "ready" }]],
])("a record in which no hand did anything is refused with a hint at %s", (flag, recorded) => {
  expect(() => written(recorded)).toThrow(
    expect.objectContaining({
      message: "nobody created, changed or deleted anything in this record",
      code: "INVALID_ARGUMENT",
      hint: expect.stringContaining(flag) as string,
    }),
  );
});

test.each([
  [2.5, true],
  [3, false],
])("that something still changed is noted of a session that ended at second %j: %j", (end, isNoted) => {
  const recorded = [
    write(1, "ADDED", ann, mysql("a")),
    write(2, "ADDED", operator, child("Service", "a", "a")),
  ];
  const { notes } = written(recorded, undefined, end * 1000);
  expect(notes.some((note) => note.startsWith("something still changed"))).toBe(isNoted);
});

test("a reconcile that wrote nothing is something that still happened", () => {
  const reconcile = {
    type: "reconcile",
    at: new Date(4000).toISOString(),
    controller: "mysql",
    request: "default/a",
    reconcileID: "id",
    causes: [],
    requests: [],
    outcome: "done",
    seconds: 0.5,
  } as const;
  const noted = (end: number) =>
    written([write(1, "ADDED", ann, mysql("a")), reconcile], undefined, end).notes.filter((note) =>
      note.startsWith("something still changed"),
    ).length;
  expect([noted(5400), noted(5500)]).toEqual([1, 0]);
});

test("a session ends with its last line", () => {
  const recorded = [
    write(1, "ADDED", ann, mysql("a")),
    write(2, "ADDED", operator, child("Service", "a", "a")),
  ];
  const noted = (all: readonly Recorded[]) => written(all, undefined, null).notes.length;
  expect([
    noted(recorded),
    noted([...recorded, { type: "dev", at: new Date(4000).toISOString(), text: "stopped" }]),
  ]).toEqual([1, 0]);
});
