import { expect, test } from "vitest";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import type { RecordedReconcile } from "../record/recorded.ts";
import { explainObject } from "./explain-object.ts";
import type { LogFact, ObjectFacts } from "./object-facts.ts";

// Nights: for each, the first cause names what is wrong.

const now = Date.parse("2026-11-30T03:00:00Z");
const minute = 60_000;
const at = (minutesAgo: number): string => new Date(now - minutesAgo * minute).toISOString();

type Made = KubernetesObject & Readonly<Record<string, unknown>>;

function made(kind: string, name: string, rest: object = {}, metadata: object = {}): Made {
  return {
    apiVersion: kind === "MySQL" ? "shop.example.com/v1" : "apps/v1",
    kind,
    metadata: {
      namespace: "default",
      name,
      uid: name,
      generation: 1,
      creationTimestamp: at(600),
      ...metadata,
    },
    ...rest,
  };
}

const ready = {
  status: {
    observedGeneration: 1,
    conditions: [{ type: "Ready", status: "True", reason: "AsExpected", lastTransitionTime: at(90) }],
  },
};

function facts(more: Partial<ObjectFacts> = {}): ObjectFacts {
  return {
    now,
    resource: "mysqls.shop.example.com",
    object: made("MySQL", "db", ready),
    owners: [],
    children: [],
    events: [],
    isNamespaceEnding: false,
    operator: undefined,
    log: undefined,
    record: undefined,
    unknown: [],
    ...more,
  };
}

const managers = (...entries: readonly (readonly [manager: string, fields: object])[]) => ({
  managedFields: entries.map(([manager, fieldsV1]): ManagedFieldsEntry => ({
    manager,
    fieldsV1: fieldsV1 as never,
    time: at(0),
  })),
});

const line = (message: string, isAbout: boolean, text = message): LogFact => ({
  at: now - minute,
  level: "error",
  message,
  text,
  isAbout,
});

const deployment = { status: { replicas: 1, readyReplicas: 1 }, spec: { replicas: 1 } };

function reconcile(secondsAgo: number, more: Partial<RecordedReconcile> = {}) {
  return {
    type: "reconcile" as const,
    controller: "mysql",
    request: "default/db",
    reconcileID: `${secondsAgo}`,
    at: new Date(now - secondsAgo * 1000).toISOString(),
    causes: ["update of MySQL default/db"],
    outcome: "done" as const,
    requests: [],
    seconds: 0.01,
    ...more,
  };
}

/** Each night, its facts, and what the first cause says. */
const nights: Readonly<Record<string, readonly [Partial<ObjectFacts>, RegExp]>> = {
  "two operators fight over a field": [
    {
      children: [
        {
          object: made("Deployment", "db", deployment, {
            generation: 4000,
            ...managers(
              ["shop", { "f:metadata": { "f:ownerReferences": {} } }],
              ["other", { "f:spec": { "f:replicas": {} } }],
            ),
          }),
          depth: 1,
        },
      ],
    },
    /^The spec of Deployment default\/db changed 4000 times in 10h/u,
  ],
  "a hot loop": [
    {
      record: Array.from({ length: 30 }, (_, i) =>
        reconcile(10 - i * 0.3, {
          requests: [
            {
              method: "PATCH",
              path: "/apis/shop.example.com/v1/namespaces/default/mysqls/db/status",
              code: "200",
              seconds: 0.01,
            },
          ],
        }),
      ),
    },
    /^mysql makes itself reconcile default\/db again and again$/u,
  ],
  "a webhook that is too slow": [
    {
      log: [
        line(
          "Reconciler error",
          true,
          'Reconciler error error=failed calling webhook "v.shop": context deadline exceeded',
        ),
      ],
    },
    /failed calling webhook "v\.shop": context deadline exceeded/u,
  ],
  "an expired certificate": [
    {
      log: [line("Reconciler error", true, "Reconciler error error=x509: certificate has expired")],
    },
    /x509: certificate has expired/u,
  ],
  "a right that was lost": [
    {
      record: [3, 2, 1].map((seconds) =>
        reconcile(seconds, {
          outcome: "error",
          error: "forbidden",
          requests: [
            { method: "GET", path: "/api/v1/namespaces/default/secrets/db", code: "403", seconds: 0.01 },
          ],
        }),
      ),
    },
    /^mysql is not allowed to get secrets$/u,
  ],
  "a finalizer that nobody removes": [
    {
      object: made("MySQL", "db", ready, {
        deletionTimestamp: at(22),
        finalizers: ["shop.example.com/backup"],
      }),
    },
    /requested 22m ago, and waits for the finalizer shop\.example\.com\/backup/u,
  ],
  "a leader that flaps": [
    { log: [line("Lost the lease", false, "error Lost the lease error=timeout")] },
    /Lost the lease error=timeout/u,
  ],
  "an operator that is gone": [
    { operator: { key: "shop-system/shop", wanted: 1, ready: 0, pods: [], leases: [] } },
    /^The operator does not run: 0 of 1 pods of shop-system\/shop are ready$/u,
  ],
  "an operator that runs out of memory": [
    {
      operator: {
        key: "shop-system/shop",
        wanted: 1,
        ready: 1,
        leases: [],
        pods: [
          {
            ...made("Pod", "shop-1", {
              status: {
                containerStatuses: [
                  {
                    name: "manager",
                    restartCount: 7,
                    lastState: { terminated: { reason: "OOMKilled", exitCode: 137, finishedAt: at(3) } },
                  },
                ],
              },
            }),
            apiVersion: "v1",
          },
        ],
      },
    },
    /ended 3m\d*s? ago, killed for its memory \(7 restarts in all\)$/u,
  ],
  "a queue that starves": [
    { object: made("MySQL", "db", ready, { generation: 3, ...managers(["kubectl", { "f:spec": {} }]) }) },
    /^Its spec has generation 3, and its status tells of 1: kubectl changed it/u,
  ],
  "a cache that leaves the object out": [{ object: made("MySQL", "db") }, /^It has no status$/u],
  "a quota that is used up": [
    {
      children: [
        { object: made("Deployment", "db", { ...deployment, status: { replicas: 0 } }), depth: 1 },
        {
          object: made("ReplicaSet", "db-1", {
            spec: { replicas: 1 },
            status: {
              replicas: 0,
              conditions: [
                {
                  type: "ReplicaFailure",
                  status: "True",
                  reason: "FailedCreate",
                  message: "exceeded quota: q",
                },
              ],
            },
          }),
          depth: 2,
        },
      ],
    },
    /^ReplicaSet default\/db-1: ReplicaFailure: FailedCreate: exceeded quota: q$/u,
  ],
  "a namespace that is being deleted": [
    { isNamespaceEnding: true },
    /^The namespace default is being deleted$/u,
  ],
  "a pause that somebody forgot": [
    {
      object: made("MySQL", "db", {
        status: { conditions: [{ type: "Paused", status: "True", reason: "Annotated" }] },
      }),
    },
    /^It is paused$/u,
  ],
};

test.each(Object.entries(nights))("%s", (_, [more, expected]) => {
  expect(explainObject(facts(more)).causes[0]?.text).toMatch(expected);
});

test("nothing wrong is no cause", () => {
  const explained = explainObject(facts({ record: [reconcile(5)], operator: undefined }));
  expect(explained).toMatchObject({ tone: "good", summary: "MySQL default/db is ready", causes: [] });
});

test("of owned objects, those that others explain are left out, and failing ones come first", () => {
  const child = (name: string, tone: "bad" | "busy" | "good", depth: number) => ({
    object: made(tone === "good" ? "Good" : "Part", name, {
      status: {
        conditions: [
          tone === "bad"
            ? { type: "Failed", status: "True", reason: "Broken" }
            : { type: "Ready", status: tone === "good" ? "True" : "False", reason: "R" },
        ],
      },
    }),
    depth,
  });
  const children = [
    child("a", "busy", 1),
    child("a-1", "good", 2),
    child("b", "busy", 1),
    child("b-1", "bad", 2),
  ];
  const told = explainObject(facts({ children })).causes.map(({ text }) => text);
  expect(told).toEqual(["Part default/b-1: Failed: Broken", "Part default/a: Ready is False: R"]);
});

test("reconciles of other kinds with the same key are not those of the object", () => {
  const other = reconcile(5, {
    controller: "backup",
    causes: ["add of Backup default/db"],
    outcome: "error",
    error: "no",
  });
  const explained = explainObject(facts({ record: [other, reconcile(4)] }));
  expect(explained.reconciles).toHaveLength(1);
  expect(explained.tone).toBe("good");
});

test("old restarts, warnings and lines of the log explain nothing", () => {
  const old = { ...line("Reconciler error", true), at: now - 120 * minute };
  const event = {
    isWarning: true,
    reason: "R",
    text: "t",
    times: 1,
    at: now - 120 * minute,
    about: "MySQL default/db",
  };
  expect(explainObject(facts({ log: [old], events: [event] })).causes).toEqual([]);
});
