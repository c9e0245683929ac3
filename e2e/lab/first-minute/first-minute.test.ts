import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../support/source-imports.ts";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

test.each(["Node 20, npm 10", "Node 24, npm 11"])(
  "the book shows the first minute of %s as it is",
  (name) => {
    const [, shown = ""] = read("src/book/about/first-minute.md").split(`## ${name}\n\n\`\`\`text\n`);
    const text = shown.slice(0, shown.indexOf("```"));
    const demo = read("e2e/lab/demo/demo.ts");
    const titles = [...demo.matchAll(/title\("([^"]+)"\)/gu)].map(([, title]) => `== ${title}`);
    const steps = [...demo.matchAll(/until\("([^"]+)"/gu)].map(([, step]) => `-- ${step}`);
    const [, next = ""] = /const next = `([^`]+)`/u.exec(demo)!;
    for (const line of [...titles, ...steps, ...next.split("\n")]) expect(text).toContain(`${line}\n`);
    expect(text).not.toMatch(/\bwarn/iu);
  },
);
