import { expect, test } from "vitest";
import { explainUnused } from "./explain-unused.ts";

test.each([
  [
    "files",
    { name: "src/a.ts" },
    'src/a.ts is imported by nothing: delete it; where a command starts it, name it in "entry"',
  ],
  ["exports", { name: "b", line: 3 }, "src/a.ts:3 exports b, which nothing uses: delete it"],
  ["types", { name: "B", line: 4 }, "src/a.ts:4 exports B, which nothing uses: delete it"],
  [
    "devDependencies",
    { name: "left-pad" },
    "src/a.ts lists left-pad, which nothing imports: npm uninstall left-pad",
  ],
  ["unlisted", { name: "left-pad" }, "npm install left-pad, with --save-dev where it is not shipped"],
  ["unresolved", { name: "./b.ts" }, "src/a.ts imports ./b.ts, which is not there"],
  ["binaries", { name: "helm" }, "add it to knip.ignoreBinaries in package.json"],
  [
    "duplicates",
    [
      { name: "b", line: 1 },
      { name: "c", line: 2 },
    ],
    "src/a.ts:1 exports the same thing as b and c",
  ],
  ["enumMembers", { name: "Red", line: 9 }, "src/a.ts:9: Red is left over (enumMembers in knip's words)"],
])("explainUnused() says what mends %s", (kind, finding, sentence) => {
  expect(explainUnused([{ file: "src/a.ts", exports: [], types: [], [kind]: [finding] }])).toEqual([
    expect.stringContaining(sentence),
  ]);
});
