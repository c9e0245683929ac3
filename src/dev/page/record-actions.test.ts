import { expect, test } from "vitest";
import type { RecordedAction } from "../record/recorded.ts";
import { recordActions } from "./page-action.ts";
import { RequestError } from "./page-action.ts";

/** Returns the record of one action. */
async function record(name: string, input: unknown, error?: Error) {
  const told: Omit<RecordedAction, "type">[] = [];
  const action = async () => {
    if (error) throw error;
    return "done";
  };
  const actions = recordActions({ [name]: action }, { acted: (one) => void told.push(one) });
  const answer = await actions[name]!(input).catch((refusal: unknown) => refusal);
  expect(answer).toBe(error ?? "done");
  return told.map(({ at, seconds, ...rest }) => {
    expect([Date.parse(at) <= Date.now(), seconds >= 0]).toEqual([true, true]);
    return rest;
  });
}

const secret = `apiVersion: v1
kind: Secret
metadata: { namespace: default, name: login }
stringData: { password: hunter2 }
`;

test("an action is recorded with what it was about, and how it ended", async () => {
  expect(await record("restart", {})).toEqual([{ name: "restart", input: {}, outcome: "done" }]);
  const plan = { verb: "create", resource: "pods", code: 403, times: 2 };
  expect(await record("fail", { ...plan, other: "x" }, new RequestError(400, "no"))).toEqual([
    { name: "fail", input: plan, outcome: "refused", error: "no" },
  ]);
});

test("of an object that is written its name is recorded, and no value of a Secret", async () => {
  const input = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "login" };
  expect(await record("apply", { object: secret })).toEqual([{ name: "apply", input, outcome: "done" }]);
  expect(await record("apply", { object: secret }, new Error('"hunter2" is wrong'))).toEqual([
    { name: "apply", input, outcome: "refused" },
  ]);
  for (const object of ["kind: Secret: hunter2", "- hunter2", 5, "metadata: hunter2"])
    expect(await record("apply", { object }, new Error("hunter2"))).toEqual([
      { name: "apply", input: {}, outcome: "refused" },
    ]);
});

test("why an object of another kind was refused is recorded", async () => {
  const object = "apiVersion: v1\nkind: Pod\nmetadata: { name: a }";
  expect(await record("apply", { object }, new Error("no image"))).toMatchObject([{ error: "no image" }]);
});

test("what changes nothing is not recorded", async () => {
  expect(await record("apply", { object: secret, dryRun: true })).toEqual([]);
  expect(await record("test", {})).toEqual([]);
  expect(await record("constructor", {})).toEqual([]);
});

test("what is no input of the page is recorded without it", async () => {
  for (const input of [null, [], "x", { at: { deep: 1 } }])
    expect(await record("restore", input, new Error("no"))).toMatchObject([{ input: {} }]);
  const [told] = await record("restore", { at: "x".repeat(1000) });
  expect(told?.input["at"]).toHaveLength(300);
});
