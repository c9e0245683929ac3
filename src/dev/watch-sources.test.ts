import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
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
