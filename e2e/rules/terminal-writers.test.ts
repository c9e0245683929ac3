import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/source-imports.ts";

/** The files that write to a terminal, and why it obeys nothing of a project, a cluster or a recording there. */
const writers: Readonly<Record<string, string>> = {
  "bin/tsbuilder.js": "says which Node is too old",
  "src/cli/reporting/report.ts": "passes all text through visibleText()",
  "src/cli/commands/develop/dev.ts": "opens the screen",
  "src/cli/start/start.ts": "prints the version of tsbuilder, and that standard output can't be written",
  "src/dev/cluster/foreground-cluster.ts": "passes errors of the cluster through visibleText()",
  "src/ship/tool.ts": "has programs such as docker write to it, which are the user's own",
};

test("text reaches a terminal through visibleText() alone", () => {
  const rooms = [
    "cli",
    "dev",
    "ship",
    "chart",
    "olm",
    "plugins",
    "scaffold",
    "project",
    "shared",
    "generators",
  ];
  const found = ["bin", ...rooms.map((room) => `src/${room}`)]
    .flatMap((folder) =>
      readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" }).map(
        (path) => `${folder}/${path}`,
      ),
    )
    .filter((path) => /\.[jt]s$/u.test(path) && !/\.test\.ts$|\/generated\/|\/build\//u.test(path))
    .filter((path) =>
      /process\.std(?:out|err)\b(?!\.isTTY)|\bconsole\.\w+\(/u.test(
        readFileSync(join(repository, path), "utf8"),
      ),
    );
  expect(found.sort()).toEqual(Object.keys(writers).sort());
});
