import { expect, test } from "vitest";
import type { Recorded, RecordedAdmission, RecordedConversion } from "../recorded.ts";
import {
  ann,
  each,
  find,
  madeCall,
  madeObject,
  madeReconcile,
  madeSample,
  operator,
  timeOf,
} from "../testdata/made-records.ts";

const place = "mysqls.shop.example default/db";

const kinds = (recorded: readonly Recorded[]) => find(recorded).map(({ kind }) => kind);

const refused = { reason: "Unreachable", message: "dial tcp: connection refused" } as const;
const failed = (at: number, changes: Partial<RecordedAdmission> = {}) =>
  madeCall(at, { answer: undefined, failure: refused, ...changes });

test("a webhook that can't be reached is a finding until it answers, and afterwards if that took long", () => {
  expect(find([failed(0), failed(1000, { ignored: true, failurePolicy: "Ignore" })])).toEqual([
    {
      kind: "failing webhook",
      title: "mutating webhook mmysql.kb.io can't be reached",
      text: "Calls of the mutating webhook mmysql.kb.io failed twice, first for UPDATE of mysqls.shop.example default/db by controller-manager, with “dial tcp: connection refused”; 1 of the 2 requests was let pass without it, as failurePolicy Ignore says: see whether the operator runs, and serves it where its configuration says",
      from: 10,
      at: 1010,
      places: [place],
      requests: [],
      call: "call 0",
    },
  ]);
  expect(find([failed(0), failed(9000), madeCall(30_000)])).toEqual([]);
  expect(kinds([failed(0), failed(11_000), madeCall(12_000), madeCall(13_000)])).toEqual(["failing webhook"]);
});

test("a webhook of several resources is one finding with all of them, which any answer ends", () => {
  const others = ["configmaps", "secrets"].map((resource, i) => failed(1000 + i, { resource }));
  expect(find([failed(0), ...others])).toMatchObject([
    {
      text: expect.stringContaining(
        "failed 3 times, first for UPDATE of mysqls.shop.example default/db by controller-manager, also for configmaps and secrets, with",
      ) as string,
      places: [place, "configmaps default/db", "secrets default/db"],
    },
  ]);
  expect(find([failed(0), ...others, madeCall(2000, { resource: "pods" })])).toEqual([]);
  expect(kinds([failed(0), madeCall(2000, { webhook: "other.kb.io" })])).toEqual(["failing webhook"]);
});

test("a webhook that couldn't be reached before the operator started again is no finding", () => {
  const again = madeSample(5000, { since: timeOf(4500) });
  expect(find([madeSample(0), failed(1000), again])).toEqual([]);
  expect(kinds([madeSample(0), failed(1000), madeSample(2000)])).toEqual(["failing webhook"]);
  expect(kinds([failed(1000), madeSample(2000)])).toEqual(["failing webhook"]);
  expect(find([madeSample(0), failed(1000), again, failed(6000)])).toMatchObject([{ from: 6010 }]);
  const badCertificate = failed(1000, { failure: { reason: "BadCertificate", message: "unable to verify" } });
  expect(kinds([madeSample(0), badCertificate, again])).toEqual(["failing webhook"]);
});

test.each([
  ["Timeout", "doesn't answer in time"],
  ["InvalidAnswer", "doesn't answer as it should"],
] as const)("a failure by %s stays a finding even if the webhook answers later", (reason, title) => {
  const [found, ...others] = find([
    failed(0, { failure: { reason, message: "so" }, ignored: true, failurePolicy: "Ignore" }),
    madeCall(1000),
  ]);
  expect(others).toEqual([]);
  expect(found?.title).toBe(`mutating webhook mmysql.kb.io ${title}`);
  expect(found?.text).toContain("the request was let pass without it, as failurePolicy Ignore says");
});

test("a bad certificate, and a failed conversion, are findings that say what they mean", () => {
  const [found] = find([failed(0, { failure: { reason: "BadCertificate", message: "unable to verify" } })]);
  expect(found?.text).toMatch(
    /failed once, for UPDATE of .*the request was refused, as failurePolicy Fail says: see whether the caBundle/u,
  );
  const conversion: RecordedConversion = {
    type: "webhook",
    call: "conversion",
    at: timeOf(0),
    seconds: 0.01,
    uid: "1",
    configuration: "mysqls.shop.example",
    resource: "mysqls.shop.example",
    by: operator,
    apiVersion: "shop.example/v2",
    count: 1,
    objects: [madeObject({})],
    failure: { reason: "Refused", message: "no such field" },
  };
  expect(find([conversion])).toMatchObject([
    {
      title: "conversion webhook of mysqls.shop.example can't convert an object",
      text: expect.stringMatching(
        /“no such field”; what needed the objects in that version failed, too/u,
      ) as string,
      places: [place],
    },
  ]);
});

test("errors because of a failing webhook are no retry loop either", () => {
  const error = 'Internal error occurred: failed calling webhook "mmysql.kb.io": failed to call webhook: no';
  expect(
    kinds(each(9, (i) => [failed(i * 1000), madeReconcile(i * 1000, { outcome: "error", error })]).flat()),
  ).toEqual(["failing webhook"]);
});

test("a webhook that answers with an error of its own is a finding at once, whoever wrote", () => {
  const answer = { allowed: false, status: { code: 500, message: "an internal error occurred" } };
  const error = 'admission webhook "mmysql.kb.io" denied the request: an internal error occurred';
  const tries = each(9, (i) => [
    madeCall(i, { answer, by: i === 0 ? ann : operator }),
    madeReconcile(i, { outcome: "error", error }),
  ]).flat();
  expect(find(tries)).toMatchObject([
    {
      title: "mutating webhook mmysql.kb.io answers with an error",
      text: "Calls of the mutating webhook mmysql.kb.io failed 9 times, first for UPDATE of mysqls.shop.example default/db by ann (kubectl), with “an internal error occurred”; the requests were refused: see what the operator logged meanwhile",
    },
  ]);
});
