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

test("readSteps() refuses output that stands further down", () => {
  const text = "```sh\nls\n```\n\nLater:\n\n```text\nfile\n```\n";
  expect(() => readSteps("page.md", text)).toThrow("page.md:7: no command stands right before this output");
});

test("readSteps() refuses a block that it can't read", () => {
  expect(() => readSteps("page.md", "```ts src/main.ts\n```\n")).toThrow(
    'page.md:1: a block begins with "ts src/main.ts"',
  );
});
