import {
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type SourceChanges, watchSources } from "./watch-sources.ts";

let project: string;
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), "watch-"));
  for (const folder of ["api/v1", "src/controller", "config"])
    mkdirSync(join(project, folder), { recursive: true });
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

test("watchSources() batches changes, without temporary files of editors", async () => {
  const changes = await new Promise<SourceChanges>((resolve) => {
    const watcher = watchSources(project, (batch) => {
      watcher.close();
      resolve(batch);
    });
    writeFileSync(join(project, "api/v1/mysql_types.ts"), "export {};");
    writeFileSync(join(project, "api/v1/.mysql_types.ts.swp"), "");
    writeFileSync(join(project, "api/v1/mysql_types.ts~"), "");
    writeFileSync(join(project, "src/controller/mysql_controller.ts"), "export {};");
  });
  expect(changes).toEqual(["api/v1/mysql_types.ts", "src/controller/mysql_controller.ts"]);
});

test("watchSources() sees a new folder and the files in it", async () => {
  rmSync(join(project, "api"), { recursive: true });
  const seen = new Set<string>();
  await new Promise<void>((resolve) => {
    const watcher = watchSources(project, (batch) => {
      if (seen.size === 0) writeFileSync(join(project, "api/mysql_types.ts"), "export {};");
      for (const path of batch) seen.add(path);
      if (!seen.has("api/mysql_types.ts")) return;
      watcher.close();
      resolve();
    });
    mkdirSync(join(project, "api"));
  });
  expect([...seen]).toEqual(["api", "api/mysql_types.ts"]);
});

test("watchSources() sees every save of an editor that writes a new file and renames it, and new folders that have files", async () => {
  const file = "src/controller/mysql_controller.ts";
  const batches: SourceChanges[] = [];
  let wake: () => void = () => undefined;
  const watcher = watchSources(project, (batch) => {
    batches.push(batch);
    wake();
  });
  const next = (act: () => void): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      act();
    });
  const save = (): void => {
    writeFileSync(join(project, "src/controller/4913"), "export {};");
    renameSync(join(project, "src/controller/4913"), join(project, file));
  };
  for (let times = 0; times < 3; times += 1) await next(save);
  expect(batches).toEqual([[file], [file], [file]]);

  mkdirSync(join(project, "elsewhere/v2"), { recursive: true });
  writeFileSync(join(project, "elsewhere/v2/mysql_types.ts"), "export {};");
  await next(() => renameSync(join(project, "elsewhere"), join(project, "src/webhook")));
  await next(() => writeFileSync(join(project, "src/webhook/v2/mysql_types.ts"), "export const a = 1;"));
  expect(batches.slice(3)).toEqual([["src/webhook/v2/mysql_types.ts"], ["src/webhook/v2/mysql_types.ts"]]);
  watcher.close();
});

describe("watchSources() waits for the content of a file that is being saved", () => {
  const file = "api/v1/mysql_types.ts";
  const path = (name = file): string => join(project, name);
  let clock: FakeClock;
  let batches: SourceChanges[];
  let watcher: { close(): void };
  beforeEach(() => {
    writeFileSync(path(), "export {};");
    writeFileSync(path("src/main.ts"), "export {};");
    clock = new FakeClock();
    batches = [];
    watcher = watchSources(project, (batch) => batches.push(batch), clock);
  });
  afterEach(() => watcher.close());
  /** Each event of the file system sets a timer. */
  const seen = (): Promise<unknown> => eventually(() => clock.timers > 0);

  test("an editor that truncates it first", async () => {
    truncateSync(path());
    await seen();
    await clock.advance(400);
    expect(batches).toEqual([]);
    writeFileSync(path(), "export const a = 1;");
    await clock.advance(30);
    expect(batches).toEqual([[file]]);
  });

  test("an editor that deletes it first", async () => {
    rmSync(path());
    await seen();
    await clock.advance(400);
    expect(batches).toEqual([]);
    writeFileSync(path(), "export const a = 1;");
    await clock.advance(30);
    expect(batches).toEqual([[file]]);
  });

  test("but not for that of a file that can't be read", async () => {
    symlinkSync("circle.ts", path("src/circle.ts"));
    await seen();
    await clock.advance(30);
    expect(batches).toEqual([["src/circle.ts"]]);
  });

  test("many files, of which one is not written yet", async () => {
    const files = Array.from({ length: 200 }, (_, at) => `src/controller/file_${at}.ts`);
    for (const name of files) writeFileSync(path(name), "export {};");
    truncateSync(path());
    const reported = (): boolean => files.every((name) => batches.flat().includes(name));
    await seen();
    writeFileSync(path(), "export const a = 1;");
    await eventually(async () => {
      await clock.advance(30);
      return reported() && batches.flat().includes(file);
    });
    expect(new Set(batches.flat())).toEqual(new Set([...files, file]));
  });

  test("until half a second has passed: files may stay empty, or be deleted", async () => {
    rmSync(path());
    truncateSync(path("src/main.ts"));
    await seen();
    await eventually(async () => {
      await clock.advance(600);
      return batches.flat().length === 2;
    });
    expect(batches.flat().toSorted()).toEqual([file, "src/main.ts"]);
  });
});
