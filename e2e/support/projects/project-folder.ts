import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { everythingBelow } from "../../../src/scaffold/tree.ts";
import { run } from "../../golden/golden-projects.ts";

/** An empty folder in which a test calls the CLI. */
export interface ProjectFolder {
  readonly root: string;
  /** Runs a command line without its first word, and returns its output. */
  readonly call: (line: string) => Promise<string>;
  readonly initialize: () => Promise<string>;
  readonly read: (path: string) => string;
  /** All files with their texts, except for what tsbuilder keeps for itself. */
  readonly snapshot: () => Record<string, string>;
}

/** Gives every test of a file a folder of its own. */
export function useProjectFolder(): ProjectFolder {
  let root = "";
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "tsbuilder-cli-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const call = (line: string): Promise<string> => run(line.split(" "), root);
  const read = (path: string): string => readFileSync(join(root, path), "utf8");
  return {
    get root() {
      return root;
    },
    call,
    initialize: () => call("init --domain example.com --project-name shop"),
    read,
    snapshot() {
      const paths = everythingBelow(root)
        .list("")
        .filter((path) => path !== ".tsbuilder/owned.json" && !path.endsWith(".tsbuilder/.gitignore"));
      return Object.fromEntries(paths.map((path) => [path, read(path)]));
    },
  };
}
