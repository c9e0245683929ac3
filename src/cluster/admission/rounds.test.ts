import { expect, test } from "vitest";
import type { ApiObject } from "../contract/api-object.ts";
import { Rounds } from "./admission.ts";

const object = (value: string): ApiObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  data: { value },
});

test("without a change there is only one round", () => {
  const rounds = new Rounds();
  rounds.callsOf("webhooks", object("1")).remember("a");
  expect(rounds.next()).toBe(false);
});

test("after a change, earlier calls are repeated if their reinvocation policy is IfNeeded", () => {
  const rounds = new Rounds();
  const calls = rounds.callsOf("webhooks", object("1"));
  calls.remember("early");
  calls.noteChange();
  calls.remember("late");
  calls.endRound(object("2"));
  expect(rounds.next()).toBe(true);
  const again = rounds.callsOf("webhooks", object("2"));
  expect(["early", "late", "new"].filter((key) => again.isDue(key))).toEqual(["early"]);
  again.noteChange();
  expect(rounds.next()).toBe(false);
});

test("a later change by another plugin makes all calls due whose reinvocation policy is IfNeeded", () => {
  const rounds = new Rounds();
  const policies = rounds.callsOf("policies", object("1"));
  policies.remember("policy");
  const left = object("1");
  policies.endRound(left);
  // The remembered object must not follow later changes in place.
  (left["data"] as Record<string, string>)["value"] = "2";
  rounds.callsOf("webhooks", left).noteChange();
  expect(rounds.next()).toBe(true);
  expect(rounds.callsOf("policies", left).isDue("policy")).toBe(true);
});
