import { applyMergePatch, type JSONObject } from "@tsbuilder/apimachinery/patch";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Recorded } from "../record/recorded.ts";
import type { SampleObject } from "./testdata/sample-writes.ts";
import { ann, bodyOf, child, cluster, mysql, operator, write, written } from "./testdata/sample-writes.ts";

/** Runs the statements of a test on objects in memory; takes and returns objects by kind and key. */
async function runOn(text: string, objects = new Map<string, JSONObject>()): Promise<typeof objects> {
  type Key = { readonly namespace?: string; readonly name: string };
  const at = (kind: string, { namespace, name }: Key): string => `${kind} ${namespace ?? ""}/${name}`;
  const client = {
    create: (kind: string, object: { readonly metadata: Key }) =>
      void objects.set(at(kind, object.metadata), structuredClone(object)),
    patch: (kind: string, key: Key, { merge }: { readonly merge: JSONObject }) =>
      void objects.set(at(kind, key), applyMergePatch(objects.get(at(kind, key))!, merge)),
    delete: (kind: string, key: Key) => objects.delete(at(kind, key)),
    get: (kind: string, key: Key) => objects.get(at(kind, key)),
    find: (kind: string, key: Key) => objects.get(at(kind, key)),
  };
  const names = {
    manager: { client },
    expect,
    eventually: async (check: () => unknown) => check(),
    untilIdle: () => undefined,
    MySQL: "MySQL",
    Zone: "Zone",
    ConfigMap: "ConfigMap",
  };
  // eslint-disable-next-line no-new-func, typescript/no-implied-eval
  const run = new Function(...Object.keys(names), `return (async () => {${bodyOf(text)}})();`) as (
    ...values: unknown[]
  ) => Promise<void>;
  await run(...Object.values(names));
  return objects;
}

test("whatever hands do, the test's steps lead to the same objects", async () => {
  const texts = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("it's", "`${x}`", '"', "\\", "\u2028", "*/"),
  );
  const spec = fc.dictionary(
    fc.oneof(texts, fc.constantFrom("size", "a-b")).filter((key) => key !== "__proto__"),
    fc.oneof(texts, fc.integer(), fc.array(texts), fc.dictionary(fc.constantFrom("x", "y"), texts)),
  );
  const kinds = fc.constantFrom("MySQL", "Zone", "ConfigMap");
  const hand = fc.record({
    kind: kinds,
    name: fc.constantFrom("a", "b"),
    spec: fc.option(spec),
    pause: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(hand, { minLength: 1, maxLength: 12 }), async (hands) => {
      const objects = new Map<string, SampleObject>();
      const recorded: Recorded[] = [];
      let second = 0;
      for (const { kind, name, spec: next, pause } of hands) {
        second += pause;
        const place = `${kind} ${kind === "Zone" ? "" : "default"}/${name}`;
        const before = objects.get(place);
        const object = ofKind(kind, name, next ?? before?.["spec"] ?? {});
        if (next === null && before === undefined) continue;
        if (next === null) objects.delete(place);
        else objects.set(place, object);
        recorded.push(write(second, next === null ? "DELETED" : before ? "MODIFIED" : "ADDED", ann, object));
      }
      fc.pre(recorded.length > 0);
      const made = await runOn(written(recorded).text);
      const specs = (from: ReadonlyMap<string, unknown>) =>
        Object.fromEntries([...from].map(([place, object]) => [place, (object as SampleObject)["spec"]]));
      expect(specs(made)).toEqual(specs(objects));
    }),
  );
});

function ofKind(kind: string, name: string, spec: unknown): SampleObject {
  const metadata = kind === "Zone" ? { name } : { namespace: "default", name };
  return { apiVersion: kind === "ConfigMap" ? "v1" : "apps.example.com/v1", kind, metadata, spec };
}

test("a deletion is expected to be complete, and names the policy that was asked for", () => {
  const deletionTimestamp = "2026-01-02T00:00:00Z";
  const { text } = written([
    write(0, "KEPT", undefined, mysql("db", { status: { size: 1 } }, { finalizers: ["shop"] })),
    write(0, "KEPT", undefined, child("ConfigMap", "db", "kept")),
    write(1, "ADDED", operator, child("ConfigMap", "db", "made")),
    write(
      2,
      "MODIFIED",
      ann,
      mysql("db", {}, { deletionTimestamp, finalizers: ["shop", "foregroundDeletion"] }),
    ),
    write(3, "DELETED", cluster, child("ConfigMap", "db", "made")),
    write(4, "DELETED", operator, mysql("db", {}, { deletionTimestamp })),
  ]);
  const key = (name: string): string => `{ namespace: "default", name: "${name}" }`;
  expect(bodyOf(text).split("\n")).toEqual([
    "  const { client } = manager;",
    "",
    '  await client.create(MySQL, { metadata: { name: "db", namespace: "default" } });',
    "",
    "  await untilIdle(manager.manager);",
    "",
    `  await client.delete(MySQL, ${key("db")}, { propagationPolicy: "Foreground" });`,
    "",
    "  await untilIdle(manager.manager);",
    "  await eventually(async () => {",
    `    expect(await client.find(MySQL, ${key("db")})).toBeUndefined();`,
    "  });",
    "  await eventually(async () => {",
    `    expect(await client.find(ConfigMap, ${key("made")})).toBeUndefined();`,
    "  });",
    "",
  ]);
});

test("a finalizer that a hand removes is removed, and a status that it writes is written", () => {
  const deletionTimestamp = "2026-01-02T00:00:00Z";
  const stuck = mysql("db", {}, { deletionTimestamp, finalizers: ["shop"] });
  const { text } = written([
    write(0, "ADDED", ann, mysql("db", {}, { finalizers: ["shop"] })),
    write(0, "MODIFIED", ann, mysql("db", { status: { size: 1 } }, { finalizers: ["shop"] })),
    write(0, "MODIFIED", ann, stuck),
    write(0, "DELETED", ann, stuck),
  ]);
  const key = '{ namespace: "default", name: "db" }';
  expect(text).toContain(
    `client.subresource(MySQL, ${key}, "status").patch({ merge: { status: { size: 1 } } });`,
  );
  expect(text).toContain(`client.delete(MySQL, ${key});\n`);
  expect(text).toContain(`client.patch(MySQL, ${key}, { merge: { metadata: { finalizers: null } } });`);
});

test("what kubectl made before the record began is created first, with a Secret's keys", () => {
  const managedFields = (manager: string) => ({ managedFields: [{ manager, operation: "Update" as const }] });
  const secret = { apiVersion: "v1", kind: "Secret", data: { password: "(not shown)" } };
  const metadata = { namespace: "default", name: "pw", ...managedFields("kubectl-create") };
  const { text, notes } = written([
    write(0, "KEPT", undefined, mysql("old")),
    write(0, "KEPT", undefined, { ...secret, metadata }),
    write(0, "KEPT", undefined, {
      ...mysql("root-ca", {}, managedFields("some-controller")),
      kind: "ConfigMap",
    }),
    write(3, "ADDED", ann, mysql("db")),
  ]);
  expect(bodyOf(text).split("\n").slice(2, 11)).toEqual([
    "  await client.create(Secret, {",
    '    metadata: { name: "pw", namespace: "default" },',
    '    stringData: { password: "not-recorded" },',
    "  });",
    '  await client.create(MySQL, { metadata: { name: "old", namespace: "default" } });',
    "",
    "  await untilIdle(manager.manager);",
    "",
    '  await client.create(MySQL, { metadata: { name: "db", namespace: "default" } });',
  ]);
  expect(text).not.toContain("root-ca");
  expect(notes).toEqual([expect.stringContaining("Secret default/pw")]);
});

test("what a hand did with an object whose name is generated is left out, and said", () => {
  const pod = { ...mysql("db-x8vpk", {}, { generateName: "db-" }), kind: "Pod" };
  const { text, notes } = written([
    write(0, "ADDED", ann, mysql("db")),
    write(1, "ADDED", cluster, pod),
    write(2, "DELETED", ann, pod),
  ]);
  expect(text).not.toContain("db-x8vpk");
  expect(notes).toEqual([expect.stringContaining("what a hand did with Pod default/db-x8vpk is left out")]);
});

test("a test waits where the operator did something or a second passed, not for the cluster alone", () => {
  const object = (name: string): SampleObject => ofKind("ConfigMap", name, {});
  const { text } = written([
    write(0, "ADDED", ann, object("a")),
    write(0.1, "ADDED", cluster, object("z")),
    write(0.2, "ADDED", ann, object("b")),
    write(0.3, "ADDED", operator, object("y")),
    write(0.4, "ADDED", ann, object("c")),
    write(1.5, "ADDED", ann, object("d")),
  ]);
  const steps = bodyOf(text).matchAll(/create\(ConfigMap, \{ metadata: \{ name: "(\w)"|untilIdle/gu);
  expect([...steps].map(([step, name]) => name ?? step)).toEqual([
    "a",
    "b",
    "untilIdle",
    "c",
    "untilIdle",
    "d",
    "untilIdle",
  ]);
});
