import { expect, test } from "vitest";
import type { Recorded, RecordedAdmission } from "../recorded.ts";
import {
  ann,
  each,
  find,
  madeCall,
  madeObject,
  madeReconcile,
  madeRequest,
  operator,
  timeOf,
} from "../testdata/made-records.ts";

const mysqls = "/apis/shop.example/v1/namespaces/default/mysqls/db";
const place = "mysqls.shop.example default/db";

const kinds = (recorded: readonly Recorded[]) => find(recorded).map(({ kind }) => kind);

/** Makes a reconcile that waits for a request that calls webhooks. */
function waiting(at: number, seconds: number, ...calls: RecordedAdmission[]): Recorded[] {
  const requests = [madeRequest(`PATCH ${mysqls}`, "200", seconds)];
  return [...calls, madeReconcile(at, { requests, seconds })];
}

test("a webhook that takes more than a second is a finding with its times, and its requests are no further findings", () => {
  expect(kinds(waiting(0, 1.1, madeCall(50, { seconds: 1 })))).toEqual(["slow request"]);
  expect(
    find([
      ...waiting(0, 1.3, madeCall(50, { seconds: 1.2 })),
      ...waiting(5000, 1.6, madeCall(5050, { seconds: 1.5, operation: "CREATE" })),
    ]),
  ).toEqual([
    {
      kind: "slow webhook",
      title: "mutating webhook mmysql.kb.io is slow",
      text: "2 calls of the mutating webhook mmysql.kb.io for UPDATE and CREATE of mysqls.shop.example took more than 1 s, up to 1.5 s: who writes these waits for it, so leave to the reconciler what takes time",
      from: 50,
      at: 5050,
      places: [place],
      requests: [{ controller: "mysql", request: "default/db" }],
      call: "call 50",
    },
  ]);
});

test("a slow request that a webhook explains only in part is a finding, with the webhooks for which it waited", () => {
  const [slow, ...others] = find(
    waiting(
      0,
      1.4,
      madeCall(50, { seconds: 0.4, webhook: "a.kb.io" }),
      madeCall(500, { seconds: 0.4, webhook: "b.kb.io" }),
    ),
  );
  expect(others).toEqual([]);
  expect(slow?.text).toBe(
    "A PATCH of mysqls.shop.example took 1.4 s in reconciles of mysql: a part of it waited for the mutating webhook a.kb.io and mutating webhook b.kb.io",
  );
  expect(kinds(waiting(0, 2.5, madeCall(50, { seconds: 1.2 })))).toEqual(["slow request", "slow webhook"]);
});

test.each<[string, Partial<RecordedAdmission>]>([
  ["another object", { key: "default/other" }],
  ["another user", { by: ann }],
  ["another time", { at: timeOf(10_000) }],
  ["another operation", { operation: "DELETE" }],
])("a slow call for %s explains no request", (_, changes) => {
  expect(kinds(waiting(0, 1.3, madeCall(50, { seconds: 1.2, ...changes }))).toSorted()).toEqual([
    "slow request",
    "slow webhook",
  ]);
});

const denial = { allowed: false, status: { message: "spec.size is too large" } };

test("a webhook that denies the operator's writes again and again is a finding, and no retry loop is one", () => {
  const error = 'admission webhook "mmysql.kb.io" denied the request: spec.size is too large';
  const tries = (count: number, by = operator) =>
    each(count, (i) => [
      madeCall(i * 1000, { answer: denial, by, call: "validating" }),
      madeCall(i * 1000 + 1, { by, call: "validating" }),
      madeReconcile(i * 1000, { outcome: "error", error }),
    ]).flat();
  expect(kinds(tries(2))).toEqual([]);
  expect(find(tries(9))).toEqual([
    {
      kind: "denied writes",
      title: "validating webhook mmysql.kb.io denies what controller-manager writes",
      text: "The validating webhook mmysql.kb.io denied 9 times in 8 s that controller-manager updates mysqls.shop.example default/db, with “spec.size is too large”: let the operator write only what the webhook allows",
      from: 0,
      at: 8000,
      places: [place],
      requests: [],
      call: "call 0",
    },
  ]);
  expect(kinds(tries(9, ann))).toEqual(["retry loop"]);
  expect(kinds(each(9, (i) => madeCall(i * 1000, { answer: denial, dryRun: true })))).toEqual([]);
});

const patch = (value: unknown, path = "/spec/size") => ({
  allowed: true,
  patch: [{ op: "add" as const, path, value: value as number }],
});

test("a webhook that changes what it has set itself is one finding, with the field and its values", () => {
  const counting = (count: number, changes: Partial<RecordedAdmission> = {}) =>
    each(count, (i) =>
      madeCall(i, {
        object: madeObject(i === 0 ? {} : { size: i }, { finalizers: each(i, String) }),
        answer: patch(i + 1),
        ...changes,
      }),
    );
  expect(find(counting(2))).toEqual([]);
  expect(find(counting(4))).toEqual([
    {
      kind: "restless webhook",
      title: "mutating webhook mmysql.kb.io changes what it has set itself",
      text: "The mutating webhook mmysql.kb.io changed spec.size of mysqls.shop.example default/db again 3 times, although nothing else was new in what it was sent, the last time from 3 to 4: let it change nothing that it has set, since it is asked about each write",
      from: 1,
      at: 3,
      places: [place],
      requests: [],
      call: "call 1",
    },
  ]);
  const undoing = each(4, (i) =>
    madeCall(i, {
      object: madeObject({ size: i, name: "mine" }),
      answer: { allowed: true, patch: [...patch(i + 1).patch, ...patch("yours", "/spec/name").patch] },
    }),
  );
  expect(kinds(undoing)).toEqual(["restless webhook"]);
  const appending = each(4, (i) =>
    madeCall(i, { object: madeObject({ sizes: each(i, String) }), answer: patch("x", "/spec/sizes/-") }),
  );
  expect(kinds(appending)).toEqual([]);
  const rest = each(4, (i) =>
    madeCall(i, {
      object: madeObject({ sizes: each(i, () => "x") }),
      answer: patch("x", "/spec/sizes/-"),
    }),
  );
  expect(kinds(rest)).toEqual(["restless webhook"]);
});

test("a default that follows another field, that was taken away, or that depends on the user is none", () => {
  const of = (object: object, answer: RecordedAdmission["answer"], by = operator) =>
    madeCall(0, { object: madeObject(object), answer, by });
  const following = each(9, (i) => of({ version: i, ...(i > 0 && { size: i }) }, patch(i + 1)));
  expect(find(following)).toEqual([]);
  expect(find(each(9, () => of({}, patch(1))))).toEqual([]);
  const asking = each(9, (i) => of(i > 0 ? { size: i } : {}, patch(i + 1), i % 2 === 0 ? operator : ann));
  expect(find(asking)).toEqual([]);
});

test("a webhook that sets back what the operator changes is one finding, with the field and its values", () => {
  const undone = (count: number, changes: Partial<RecordedAdmission> = {}) =>
    each(count, (i) =>
      madeCall(i, {
        oldObject: madeObject({ size: 1 }),
        object: madeObject({ size: 3 }),
        answer: patch(1),
        ...changes,
      }),
    );
  expect(find(undone(2))).toEqual([]);
  expect(find(undone(3))).toEqual([
    {
      kind: "undone writes",
      title: "mutating webhook mmysql.kb.io undoes what controller-manager writes",
      text: "The mutating webhook mmysql.kb.io set spec.size of mysqls.shop.example default/db back 3 times after controller-manager had changed it, the last time to 1 instead of 3: let only one of them decide about it",
      from: 0,
      at: 2,
      places: [place],
      requests: [],
      call: "call 0",
    },
  ]);
  expect(find(undone(9, { by: ann }))).toEqual([]);
  expect(find(undone(9, { answer: patch(2) }))).toEqual([]);
  expect(find(undone(9, { answer: { allowed: true } }))).toEqual([]);
});

test("a webhook may add to what the operator leaves out", () => {
  const containers = (...more: object[]) => ({ containers: [{ name: "db", ...Object.assign({}, ...more) }] });
  const defaulted = each(9, (i) =>
    madeCall(i, {
      oldObject: madeObject({ size: 1, ...containers({ image: "db:1" }) }),
      object: madeObject(containers()),
      answer: {
        allowed: true,
        patch: [
          { op: "add", path: "/spec/size", value: 1 },
          { op: "add", path: "/spec/containers/0/image", value: "db:1" },
        ],
      },
    }),
  );
  expect(find(defaulted)).toEqual([]);
});

test("a webhook may write a quantity in another form", () => {
  const written = (from: unknown, to: unknown) =>
    each(9, (i) =>
      madeCall(i, {
        oldObject: madeObject({ size: from }),
        object: madeObject({ size: to }),
        answer: { allowed: true, patch: [{ op: "add", path: "/spec/size", value: from as string }] },
      }),
    );
  expect(find(written("1", "1000m"))).toEqual([]);
  expect(find(written([{ limits: { memory: "1Gi" } }], [{ limits: { memory: "1024Mi" } }]))).toEqual([]);
  expect(kinds(written("1", "1001m"))).toEqual(["undone writes"]);
  expect(kinds(written("1", "one"))).toEqual(["undone writes"]);
});
