import { describe, expect, test } from "vitest";
import type { TsbuilderError } from "../shared/errors.ts";
import { noWebhooks, type Resource } from "./project.ts";
import { formatProject, parseProject } from "./store.ts";

const text = `# mine: don't touch
version: "3"
cliVersion: 1.2.3
domain: example.com # ours since 1999
projectName: shop
layout:
- typescript.tsbuilder.dev/v1
license: apache2
features:
- metrics # for Grafana
resources:
# the first one
- group: apps
  domain: example.com
  version: v1
  kind: Order
  plural: orders
  api:
    crdVersion: v1
    namespaced: true
  owner: team-a
plugins:
  mine/v1:
    answer: 42
`;

const order = text.slice(text.indexOf("- group"), text.indexOf("plugins:"));

const bill: Resource = {
  group: "apps",
  domain: "example.com",
  version: "v1",
  kind: "Bill",
  plural: "bills",
  singular: undefined,
  shortNames: [],
  categories: [],
  namespaced: false,
  origin: { type: "own" },
  template: undefined,
  controllers: [{ name: "bill" }],
  webhooks: noWebhooks,
};

test.each([
  ["", '"PROJECT" is empty'],
  ["# nothing\n", '"PROJECT" is empty'],
  [`${text}a: *nope\n`, '"PROJECT" is not valid YAML: no anchor &nope stands before *nope'],
])("parseProject() says what is wrong with %j", (broken, message) => {
  expect(() => parseProject(broken)).toThrow(
    expect.objectContaining({ code: "INVALID_PROJECT", message }) as Error,
  );
});

describe("formatProject()", () => {
  test("writes what was read, byte for byte", () => {
    expect(formatProject(parseProject(text).project, text)).toBe(text);
  });

  test("keeps the line ends of Windows", () => {
    const windows = text.replaceAll("\n", "\r\n");
    const { project } = parseProject(windows);
    expect(formatProject(project, windows)).toBe(windows);
    expect(formatProject({ ...project, namespaced: true }, windows)).not.toMatch(/[^\r]\n/u);
  });

  test("keeps comments and unknown keys, also those of a list's items", () => {
    const { project } = parseProject(text);
    const next = formatProject(
      { ...project, namespaced: true, resources: [...project.resources, bill] },
      text,
    );
    const added = `- group: apps
  domain: example.com
  version: v1
  kind: Bill
  plural: bills
  api:
    crdVersion: v1
    namespaced: false
  controllers:
  - name: bill
`;
    expect(next).toBe(
      text.replace("license:", "namespaced: true\nlicense:").replace("plugins:", `${added}plugins:`),
    );
  });

  test("keeps a comment with its item when the item before it is removed", () => {
    const { project } = parseProject(text);
    const two = formatProject({ ...project, resources: [bill, ...project.resources] }, text);
    const one = formatProject({ ...project, resources: project.resources }, two);
    expect(one).toContain("owner: team-a");
  });
});

/** Each line expands to nine times the previous one. */
const bomb = Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]\n`).join("");

describe("parseProject()", () => {
  test.each([
    ["x".repeat(10_000), `"PROJECT" must be a mapping, but is "${"x".repeat(79)}…`],
    [Buffer.from(text, "utf16le").toString("utf8"), `"PROJECT" is not UTF-8 text`],
    [text.replace('"3"', '"4"'), `schema version "4"`],
    [
      text.replace('"3"', '"4"').replace("typescript.tsbuilder.dev/v1", "typescript.tsbuilder.dev/v2"),
      `schema version "4"`,
    ],
    [
      text.replace("typescript.tsbuilder.dev/v1", "typescript.tsbuilder.dev/v2"),
      `layout "typescript.tsbuilder.dev/v2", but this tsbuilder supports "typescript.tsbuilder.dev/v1"`,
    ],
    [text.replace("typescript.tsbuilder.dev/v1", "go.kubebuilder.io/v4"), `layout "go.kubebuilder.io/v4"`],
    ['domain: example.com\nrepo: example.com/shop\nversion: "2"\n', `"PROJECT" has no layout`],
    [text.replace("domain: example.com #", "domain: [] #"), `"PROJECT.domain" must be a string`],
    [text.replace("- metrics", "- magic"), `one of metrics, webhook`],
    [text.replace("  kind: Order\n", ""), `"PROJECT.resources[0].kind" must be a string`],
    [text.replace("domain: example.com #", "domain: My Domain #"), `the domain "My Domain" is not valid`],
    [
      text.replace("kind: Order", "kind: order"),
      `"PROJECT.resources[0].kind": the kind "order" is not valid`,
    ],
    [text.replace("version: v1", "version: one"), `the version "one" is not valid`],
    [text.replace("plugins:", `${order}plugins:`), "contains apps.example.com/v1, Kind Order twice"],
    [`${text}---\na: b\n`, "contains 2 YAML documents"],
    [`${text}brackets: ${"[".repeat(20_000)}`, `"PROJECT" can't be read`],
    [`${text}a0: &a0 [x]\n${bomb}`, `"PROJECT" can't be read`],
    [`${text}${"? ".repeat(24)}a: b\n`, `"PROJECT" is not valid YAML: a key must be text at line `],
    [text.replace("kind: Order", "kind: Order\n  singular: '*/'"), `"PROJECT.resources[0].singular"`],
    [text.replace("kind: Order", "kind: Order\n  shortNames: [a;b]"), `"PROJECT.resources[0].shortNames[0]"`],
    [
      text.replace("kind: Order", "kind: Order\n  external: true\n  path: ./../../x.ts"),
      `"PROJECT.resources[0].path"`,
    ],
    [
      text.replace("kind: Order", `kind: Order\n  external: true\n  path: 'a"; log(1); "'`),
      `"PROJECT.resources[0].path"`,
    ],
    [
      text.replace("kind: Order", `kind: Order\n  template: {name: deploy-image, image: 'a"b'}`),
      `"PROJECT.resources[0].template.image"`,
    ],
  ])("rejects a file that it may misunderstand (%#)", (wrong, message) => {
    expect(() => parseProject(wrong)).toThrow(message);
  });

  test("reports the position of invalid YAML", () => {
    const failure = (() => {
      try {
        parseProject("version: '3'\n  domain: x\n");
      } catch (error) {
        return error as TsbuilderError;
      }
      throw new Error("nothing was thrown");
    })();
    expect(failure.code).toBe("INVALID_PROJECT");
    expect(failure.at?.line).toBe(2);
  });
});
