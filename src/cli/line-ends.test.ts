import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCalls, run } from "../../e2e/golden/golden-projects.ts";
import { everythingBelow } from "../scaffold/tree.ts";

type Files = Readonly<Record<string, string>>;

/** Makes a golden project, and changes all files after each of its commands. */
async function make(
  name: string,
  change: (text: string) => string,
  look: (files: Files) => void,
): Promise<Files> {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-line-ends-"));
  const read = (): Files => {
    const paths = everythingBelow(root).list("");
    return Object.fromEntries(paths.map((path) => [path, readFileSync(join(root, path), "utf8")]));
  };
  try {
    for (const argv of readCalls(name)) {
      await run([...argv, ...(argv[0] === "init" ? ["--project-name", "shop"] : [])], root);
      look(read());
      for (const [path, text] of Object.entries(read())) writeFileSync(join(root, path), change(text));
    }
    expect(await run(["manifests", "--dry-run"], root)).toBe("Nothing was written (--dry-run).");
    return read();
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** As Git does in a checkout for Windows. */
const toWindows = (text: string): string => text.replaceAll("\n", "\r\n").replaceAll("\r\r\n", "\r\n");
const fromWindows = (text: string): string => text.replaceAll("\r\n", "\n");

test.each(["store-operator", "team-operator"])("%s is the same with Windows' line ends", async (name) => {
  const windows = await make(name, toWindows, (files) => {
    const isMixed = (text: string): boolean => text.includes("\r\n") && /[^\r]\n/u.test(text);
    expect(Object.keys(files).filter((path) => isMixed(files[path]!))).toEqual([]);
  });
  const expected = await make(
    name,
    (text) => text,
    () => undefined,
  );
  expect(
    Object.fromEntries(Object.entries(windows).map(([path, text]) => [path, fromWindows(text)])),
  ).toEqual(expected);
});
