import { expect, test } from "vitest";
import { type Recorded, type RecordedWrite, restorer } from "../recorded.ts";
import {
  ann,
  each,
  find,
  madeReconcile,
  madeRequest,
  madeWrite,
  operator,
  stages,
} from "../testdata/made-records.ts";

const metadata = { namespace: "default", name: "db" };
const mysqls = "/apis/shop.example/v1/namespaces/default/mysqls/db";
const place = "mysqls.shop.example default/db";

function turns(
  count: number,
  values: readonly unknown[] = [1, 3],
  writers: readonly NonNullable<RecordedWrite["by"]>[] = [operator, ann],
): RecordedWrite[] {
  return each(count, (i) =>
    madeWrite(
      { at: i, write: i === 0 ? "ADDED" : "MODIFIED", by: writers[i % writers.length] },
      { metadata, spec: { replicas: values[i % values.length] } },
    ),
  );
}

test("two writers that set a field in turn fight: both are named, with the field and the values", () => {
  expect(find(turns(4))).toEqual([]);
  expect(find(turns(5))).toEqual([
    {
      kind: "fight",
      title: "ann (kubectl) and controller-manager fight over spec.replicas of MySQL default/db",
      text: "ann (kubectl) and controller-manager set spec.replicas of MySQL default/db in turn, to 3 and to 1, and changed it back 3 times: let only one of them set it, and omit it from what the other one writes",
      from: 2,
      at: 4,
      places: [place],
      requests: [],
    },
  ]);
});

test("whoever is set back each time fights, though with another value each time", () => {
  const values = [1, 2, 1, 3, 1, 4, 1];
  expect(find(turns(values.length, values)).map(({ kind }) => kind)).toEqual(["fight"]);
});

test("who brings a session back to a moment fights with nobody", () => {
  expect(find(turns(20, [1, 3], [operator, { user: restorer }]))).toEqual([]);
});

test("it is no fight if the values move on, if one writer sets both, or if a third one takes part", () => {
  expect(find(turns(20, [1, 2, 3, 4, 5]))).toEqual([]);
  expect(find(turns(20, [1, 3], [operator]))).toEqual([]);
  expect(find(turns(20, [1, 3], [operator, ann, stages]))).toEqual([]);
  const [made, ...others] = turns(20, [1, 3], [operator]);
  const noted = madeWrite(
    { at: 0, by: ann },
    { metadata: { ...metadata, labels: { a: "b" } }, spec: { replicas: 1 } },
  );
  expect(find([made!, noted, ...others])).toEqual([]);
});

test("a fight over several fields is one finding, which other writes of the object do not hide", () => {
  const recorded = each(12, (i) =>
    madeWrite(
      { at: i, write: i === 0 ? "ADDED" : "MODIFIED", by: i % 4 < 2 ? operator : ann },
      { metadata, spec: { a: i % 4 < 2, b: [i % 4 < 2] }, status: { count: i } },
    ),
  );
  const [fight, ...others] = find(recorded);
  expect(others).toEqual([]);
  expect(fight?.title).toBe(
    "ann (kubectl) and controller-manager fight over spec.a and spec.b of MySQL default/db",
  );
});

test("an object that is made anew has its fights anew", () => {
  const gone = madeWrite({ at: 4, write: "DELETED" }, { metadata });
  expect(find([...turns(4), gone, ...turns(2, [3, 1], [ann, operator])])).toEqual([]);
});

/** Reconciles that change a status, each because of the write before. */
function loop(
  count: number,
  gap: number,
  by: RecordedWrite["by"] = operator,
  cause = "update of MySQL default/db",
) {
  return each(count, (i) => [
    madeWrite({ at: i * gap + 1, by }, { metadata, status: { seen: i } }),
    madeReconcile(i * gap, { causes: [cause], requests: [madeRequest(`PATCH ${mysqls}/status`)] }),
  ]).flat();
}

test("a reconcile whose own write makes it run again at once is a hot loop, with the field that it changes", () => {
  expect(find(loop(10, 100))).toEqual([]);
  expect(find(loop(11, 100))).toEqual([
    {
      kind: "hot loop",
      title: "mysql makes itself reconcile default/db again and again",
      text: "mysql reconciled default/db again 10 times in 900 ms, since it wrote MySQL default/db (status.seen), and ran because of that: write only what has to change, and nothing that differs each time, such as the time",
      from: 100,
      at: 1000,
      places: [place],
      requests: [{ controller: "mysql", request: "default/db" }],
    },
  ]);
});

test("it is no loop if time passes, if the cluster wrote, or if something else made it run", () => {
  expect(find(each(20, (i) => madeReconcile(i * 100)))).toEqual([]);
  expect(find(loop(20, 600))).toEqual([]);
  expect(find(loop(20, 100, stages))).toEqual([]);
  expect(find(loop(20, 100, operator, "update of Pod default/db"))).toEqual([]);
  expect(find(loop(20, 100, operator, "update of MySQL default/other"))).toEqual([]);
});

test("a reconcile that asks to run again at once is a hot loop, one that asks for later is none", () => {
  const asking = (cause: string) =>
    each(11, (i) => madeReconcile(i * 100, { causes: [cause], outcome: "again" }));
  expect(find(asking("requeueAfter 0.1 s")).map(({ text }) => text)).toEqual([
    "mysql reconciled default/db again 10 times in 900 ms, since it asked to run again: wait for a change, or for longer",
  ]);
  expect(find(asking("requeueAfter 5 s"))).toEqual([]);
  const both = [...loop(11, 100), madeReconcile(1100, { causes: ["requeueAfter 0.1 s"], outcome: "again" })];
  expect(find(both).map(({ text }) => text)).toEqual([expect.stringContaining("of that or asked to: write")]);
});

test("a run is forgotten after a thousand of other requests, so that a long session doesn't grow", () => {
  const others = (count: number) => (i: number) =>
    each(count, (n) => madeReconcile(i * 400 + n / 10, { request: `default/other-${i}-${n}` }));
  const among = (count: number) => {
    const asking = { causes: ["requeueAfter 0.1 s"], outcome: "again" } as const;
    return find(each(11, (i) => [madeReconcile(i * 400, asking), ...others(count)(i)]).flat()).map(
      ({ kind }) => kind,
    );
  };
  expect(among(999)).toEqual(["hot loop"]);
  expect(among(1000)).toEqual([]);
});

test("without writes, as of another cluster, the requests tell of a hot loop", () => {
  const reconciles = loop(11, 100).filter(({ type }) => type === "reconcile");
  expect(find(reconciles).map(({ kind }) => kind)).toEqual(["hot loop"]);
});

test("a forbidden request has the marker that allows it, with all verbs that are missing", () => {
  const forbidden = ["GET /apis/apps/v1/statefulsets", "POST /apis/apps/v1/namespaces/default/statefulsets"];
  const requests = [...forbidden, `PATCH ${mysqls}/status`, `DELETE /api/v1/namespaces/default/pods/a`].map(
    (line) => madeRequest(line, "403"),
  );
  const found = find([madeReconcile(5, { requests, outcome: "error", error: 'secrets "a" is forbidden' })]);
  expect(found.map(({ title }) => title)).toEqual([
    "mysql is not allowed to list and create statefulsets",
    "mysql is not allowed to patch mysqls/status",
    "mysql is not allowed to delete pods",
  ]);
  expect(found.map(({ text }) => text.slice(text.indexOf("marker")))).toEqual([
    "marker // +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=list;create to its controller",
    "marker // +kubebuilder:rbac:groups=shop.example,resources=mysqls/status,verbs=patch to its controller",
    'marker // +kubebuilder:rbac:groups="",resources=pods,verbs=delete to its controller',
  ]);
  expect(found[0]?.requests).toEqual([{ controller: "mysql", request: "default/db" }]);
});

test("a refusal by a webhook is no missing right", () => {
  const error = 'admission webhook "a.b" denied the request: no';
  expect(find([madeReconcile(5, { error, requests: [madeRequest(`PATCH ${mysqls}`, "403")] })])).toEqual([]);
});

test("a write that takes more than a second may wait for a webhook", () => {
  const slow = (at: number, line: string, seconds: number) =>
    madeReconcile(at, { requests: [madeRequest(line, "200", seconds)] });
  expect(
    find([
      slow(1, `PATCH ${mysqls}`, 1),
      slow(2, `PATCH ${mysqls}`, 2),
      slow(3, `PATCH ${mysqls}/status`, 3.25),
      slow(4, "GET /api/v1/secrets", 1.5),
    ]).map(({ text, from, at }) => [from, at, text]),
  ).toEqual([
    [
      2,
      3,
      "2 requests to PATCH mysqls.shop.example took more than 1 s, up to 3.3 s, in reconciles of mysql: see whether a webhook for this resource is slow",
    ],
    [4, 4, "A GET of secrets took 1.5 s in reconciles of mysql: see whether it reads more than it needs"],
  ]);
});

test("five failures in a row with the same error are a retry loop, until another outcome", () => {
  const failed = (count: number, error = (i: number) => `no answer after ${i} s`) =>
    each(count, (i) => madeReconcile(i * 1000, { outcome: "error", error: error(i) }));
  expect(find(failed(4))).toEqual([]);
  expect(find([...failed(4), madeReconcile(4000), ...failed(4)])).toEqual([]);
  expect(find(failed(9, (i) => `${i % 2 === 0}`))).toEqual([]);
  const found = find([...failed(6), madeReconcile(9000)]);
  expect(found.map(({ at, text }) => [at, text])).toEqual([
    [
      5000,
      "mysql failed 6 times in a row in 5 s for default/db with “no answer after 5 s”: remove the cause, or throw a TerminalError if another try can't help",
    ],
  ]);
});

test("a request that meets three conflicts within a minute of each other is found with what helps", () => {
  const conflicts = (line: string, gap: number) =>
    each(3, (i) =>
      madeReconcile(i * gap, { outcome: "conflict", requests: [madeRequest(`${line}?a=${i}`, "409")] }),
    );
  expect(find(conflicts(`PUT ${mysqls}`, 61_000))).toEqual([]);
  expect(find(conflicts(`PUT ${mysqls}`, 1000))).toEqual([
    {
      kind: "conflicts",
      title: "mysql meets conflicts on mysqls.shop.example default/db",
      text: `PUT ${mysqls} was answered with 409 3 times in reconciles of default/db: somebody else changes the object meanwhile, so patch or apply only the fields that you own`,
      from: 0,
      at: 2000,
      places: [place],
      requests: [{ controller: "mysql", request: "default/db" }],
    },
  ]);
  expect(find(conflicts("POST /api/v1/namespaces/default/secrets", 1000))[0]?.text).toContain(
    "apply it instead",
  );
});

const deleting = { ...metadata, deletionTimestamp: "1970-01-01T00:00:10Z" };
const held = (
  at: number,
  write: RecordedWrite["write"] = "MODIFIED",
  finalizers = ["shop.example/backup", "b/c"],
) => madeWrite({ at, write }, { metadata: { ...deleting, finalizers } });

test("an object that its finalizers keep for more than 30 s is found while it waits, and after it has gone", () => {
  const later = held(25_000, "MODIFIED", ["shop.example/backup"]);
  expect(find([held(10_000), later], 40_000)).toEqual([]);
  expect(find([held(10_000), later], 50_000)).toEqual([
    {
      kind: "stuck deletion",
      title: "MySQL default/db can't be deleted",
      text: "The deletion of MySQL default/db has been waiting for 40 s for the finalizer shop.example/backup: see whether the controller that set it runs, and removes it when its work is done",
      from: 40_000,
      at: 50_000,
      places: [place],
      requests: [],
    },
  ]);
  const gone = madeWrite({ at: 50_000, write: "DELETED" }, { metadata: deleting });
  const [found] = find([held(10_000), gone], 90_000);
  expect([found?.title, found?.at]).toEqual(["MySQL default/db was deleted late", 50_000]);
  expect(find([held(30_000), gone], 90_000)).toEqual([]);
});

test("a deletion that began before the record waits since then; one without finalizers waits for nothing", () => {
  expect(find([held(45_000, "KEPT")])[0]?.from).toBe(40_000);
  expect(find([held(10_000, "MODIFIED", [])], 90_000)).toEqual([]);
});

test("what began first stands first, and a record's text is no finding", () => {
  const late = turns(5).map((write) => ({
    ...write,
    at: new Date(Date.parse(write.at) + 5000).toISOString(),
  }));
  const text: Recorded = { type: "dev", at: new Date(9000).toISOString(), text: "error" };
  const right = madeReconcile(7000, { requests: [madeRequest(`PATCH ${mysqls}`, "403")] });
  expect(find([...loop(11, 100), ...late, right, text]).map(({ kind }) => kind)).toEqual([
    "hot loop",
    "fight",
    "missing right",
  ]);
});
