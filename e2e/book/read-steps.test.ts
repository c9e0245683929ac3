import { expect, test } from "vitest";
import { readSteps } from "./read-steps.ts";

const page = `# A page

\`\`\`sh
tsbuilder init
npm test
\`\`\`

\`\`\`text
2 passed
\`\`\`

\`\`\`ts [src/main.ts]
start();
\`\`\`

\`\`\`yaml [PROJECT] append
a: b
\`\`\`

\`\`\`ts
shown();
\`\`\`

\`\`\`console
kubectl get pods
\`\`\`
`;

test("readSteps() finds commands, with what the last of a block prints, and files by their titles", () => {
  expect(readSteps("page.md", page)).toEqual([
    { at: "page.md:3", does: "run", command: "tsbuilder init" },
    { at: "page.md:3", does: "run", command: "npm test", shown: "2 passed\n" },
    { at: "page.md:12", does: "write", path: "src/main.ts", content: "start();\n" },
    { at: "page.md:16", does: "append", path: "PROJECT", content: "a: b\n" },
  ]);
});

test("readSteps() takes a text that stands further down for no output", () => {
  const steps = readSteps("page.md", "```sh\nls\n```\n\nLater:\n\n```text\nfile\n```\n");
  expect(steps).toEqual([{ at: "page.md:1", does: "run", command: "ls" }]);
});
