import { expect, test } from "vitest";
import { commands } from "../../../cli/commands/index.ts";
import { explainedCodes } from "../../../cli/explained-codes.ts";
import { markerHelp } from "../../../generators/markers/help.ts";
import { projectKeys } from "../../../project/keys.ts";
import { anchorOf } from "./markdown.ts";
import { referencePages } from "./reference-pages.ts";

const pages = await referencePages();
const page = (name: string): string => pages.get(`reference/${name}.md`)!;

test("every marker is described, and each link of the overview has one heading", () => {
  const headings = [...page("markers").matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));
  const links = [...page("markers").matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor!);
  expect(links.length).toBeGreaterThan(markerHelp().length);
  expect(links.filter((anchor) => headings.filter((other) => other === anchor).length !== 1)).toEqual([]);
});

test("a marker has its form, its places, its arguments and what it rejects", () => {
  const section = page("markers").split("### `+kubebuilder:subresource:scale`")[1]!;
  expect(section).toContain("| `specpath` | string, required | ");
  expect(section).toContain('- `+kubebuilder:subresource:scale is missing the argument "statuspath"`');
  expect(page("markers")).not.toMatch(/^```\w+ \w/m);
});

test("every error code is on the page", () => {
  expect(Object.keys(explainedCodes).filter((code) => !page("errors").includes(code))).toEqual([]);
});

test("every key of PROJECT is set by flags that there are", async () => {
  const words = Object.values(projectKeys).flatMap(({ setBy = "" }) => setBy.split(", ").filter(Boolean));
  const unknown: string[] = [];
  for (const line of words) {
    const [, name, flag] = /^([a-z ]+?)(?: --(.+))?$/.exec(line)!;
    const command = await commands.find((entry) => entry.name === name)?.load();
    if (!command || (flag !== undefined && !Object.hasOwn(command.flags, flag))) unknown.push(line);
  }
  expect(unknown).toEqual([]);
});

test("blocks of all pages say their language", () => {
  const fences = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/^```(.*)$/gm)].map(([, language], i) =>
      `${path} ${i % 2 === 0 ? language : ""}`.trim(),
    ),
  );
  expect(fences.filter((fence, i) => i % 2 === 0 && !/ \w+$/.test(fence))).toEqual([]);
});
