import type { ChannelMessages } from "@tsbuilder/runtime/advanced";
import { expect, test } from "vitest";
import { ReconcileHistory } from "./operator-messages.ts";
import type { RecordedReconcile } from "./recorded.ts";

const who = { controller: "mysql", request: "default/db" };

/** A history, and functions that send messages to it. */
function begin() {
  const history = new ReconcileHistory();
  const tell = <Name extends Exclude<keyof ChannelMessages, "tsbuilder:sample">>(
    channel: Name,
    message: Omit<ChannelMessages[Name], keyof typeof who>,
  ): RecordedReconcile | undefined =>
    history.add({
      ...who,
      ...message,
      channel,
      at: now,
      ...(ahead > 0 && { ahead }),
    } as unknown as Parameters<typeof history.add>[0]);
  let [now, ahead] = [0, 0];
  return {
    history,
    move: (milliseconds: number) => void (now += milliseconds),
    moveClock: (milliseconds: number) => void (ahead += milliseconds),
    enqueue: (cause: string, after?: number) => tell("tsbuilder:enqueue", { cause, after }),
    start: (reconcileID: string) => tell("tsbuilder:reconcile:start", { reconcileID }),
    request: (reconcileID: string | undefined, path: string) =>
      tell("tsbuilder:request", { reconcileID, method: "GET", path, code: "200", seconds: 0.01 }),
    end: (
      reconcileID: string,
      outcome: RecordedReconcile["outcome"] & ChannelMessages["tsbuilder:reconcile:end"]["outcome"],
      more: { requeueAfter?: number; error?: string; stack?: string } = {},
    ) =>
      tell("tsbuilder:reconcile:end", {
        reconcileID,
        outcome,
        seconds: 1,
        requeueAfter: more.requeueAfter,
        error: more.error,
        stack: more.stack,
      }),
  };
}

test.each([
  ["/api/v1/namespaces/default/configmaps", '{"data":{"a":"b"}}', '{"data":{"a":"b"}}'],
  ["/api/v1/namespaces/default/secrets/db", '{"data":{"password":"c2VjcmV0"}}', undefined],
  ["/api/v1/namespaces/default/serviceaccounts/a/token", '{"spec":{}}', undefined],
  ["/apis/authentication.k8s.io/v1/tokenreviews", '{"spec":{"token":"secret"}}', undefined],
  ["/api/v1/namespaces/default/services/db:8080/proxy/login", '{"password":"secret"}', undefined],
  ["/api/v1/namespaces/default/configmaps", `{"data":{"a":"${"x".repeat(20_000)}"}}`, undefined],
])(
  "of a failed request to %s, what it sent is recorded if it is no secret and not large",
  (path, body, kept) => {
    const { history, start, end } = begin();
    start("one");
    history.add({
      channel: "tsbuilder:request",
      at: 0,
      reconcileID: "one",
      method: "POST",
      path,
      code: "422",
      seconds: 0.01,
      body,
    });
    expect(end("one", "error")?.requests).toEqual([
      { method: "POST", path, code: "422", seconds: 0.01, ...(kept !== undefined && { body: kept }) },
    ]);
  },
);

test("a reconcile has the causes since the one before, and its own requests", () => {
  const { enqueue, start, request, end } = begin();
  enqueue("add of MySQL default/db");
  enqueue("add of MySQL default/db");
  enqueue("update of StatefulSet default/db");
  expect(start("one")).toBeUndefined();
  enqueue("update of Secret default/db");
  request("one", "/a");
  request("another", "/b");
  request(undefined, "/c");
  expect(end("one", "done")).toEqual({
    at: "1970-01-01T00:00:00.000Z",
    ...who,
    reconcileID: "one",
    causes: ["add of MySQL default/db", "update of StatefulSet default/db"],
    requests: [{ method: "GET", path: "/a", code: "200", seconds: 0.01 }],
    outcome: "done",
    seconds: 1,
  });
  start("two");
  expect(end("two", "done")).toMatchObject({ causes: ["update of Secret default/db"], requests: [] });
});

test.each([
  ["later", { requeueAfter: 90_000 }, ["requeueAfter 90 s"]],
  ["again", {}, ["requeueAfter 0 s"]],
  ["error", { error: "no luck", stack: "Error: no luck\n    at f (/p/a.ts:1:2)" }, ["retry after error"]],
  ["conflict", { error: "changed" }, ["retry after conflict"]],
  ["done", {}, []],
] as const)("without an event, what follows %s ran because of it", (outcome, more, causes) => {
  const { enqueue, start, end } = begin();
  enqueue("add of MySQL default/db");
  start("one");
  expect(end("one", outcome, more)).toMatchObject({ outcome, ...more });
  start("two");
  expect(end("two", "done")).toMatchObject({ causes });
});

test("a cause that waits counts from its time on", () => {
  const { enqueue, start, end, move } = begin();
  start("one");
  end("one", "error");
  enqueue("pushed, after 1h", 3_600_000);
  start("two");
  expect(end("two", "done")).toMatchObject({ causes: ["retry after error"] });
  move(3_600_000);
  start("three");
  expect(end("three", "done")).toMatchObject({ causes: ["pushed, after 1h"] });
  enqueue("pushed, after 1h", 3_600_000);
  enqueue("pushed, after 1h");
  start("four");
  expect(end("four", "done")).toMatchObject({ causes: ["pushed, after 1h"] });
});

test("what ran when the process ended is unfinished, and a reconcile that nobody saw begin is left out", () => {
  const { history, start, end } = begin();
  start("one");
  expect(end("unseen", "done")).toBeUndefined();
  expect(history.unfinished()).toMatchObject([{ reconcileID: "one", outcome: "unfinished" }]);
});

test("a hot loop and a long list don't fill the memory", () => {
  const { enqueue, start, request, end } = begin();
  for (let n = 0; n < 1000; n++) enqueue(`event ${n}`);
  start("one");
  for (let n = 0; n < 1000; n++) request("one", `/${n}`);
  const ended = end("one", "done")!;
  expect(ended.causes).toHaveLength(10);
  expect(ended.requests).toHaveLength(100);
});

test("what was due later is a cause once the operator's clock was moved; the record's times are real", () => {
  const { enqueue, start, end, move, moveClock } = begin();
  enqueue("interval", 3_600_000);
  start("1");
  expect(end("1", "done")?.causes).toEqual([]);
  move(50);
  moveClock(3_600_000);
  start("2");
  expect(end("2", "done")).toMatchObject({
    at: "1970-01-01T00:00:00.050Z",
    causes: ["interval"],
    seconds: 1,
  });
});

test("nothing takes longer than it really did, if the clock was moved meanwhile", () => {
  const { start, request, end, move, moveClock } = begin();
  start("1");
  request("1", "/a");
  move(5);
  moveClock(3_600_000);
  request("1", "/b");
  expect(end("1", "done")).toMatchObject({
    seconds: 0.005,
    requests: [{ seconds: 0.01 }, { seconds: 0.005 }],
  });
});
