import { expect, test } from "vitest";
import { Draft, memoryTree } from "../scaffold/tree.ts";
import { noteLongLines } from "./plan-project.ts";

const long = `export const value = call("${"a".repeat(50)}", "${"b".repeat(50)}");\n`;

test("noteLongLines() names new files with lines that the formatter would break, and no others", () => {
  const draft = new Draft(memoryTree({ "src/old.ts": "" }));
  draft.write("src/new.ts", `const short = 1;\n${long}`);
  draft.write("src/old.ts", long);
  draft.write("src/generated.ts", long, "generated");
  draft.write("src/kept.ts", `// ${"word ".repeat(30)}\nimport { name } from "./${"a".repeat(120)}.ts";\n`);
  draft.write("config/new.yaml", long);
  expect(noteLongLines(draft)).toEqual(['"src/new.ts" has long lines, which npm run fmt breaks']);
});
