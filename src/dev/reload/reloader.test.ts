import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { TsbuilderError } from "../../shared/errors.ts";
import type { DevEvent } from "../dev-event.ts";
import { OwnWrites, Reloader, stepsOfProject } from "./reloader.ts";

let root: string;
let done: string[];
let events: DevEvent[];
let failing: { readonly step: string; readonly error: Error } | undefined;
let generated: readonly string[];
let isRunning: boolean;
let endsAtStart: boolean;
let reloader: Reloader;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "reloader-"));
  [done, events, failing, generated] = [[], [], undefined, []];
  [isRunning, endsAtStart] = [true, false];
  const step = async (name: string): Promise<void> => {
    if (failing?.step === name) throw failing.error;
    done.push(name);
  };
  reloader = new Reloader(
    {
      generate: () => step("generate").then(() => generated),
      neededBy: stepsOfProject,
      build: () => step("build"),
      apply: () => step("apply"),
      restart: () => step("restart").then(() => void (isRunning = !endsAtStart)),
      isRunning: () => isRunning,
    },
    new OwnWrites(root),
    (event) => events.push(event),
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** The steps of a reload, sorted, because two of them start at the same time. */
async function stepsAfter(...changes: string[]): Promise<string[]> {
  done = [];
  await reloader.reload(changes);
  return done.toSorted();
}

test.each([
  [["src/main.ts"], ["build", "generate", "restart"]],
  [["src/query.sql"], ["build", "restart"]],
  [["config/rbac/role.yaml"], ["apply"]],
  [
    ["config/rbac/role.yaml", "api/v1/box_types.ts"],
    ["apply", "build", "generate", "restart"],
  ],
])("a reload after a change of %j takes the steps %j", async (changes, steps) => {
  expect(await stepsAfter(...changes)).toEqual(steps);
  expect(events).toEqual([
    { type: "again", what: "reload" },
    { type: "info", text: expect.stringContaining(`${changes.join(", ")}: reloaded`) },
  ]);
});

test("what dev generated is applied, and does not reload again when the watcher reports it", async () => {
  const role = "role.yaml";
  generated = [role];
  writeFileSync(join(root, role), "a: 1");
  expect(await stepsAfter("src/main.ts")).toEqual(["apply", "build", "generate", "restart"]);
  expect(await stepsAfter(role)).toEqual([]);
  expect(events.filter(({ type }) => type === "info")).toHaveLength(1);
});

test("an operator that ends while it starts is not called reloaded, and starts again with any next edit", async () => {
  endsAtStart = true;
  await stepsAfter("src/main.ts");
  expect(events).toEqual([{ type: "again", what: "reload" }]);
  endsAtStart = false;
  expect(await stepsAfter("config/rbac/role.yaml")).toEqual(["apply", "restart"]);
  expect(events.at(-1)).toMatchObject({ type: "info" });
});

test("a step that failed is repeated with the next edit", async () => {
  failing = { step: "apply", error: new Error("the cluster is gone") };
  expect(await stepsAfter("config/rbac/role.yaml", "src/main.ts")).toEqual(["build", "generate"]);
  expect(events.slice(1)).toEqual([{ type: "error", error: failing.error }]);
  failing = undefined;
  expect(await stepsAfter("src/query.sql")).toEqual(["apply", "build", "restart"]);
});

test("a changed manifest is applied with the next edit if the sources that changed with it were invalid", async () => {
  failing = { step: "generate", error: new Error("Type expected") };
  expect(await stepsAfter("api/v1/box_types.ts", "config/rbac/box.yaml")).toEqual(["build"]);
  failing = undefined;
  expect(await stepsAfter("api/v1/box_types.ts")).toEqual(["apply", "build", "generate", "restart"]);
});

test.each(["build", "generate"])(
  "a bundle is made with the next edit, of whatever file, if the step %s failed",
  async (step) => {
    failing = { step, error: new Error("Expected }") };
    await stepsAfter("src/main.ts");
    failing = undefined;
    expect(await stepsAfter("config/rbac/role.yaml")).toEqual(
      step === "build" ? ["apply", "build", "restart"] : ["apply", "build", "generate", "restart"],
    );
    expect(await stepsAfter("config/rbac/role.yaml")).toEqual(["apply"]);
  },
);

test("errors of the generators are reported with their own hints", async () => {
  const error = new TsbuilderError('"api/v1/box_types.ts" is empty', {
    code: "INVALID_SOURCE",
    hint: "save its content, or delete the file",
  });
  failing = { step: "generate", error };
  await stepsAfter("src/main.ts");
  expect(events.slice(1)).toEqual([{ type: "error", error }]);
  expect(events.slice(1)).toMatchObject([{ error: { hint: error.hint } }]);
});

test("a build that writes its own sources anew does not build without end", async () => {
  const built: string[] = [];
  const own = new Reloader(
    {
      neededBy: () => ["build"],
      skipsUnchanged: true,
      generate: async () => [],
      build: async () => void built.push("build"),
      apply: async () => {},
      restart: async () => {},
      isRunning: () => true,
    },
    new OwnWrites(root),
    () => undefined,
  );
  const save = (text: string): Promise<void> => {
    writeFileSync(join(root, "generated.go"), text);
    return own.reload(["generated.go"]);
  };
  await save("a");
  await save("a");
  expect(built).toHaveLength(1);
  await save("b");
  expect(built).toHaveLength(2);
});

test("something else is done between reloads, and its error is the caller's alone", async () => {
  const order: string[] = [];
  const reload = reloader.reload(["src/main.ts"]).then(() => order.push("reloaded"));
  const between = reloader.between(async () => {
    order.push("between");
    throw new Error("no luck");
  });
  const later = reloader.reload(["src/main.ts"]).then(() => order.push("reloaded again"));
  await expect(between).rejects.toThrow("no luck");
  await Promise.all([reload, later]);
  expect(order).toEqual(["reloaded", "between", "reloaded again"]);
  expect(events.filter(({ type }) => type === "error")).toEqual([]);
});

test("once it is closed, what has begun is done, and what waits is refused", async () => {
  let finish = (): void => {};
  const order: string[] = [];
  const running = reloader.between(() => new Promise<void>((resolve) => (finish = resolve)));
  const reload = reloader.reload(["src/main.ts"]);
  const waiting = reloader.between(async () => void order.push("waited"));
  await Promise.resolve();
  const closed = reloader.close().then(() => order.push("closed"));
  finish();
  await expect(waiting).rejects.toMatchObject({ code: "REFUSED", message: "tsbuilder dev is stopping" });
  await Promise.all([running, reload, closed]);
  expect([order, done, events]).toEqual([["closed"], [], []]);
});

test.each([
  ["a reload", () => reloader.reload(["src/main.ts"])],
  ["something else", () => reloader.between(async () => {})],
])("what is done between reloads is told that %s waits for it", async (_, wait) => {
  const begun: AbortSignal[] = [];
  const running = reloader.between(
    (awaited) =>
      new Promise<void>((resolve) => {
        begun.push(awaited);
        awaited.addEventListener("abort", () => resolve());
      }),
  );
  await eventually(() => expect(begun).toHaveLength(1));
  const waiting = wait();
  await Promise.all([running, waiting]);
  expect(begun[0]!.aborted).toBe(true);
});
