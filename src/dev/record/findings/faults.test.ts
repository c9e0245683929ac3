import { expect, test } from "vitest";
import type { Recorded } from "../recorded.ts";
import { find, madeReconcile, madeRequest } from "../testdata/made-records.ts";

const mysqls = "/apis/shop.example/v1/namespaces/default/mysqls/db";

test("what the page asked for is no finding, but the same request another time is", () => {
  const fault = (at: number, changes: object): Recorded => ({
    type: "fault",
    at: new Date(at).toISOString(),
    verb: "patch",
    resource: "mysqls.shop.example/status",
    ...changes,
  });
  const failed = (at: number, code: string, seconds = 0.001) =>
    madeReconcile(at, {
      requests: [madeRequest(`PATCH ${mysqls}/status`, code, seconds)],
      outcome: code === "200" ? "done" : "error",
      error: "no luck",
      seconds: seconds + 0.01,
    });
  const several = (gap: number, changes: object, code: string, seconds?: number) =>
    Array.from({ length: 6 }, (_, i) => [fault(i * gap + 3, changes), failed(i * gap, code, seconds)]).flat();
  expect(find(several(1000, { code: 403 }, "403"))).toEqual([]);
  expect(find(several(1000, { code: 409 }, "409"))).toEqual([]);
  expect(find(several(9000, { delay: 5000 }, "200", 5.001))).toEqual([]);
  const kinds = (recorded: readonly Recorded[]) => find(recorded).map(({ kind }) => kind);
  expect(kinds([fault(3, { code: 403 }), failed(0, "403"), failed(5, "403")])).toEqual(["missing right"]);
  expect(kinds([fault(3, { code: 403 }), failed(1000, "403")])).toEqual(["missing right"]);
  expect(kinds([fault(3, { code: 403, verb: "update" }), failed(0, "403")])).toEqual(["missing right"]);
  expect(kinds([fault(3, { code: 403, resource: "mysqls.shop.example" }), failed(0, "403")])).toEqual([
    "missing right",
  ]);
  expect(kinds([fault(3, { delay: 5000 }), failed(0, "200", 4)])).toEqual(["slow request"]);
});

test("a reconcile that had not ended when its operator did may have been asked to fail at any time", () => {
  const requests = [madeRequest(`PATCH ${mysqls}`, "403")];
  const asked: Recorded = {
    type: "fault",
    at: new Date(2000).toISOString(),
    verb: "patch",
    resource: "mysqls.shop.example",
    code: 403,
  };
  const unfinished = { requests, outcome: "unfinished", seconds: undefined } as const;
  expect(find([asked, madeReconcile(0, unfinished)])).toEqual([]);
});
