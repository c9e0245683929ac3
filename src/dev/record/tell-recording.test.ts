import { expect, test } from "vitest";
import type { Recorded, RecordedWrite } from "./recorded.ts";
import { everything, tellRecording } from "./tell-recording.ts";

const operator = { user: "system:serviceaccount:shop-system:controller-manager", userAgent: "shop" };

function write(
  at: string,
  write: RecordedWrite["write"],
  key: string,
  { by, ...object }: { readonly kind: string; readonly [field: string]: unknown } & Pick<RecordedWrite, "by">,
): RecordedWrite {
  const resource = `${object.kind.toLowerCase()}s`;
  const metadata = { uid: `${object.kind} ${key}`, ...(object["metadata"] as object) };
  return { type: "write", at, write, resource, key, by, object: { apiVersion: "v1", ...object, metadata } };
}

/** A sample, which only the page shows. */
const sample: Recorded = {
  type: "sample",
  at: "7",
  since: "0",
  controllers: [],
  cached: {},
  cachedBytes: 0,
  blocked: 0,
  resident: 1,
  heap: 1,
  heapKept: undefined,
};

test("it is told who wrote what, why a reconcile ran and how it ended, in the order of time", () => {
  const ann = { user: "ann", userAgent: "kubectl/v1.36.0 (linux/amd64)" };
  const replicas = (many: number) => ({ kind: "StatefulSet", spec: { replicas: many }, by: operator });
  const many = { a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 };
  const recorded: Recorded[] = [
    write("1", "ADDED", "default/db", { kind: "MySQL", by: ann }),
    write("3", "ADDED", "default/db", replicas(1)),
    write("4", "MODIFIED", "default/db", replicas(3)),
    write("5", "MODIFIED", "default/db", { ...replicas(3), data: many, by: undefined }),
    write("6", "DELETED", "default/db", { ...replicas(3), by: { user: "bob" } }),
    {
      type: "reconcile",
      at: "2",
      controller: "mysql",
      request: "default/db",
      reconcileID: "1",
      causes: ["add of MySQL default/db"],
      requests: [],
      outcome: "error",
      error: "no luck",
      seconds: 0.0123,
      requeueAfter: 5e3,
    },
    { type: "operator", at: "7", text: "a line" },
    sample,
    { type: "full", at: "8" },
  ];
  expect(tellRecording(recorded).map(({ at, text }) => `${at} ${text}`)).toEqual([
    "1 MySQL default/db is created by ann (kubectl)",
    "2 mysql reconciles default/db, because of add of MySQL default/db: error in 12 ms, 0 requests, again after 5 s: no luck",
    "3 StatefulSet default/db is created by controller-manager",
    "4 StatefulSet default/db changes in spec.replicas, by controller-manager",
    "5 StatefulSet default/db changes in data, by the cluster",
    "6 StatefulSet default/db is deleted by bob",
    "7 operator | a line",
    "8 the record is full",
  ]);
});

test("at most five changed fields are named, and those that the server counts never are", () => {
  const of = (value: number, resourceVersion: string) => ({
    kind: "ConfigMap",
    by: operator,
    metadata: { resourceVersion },
    data: Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, value])),
  });
  const recorded = [write("1", "ADDED", "web", of(1, "1")), write("2", "MODIFIED", "web", of(2, "2"))];
  expect(tellRecording(recorded)[1]!.text).toBe(
    "ConfigMap web changes in data.a, data.b, data.c, data.d, data.e and 2 more fields, by controller-manager",
  );
});

test("what was done on the page is told, whatever else is left out", () => {
  const page = (at: string, name: string, input: object, error?: string): Recorded => ({
    type: "action",
    at,
    name,
    input: input as Record<string, string>,
    outcome: error === undefined ? "done" : "refused",
    seconds: 1,
    error,
  });
  const create = { verb: "create", resource: "secrets" };
  const mysql = { apiVersion: "shop/v1", kind: "MySQL", namespace: "default", name: "db" };
  const told = tellRecording([
    page("1", "restart", {}),
    page("2", "fail", { ...create, code: 403, times: 2 }),
    { type: "fault", at: "3", ...create, code: 403 },
    page("4", "fail", { ...create, delay: 5000 }),
    { type: "fault", at: "5", ...create, delay: 5000 },
    page("6", "fail", { ...create, code: 500, times: 0 }),
    page("7", "delete", mysql),
    page("8", "apply", mysql, "spec.a is wrong"),
    page("9", "move-clock", { seconds: 7200 }),
    page("9", "move-clock", { seconds: 90 }),
    page("9", "move-clock", { seconds: 86_400 }),
    page("9", "lose-leader", {}, "the operator holds no Lease"),
    page("9", "lose-leader", {}),
    page("9", "something new", {}),
  ]);
  expect(told.map(({ text }) => text)).toEqual([
    "page | restarted the operator",
    "page | has the next 2 requests to create secrets fail with 403",
    "page | had the operator's request to create secrets fail with 403",
    "page | has the next request to create secrets wait for 5 s",
    "page | had the operator's request to create secrets wait for 5 s",
    "page | let requests to create secrets pass again",
    "page | deleted MySQL default/db",
    "page | could not write MySQL default/db: spec.a is wrong",
    "page | moved the clock forward by 2 h",
    "page | moved the clock forward by 90 s",
    "page | moved the clock forward by 1 day",
    "page | could not give the operator's Lease to another replica: the operator holds no Lease",
    "page | gave the operator's Lease to another replica",
    "page | did something new",
  ]);
  expect(told.every(({ about }) => about === everything)).toBe(true);
});

test("what an object owns, and Events about it, are about the object, too", () => {
  const ownedBy = (...uids: string[]) => ({ ownerReferences: uids.map((uid) => ({ uid })) });
  const recorded = [
    write("1", "ADDED", "default/db", { kind: "MySQL", by: operator }),
    write("2", "ADDED", "default/set", {
      kind: "StatefulSet",
      by: operator,
      metadata: ownedBy("MySQL default/db"),
    }),
    write("3", "ADDED", "default/set-0", {
      kind: "Pod",
      by: operator,
      metadata: ownedBy("StatefulSet default/set"),
    }),
    write("4", "ADDED", "default/set-0.1", {
      kind: "Event",
      by: operator,
      reason: "Pulled",
      message: "there",
      involvedObject: {
        uid: "Pod default/set-0",
        kind: "Pod",
        name: "set-0",
      },
    }),
    write("5", "ADDED", "default/other", { kind: "MySQL", by: operator }),
    write("6", "ADDED", "default/old", {
      kind: "Pod",
      by: operator,
      metadata: {
        namespace: "default",
        ownerReferences: [
          {
            uid: "of the session before",
            name: "db",
          },
        ],
      },
    }),
  ];
  const current = {
    ...write("7", "ADDED", "default/set-0.2", {
      kind: "Event",
      by: operator,
      reason: "Pulled",
      note: "here",
      regarding: { uid: "Pod default/set-0", kind: "Pod", name: "set-0" },
    }),
    resource: "events.events.k8s.io",
  };
  const told = tellRecording([...recorded, current]);
  expect(told.map(({ about }) => about.includes("default/db"))).toEqual([
    true,
    true,
    true,
    true,
    false,
    true,
    true,
  ]);
  expect(told[6]!.text).toBe("Event about Pod set-0: Pulled: here, by controller-manager");
  expect(told[3]!.text).toBe("Event about Pod set-0: Pulled: there, by controller-manager");
});

const call = {
  type: "webhook" as const,
  at: "1",
  seconds: 0.0123,
  uid: "1",
  resource: "mysqls.apps.example.com",
  by: operator,
};

const admission = {
  ...call,
  call: "mutating" as const,
  configuration: "shop-mutating",
  webhook: "mmysql.kb.io",
  operation: "UPDATE" as const,
  subresource: "",
  key: "default/db",
  dryRun: false,
  failurePolicy: "Fail" as const,
  ignored: false,
};

const conversion = {
  ...call,
  call: "conversion" as const,
  configuration: "mysqls.apps.example.com",
  apiVersion: "apps.example.com/v2",
  count: 1,
  objects: [{ apiVersion: "apps.example.com/v1", kind: "MySQL", metadata: { name: "db" } }],
};

const asked = "mutating webhook mmysql.kb.io is asked to UPDATE mysqls.apps.example.com default/db";
const patch = [{ op: "remove" as const, path: "/data" }];
const reason = "InvalidAnswer" as const;

test.each<[Recorded, string]>([
  [{ ...admission, answer: { allowed: true } }, `${asked}: allows it in 12 ms`],
  [
    { ...admission, dryRun: true, answer: { allowed: true, patch, warnings: ["a", "b"] } },
    `${asked} (dry run): allows it in 12 ms, with 1 change, with 2 warnings`,
  ],
  [
    { ...admission, answer: { allowed: false, status: { message: "not so" } } },
    `${asked}: denies it in 12 ms: not so`,
  ],
  [{ ...admission, answer: { allowed: false } }, `${asked}: denies it in 12 ms`],
  [
    { ...admission, failure: { reason, message: "no answer" } },
    `${asked}: fails in 12 ms, which refuses the request: no answer`,
  ],
  [
    { ...admission, ignored: true, failure: { reason, message: "no answer" } },
    `${asked}: fails in 12 ms, which is ignored: no answer`,
  ],
  [conversion, "conversion webhook of mysqls.apps.example.com converts db to apps.example.com/v2 in 12 ms"],
  [
    { ...conversion, count: 3, failure: { reason, message: "no answer" } },
    "conversion webhook of mysqls.apps.example.com converts 3 objects to apps.example.com/v2: fails in 12 ms: no answer",
  ],
])("a webhook's call is told in a line, %#", (recorded, text) => {
  const [told] = tellRecording([recorded]);
  expect(told?.text).toBe(text);
  expect(told?.about).toEqual([
    recorded.type === "webhook" && recorded.call === "mutating" ? "default/db" : "db",
  ]);
});
