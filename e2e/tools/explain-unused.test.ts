import { expect, test } from "vitest";
import { explainUnused } from "./explain-unused.ts";

test.each([
  [
    "files",
    { name: "src/a.ts" },
    'nothing imports src/a.ts: delete it; if a command runs it, name it in "entry"',
  ],
  ["exports", { name: "b", line: 3 }, "src/a.ts:3 exports b, which nothing uses: delete it"],
  ["types", { name: "B", line: 4 }, "src/a.ts:4 exports B, which nothing uses: delete it"],
  [
    "devDependencies",
    { name: "left-pad" },
    "src/a.ts lists left-pad, which nothing imports: npm uninstall left-pad",
  ],
  ["unlisted", { name: "left-pad" }, "npm install left-pad, with --save-dev unless it is shipped"],
  ["unresolved", { name: "./b.ts" }, "src/a.ts imports ./b.ts, which does not exist"],
  ["binaries", { name: "helm" }, "add it to knip.ignoreBinaries in package.json"],
  [
    "duplicates",
    [
      { name: "b", line: 1 },
      { name: "c", line: 2 },
    ],
    "src/a.ts:1 exports the same thing as b and c",
  ],
  ["enumMembers", { name: "Red", line: 9 }, "src/a.ts:9: Red is unused (enumMembers in knip)"],
])("explainUnused() says what mends %s", (kind, finding, sentence) => {
  expect(explainUnused([{ file: "src/a.ts", exports: [], types: [], [kind]: [finding] }])).toEqual([
    expect.stringContaining(sentence),
  ]);
});
